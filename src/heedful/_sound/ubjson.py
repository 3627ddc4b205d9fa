"""UBJSON, the binary form of JSON that XGBoost writes: read with every length checked."""

from typing import Any

import numpy as np

# Markers of numbers, and how each is stored; a length is a number too.
NUMBERS = {"i": ">i1", "U": ">u1", "I": ">i2", "l": ">i4", "L": ">i8", "d": ">f4", "D": ">f8"}
WORDS = {"T": True, "F": False, "Z": None}
DEEPEST = 50


def read_ubjson(data: bytes) -> Any:
    """Return the one value that the bytes hold; raise ValueError if they hold anything else."""
    reader = _Reader(data)
    value = reader.value(reader.marker(), DEEPEST)
    if reader.place != len(data):
        raise ValueError(f"bytes are left after byte {reader.place}")
    return value


class _Reader:
    """Reads values one after the other."""

    def __init__(self, data: bytes):
        self.data, self.place = data, 0

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        if not 0 <= size <= len(self.data) - self.place:
            raise ValueError(f"the file ends too early, or a length at byte {self.place} is wrong")
        self.place += size
        return self.data[self.place - size : self.place]

    def marker(self) -> str:
        """Return the next marker; it says what follows."""
        return self.take(1).decode("latin1")

    def next_is(self, marker: str) -> bool:
        """Return whether a marker is next, and step over it."""
        found = self.data[self.place : self.place + 1] == marker.encode()
        self.place += found
        return found

    def numbers(self, marker: str, count: int) -> list[Any]:
        """Return numbers that are stored alike."""
        if marker not in NUMBERS:
            raise ValueError(f"no number is marked by {marker!r} (byte {self.place})")
        kind = np.dtype(NUMBERS[marker])
        return np.frombuffer(self.take(kind.itemsize * count), kind).tolist()

    def length(self) -> int:
        """Return a length."""
        (size,) = self.numbers(self.marker(), 1)
        if not isinstance(size, int) or size < 0:
            raise ValueError(f"the length {size} at byte {self.place} is wrong")
        return size

    def text(self) -> str:
        """Return a text; its length comes first."""
        return self.take(self.length()).decode()

    def value(self, marker: str, depth: int) -> Any:
        """Return what a marker announces."""
        if depth == 0:
            raise ValueError(f"more than {DEEPEST} values are nested")
        if marker in WORDS:
            return WORDS[marker]
        if marker in "SC":
            return self.text() if marker == "S" else self.take(1).decode()
        if marker == "[":
            return self.list(depth - 1)
        return self.object(depth - 1) if marker == "{" else self.numbers(marker, 1)[0]

    def list(self, depth: int) -> list[Any]:
        """Return a list: of numbers stored alike, of known length, or up to its end."""
        kind = self.marker() if self.next_is("$") else None
        if self.next_is("#"):
            count = self.length()
            if kind is not None:
                return self.numbers(kind, count)
            return [self.value(self.marker(), depth) for _ in range(count)]
        found = []
        while not self.next_is("]"):
            found.append(self.value(self.marker(), depth))
        return found

    def object(self, depth: int) -> dict[str, Any]:
        """Return an object, its keys without markers."""
        found: dict[str, Any] = {}
        while not self.next_is("}"):
            name = self.text()
            if name in found:
                raise ValueError(f"{name!r} comes twice")
            found[name] = self.value(self.marker(), depth)
        return found
