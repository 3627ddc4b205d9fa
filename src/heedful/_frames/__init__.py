"""From the user's table to numbers: frames of any library, column kinds, categories, missing values."""

from heedful._frames.tables import (
    Dummies,
    TableReader,
    as_table,
    freeze,
    is_frame,
    merge_rows,
    read_table,
    select,
    take,
    thaw,
)

__all__ = [
    "Dummies",
    "TableReader",
    "as_table",
    "freeze",
    "is_frame",
    "merge_rows",
    "read_table",
    "select",
    "take",
    "thaw",
]
