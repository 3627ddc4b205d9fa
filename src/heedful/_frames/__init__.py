"""From the user's table to numbers: frames of any library, column kinds, categories, missing values.

A table is read once into codes, which trees take as they are; linear models take dummies.
"""

from heedful._frames.columns import TableReader
from heedful._frames.dummies import Coding, Dummies
from heedful._frames.kinds import BOOLEANS, DATES, NUMBERS, TEXT, as_floats, cell_kinds, parse_number, utc_times
from heedful._frames.rows import (
    Observations,
    count_rows,
    find_observations,
    freeze,
    merge_rows,
    order_rows,
    sort_rows,
    take,
    thaw,
)
from heedful._frames.suspicious import warn_of_suspicious_columns
from heedful._frames.tables import (
    as_column,
    as_table,
    check_distinct,
    is_frame,
    one_row,
    read_eager,
    read_table,
    select,
)
from heedful._frames.units import center_and_unit, column_blocks, row_blocks

__all__ = [
    "BOOLEANS",
    "DATES",
    "NUMBERS",
    "TEXT",
    "Coding",
    "Dummies",
    "Observations",
    "TableReader",
    "as_column",
    "as_floats",
    "as_table",
    "cell_kinds",
    "center_and_unit",
    "check_distinct",
    "column_blocks",
    "count_rows",
    "find_observations",
    "freeze",
    "is_frame",
    "merge_rows",
    "one_row",
    "order_rows",
    "parse_number",
    "read_eager",
    "read_table",
    "row_blocks",
    "select",
    "sort_rows",
    "take",
    "thaw",
    "utc_times",
    "warn_of_suspicious_columns",
]
