"""Archives that unpack to no more than is allowed, whatever they declare."""

import io
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

# Models unpack to a few times their size; this is room for arrays of zeros.
LEAST, TIMES = 2**28, 100
# Bytes that are unpacked in one go.
STEP = 2**20


class Archive(ZipFile):
    """A zip archive; all that is read of it, if it is read twice too, counts against ``most`` bytes."""

    def __init__(self, data: bytes, most: float | None = None):
        super().__init__(io.BytesIO(data))
        self._most = max(LEAST, TIMES * len(data)) if most is None else most
        self._taken = 0
        for entry in self.infolist():
            # other ways of packing cannot be unpacked step by step
            if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise BadZipFile("an entry is packed in an unknown way")
        self._check(sum(entry.file_size for entry in self.infolist()))

    def read(self, name: Any, pwd: bytes | None = None) -> bytes:
        """Return an entry, unpacked step by step: it may be larger than it says."""
        parts, before = [], self._taken
        with self.open(name, pwd=pwd) as file:
            while part := file.read(STEP):
                self._taken += len(part)
                self._check(self._taken)
                parts.append(part)
        entry = name if hasattr(name, "file_size") else self.getinfo(name)
        if self._taken - before != entry.file_size:
            raise BadZipFile("an entry is not as large as it says")
        return b"".join(parts)

    def _check(self, size: int) -> None:
        if size > self._most:
            raise TooLargeError(
                f"it unpacks to {size:,} bytes or more, and {self._most:,.0f} are allowed. If you trust where it came "
                f"from, allow them: heedful.load_model(file, max_size={size})"
            )


class TooLargeError(ValueError):
    """An archive unpacks to more than is allowed."""
