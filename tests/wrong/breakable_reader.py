"""A correct LevelDB reader whose methods wrong implementations override."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conformance.adapterkit import Request, record, serve
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    FIRST,
    FULL,
    HEADER,
    HEADER_SIZE,
    LAST,
    MIDDLE,
    ZERO,
    foreign_dialect,
    masked_crc,
)


class Reader:
    """One pass over a log in memory, which fills ``records`` and ``signals``."""

    def __init__(self, log: bytes) -> None:
        self.log = log
        self.records: list[bytes] = []
        self.signals: list[str] = []
        self.open: bytes | None = None

    def read(self) -> None:
        """Read the whole log, block by block."""
        if foreign_dialect(self.log[:BLOCK_SIZE]):
            self.damage("another dialect")
            return
        for base in range(0, len(self.log), BLOCK_SIZE):
            self.block(base, base + BLOCK_SIZE)
        self.end_of_log()

    def block(self, at: int, block_end: int) -> None:
        """Read the physical records from ``at`` to the end of the block or log."""
        while min(block_end, len(self.log)) - at >= HEADER_SIZE:
            checksum, length, kind = HEADER.unpack_from(self.log, at)
            end = at + HEADER_SIZE + length
            if not self.fits(end, block_end):
                return self.damage("bad length")
            if end > len(self.log):
                return self.torn(at)
            if kind == ZERO and length == 0:
                return self.zeros(at)
            if not self.checksum_holds(checksum, self.log[at + 6 : end]):
                return self.damage("checksum mismatch")
            self.fragment(kind, self.log[at + HEADER_SIZE : end])
            at = end

    def fits(self, end: int, block_end: int) -> bool:
        """Return whether a physical record that ends at ``end`` stays in its block."""
        return end <= block_end

    def checksum_holds(self, checksum: int, covered: bytes) -> bool:
        """Return whether the stored checksum matches the type and the data."""
        return masked_crc(covered) == checksum

    def zeros(self, at: int) -> None:
        """Handle a header of zeros: preallocated space if only zeros follow."""
        if self.log[at:].strip(b"\0"):
            self.damage("zeros inside the log")

    def torn(self, at: int) -> None:
        """Handle a log that ends inside the physical record at ``at``."""

    def fragment(self, kind: int, data: bytes) -> None:
        """Handle one complete physical record."""
        if kind in (FULL, FIRST):
            if self.open:
                self.interrupted(kind, data)
            self.open = None
            if kind == FULL:
                self.release(data)
            else:
                self.open = data
        elif kind not in (MIDDLE, LAST):
            self.damage("unknown type")
        elif self.open is None:
            self.damage("fragment without a beginning")
        else:
            self.open += data
            if kind == LAST:
                self.release(self.open)
                self.open = None

    def interrupted(self, kind: int, data: bytes) -> None:
        """Handle a FULL or FIRST that comes while a record is open."""
        self.damage("record without an end")

    def release(self, payload: bytes) -> None:
        """Add a complete record to the answer."""
        self.records.append(payload)

    def damage(self, what: str) -> None:
        """Report damage, and drop the open record."""
        self.signals.append(what)
        self.open = None

    def end_of_log(self) -> None:
        """Drop a record that is still open, because it was never acknowledged."""


def answer(reader: Reader) -> dict[str, Any]:
    """Run a reader, and return its result as an answer."""
    reader.read()
    return {"records": [record(payload) for payload in reader.records], "signals": reader.signals}


def serve_reader(kind: type[Reader]) -> None:
    """Serve the protocol with a reader of this class."""

    def read(path: Path, request: Request) -> dict[str, Any]:
        return answer(kind(path.read_bytes()))

    serve(hello(kind.__name__), read)


def hello(name: str) -> dict[str, Any]:
    """Return the hello message of the wrong implementations."""
    return {
        "name": name,
        "version": "0",
        "language": "Python",
        "formats": ["leveldb-log"],
        "profiles": ["recover"],
        "reports": ["records", "signals"],
    }


if __name__ == "__main__":
    serve_reader(Reader)
