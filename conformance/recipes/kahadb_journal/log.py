"""The verbs that only KahaDB journals need, and the book of their recipes."""

from __future__ import annotations

import struct
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path

from conformance.contents import Contents, by_name, read_contents
from conformance.recipes.recipe import Book, Log
from conformance.recipes.variation import vary
from reference_impl.answer import NewRecord
from reference_impl.kahadb_journal.writer import batch, record, write

EOF = b"-qMa4"
HEADER = b"\0\0\0\x1c\x02WRITE BATCH"
CONTROL = 28


class KahaDBLog(Log):
    """A KahaDB journal being built: one data file, or a folder of them."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control, payloads, "kahadb-journal")
        self._to_write: list[NewRecord] = []

    def batch(self, *payloads: bytes, checked: bool = True, file: str = "") -> None:
        """Write a batch of these records after what is there."""
        payloads = tuple(map(vary, payloads))
        if file:
            self.files.pop("", None)
        self.files.setdefault(file, bytearray())
        self.files[file] += batch(b"".join(map(record, payloads)), checked)
        self.payloads += payloads

    def raw(self, records: bytes, checked: bool = True) -> None:
        """Write a batch around bytes that may be no records; what survives, ``expect`` says."""
        self.data += batch(records, checked)

    def eof(self, file: str = "") -> None:
        """Write an EOF record, as every writer since 5.14 does after each batch."""
        self.files[file] += EOF

    def zeros(self, count: int) -> None:
        """Write zero bytes: preallocated space, or the mark of the end in 5.12 and 5.13."""
        self.data += bytes(count)

    def put(self, at: int, new: bytes, what: str, file: str = "") -> None:
        """Overwrite bytes, whatever field they belong to."""
        self.files[file][at : at + len(new)] = new
        self.did(f"write {what} at {at}")

    def number(self, path: str, value: int) -> None:
        """Set a field to a signed number, big-endian."""
        data, field = self.files[path.rpartition(":")[0]], self.field(path)
        data[field.start : field.end] = value.to_bytes(field.end - field.start, "big", signed=True)
        self.did(f"set {path} to {value}")

    def reseal(self, path: str) -> None:
        """Make the checksum of a batch right again, after a change to its records."""
        found = self.field(path)
        start, end = found.start, found.end
        checksum = zlib.adler32(self.data[start + CONTROL : end])
        self.data[start + 20 : start + CONTROL] = struct.pack(">q", checksum)
        self.did(f"reseal {path}")

    def written(self, *groups: Sequence[bytes], **context: object) -> None:
        """The log that a writer makes of these batches, in the era that the context says."""
        self.context |= context
        self._to_write = [
            NewRecord(vary(payload), {"batch": number})
            for number, group in enumerate(groups)
            for payload in group
        ]
        self.payloads += [one.payload for one in self._to_write]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log"
            write(path, self._to_write, self.context)
            contents = read_contents(path)
        self.files = {}
        for name, data in by_name(contents).items():
            self.files[name] = bytearray(data)

    def unbatched(self) -> None:
        """The records to write name no batch."""
        self._to_write = [NewRecord(one.payload) for one in self._to_write]

    def to_write(self) -> list[NewRecord]:
        """The records with their batches."""
        return self._to_write


BOOK: Book[KahaDBLog] = Book("kahadb-journal")


def numbered(number: int) -> bytes:
    """Twelve bytes: a record of 17, a batch of 45."""
    return b"record %05d" % number


def whole_batch(*payloads: bytes, checked: bool = True) -> bytes:
    """The bytes of a batch, to be put where it does not belong."""
    return batch(b"".join(record(vary(payload)) for payload in payloads), checked)
