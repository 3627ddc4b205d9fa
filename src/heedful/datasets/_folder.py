"""A folder of tables with a manifest: files are found by name and checked before they are read."""

import hashlib
import io
import json
import os
from pathlib import Path
from typing import Any

import pandas as pd

MANIFEST = "manifest.json"
HOW_TO_GET = (
    "Give the folder that holds uci/manifest.json as `data` (studies: --data), or in the environment variable "
    "HEEDFUL_DATA. Where there is a network, heedful.datasets.download_tables(folder) fetches the tables (pip install "
    "'heedful[data]')."
)


def read_checked(name: str, data: Any) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a table as its file has it, and what the manifest says of it."""
    given = data if data is not None else os.environ.get("HEEDFUL_DATA")
    if not given:
        raise FileNotFoundError(f"The paper's tables are not part of heedful. {HOW_TO_GET}")
    manifest = Path(given) / "uci" / MANIFEST
    if not manifest.is_file():
        raise FileNotFoundError(f"Need {manifest}, but there is no such file. {HOW_TO_GET}")
    try:
        about = json.loads(manifest.read_text(encoding="utf-8")).get(name)
    except ValueError as error:
        raise ValueError(f"{manifest} must be JSON, got {error}. Copy it anew. {HOW_TO_GET}") from error
    path = manifest.with_name(about["file"] if about else f"{name}.csv")
    if about is None or not path.is_file():
        what = "the manifest does not list it" if about is None else "there is no such file"
        raise FileNotFoundError(f"Need {path}, but {what}. {HOW_TO_GET}")
    content = path.read_bytes()
    checksum = hashlib.sha256(content).hexdigest()
    if checksum != about["sha256"]:
        raise ValueError(
            f"{path} must have the sha256 {about['sha256'][:12]}... of its manifest, got {checksum[:12]}...: it is "
            f"another version, or damaged. Copy it anew. {HOW_TO_GET}"
        )
    return pd.read_csv(io.BytesIO(content)), about
