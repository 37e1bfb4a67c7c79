"""The build steps that only KahaDB journals need, and the book of their recipes."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from conformance.contents import Contents, by_name, read_contents
from conformance.recipes.recipe import Book, Log
from reference_impl.answer import NewRecord
from reference_impl.kahadb_journal.writer import batch, record, write

EOF = b"-qMa4"
HEADER = b"\0\0\0\x1c\x02WRITE BATCH"


class KahaDBLog(Log):
    """A KahaDB journal being built: one data file, or a folder of them."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control, payloads, "kahadb-journal")
        self._to_write: list[NewRecord] = []

    def batch(self, *payloads: bytes, checked: bool = True, file: str = "") -> None:
        """Append a batch of these records to a file."""
        if file:
            self.files.pop("", None)
        self.files.setdefault(file, bytearray())
        self.files[file] += batch(b"".join(map(record, payloads)), checked)
        self.payloads += payloads

    def raw(self, records: bytes, checked: bool = True) -> None:
        """Append a batch with these bytes, which need not be valid records.

        The recipe states the survivors in ``expect``.
        """
        self.data += batch(records, checked)

    def eof(self, file: str = "") -> None:
        """Append an EOF record, which every writer since 5.14 does after each batch."""
        self.files[file] += EOF

    def zeros(self, count: int) -> None:
        """Append zero bytes: preallocated space, or the end mark of 5.12 and 5.13."""
        self.data += bytes(count)

    def number(self, path: str, value: int) -> None:
        """Set a field to a signed big-endian number."""
        self.set(path, value, "big")

    def written(self, *groups: Sequence[bytes], **context: object) -> None:
        """Replace the log by the output of a writer for these batches and this context."""
        self.context |= context
        self._to_write = [
            NewRecord(payload, {"batch": number})
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
        """Remove the batch numbers from the records to write."""
        self._to_write = [NewRecord(one.payload) for one in self._to_write]

    def to_write(self) -> list[NewRecord]:
        """Return the records to write, with their batch numbers."""
        return self._to_write


BOOK: Book[KahaDBLog] = Book("kahadb-journal", KahaDBLog, ".log")
APPENDING = BOOK.group("appending")
BATCH_SIZE = BOOK.group("batch-size")
CHECKSUM = BOOK.group("checksum")
END = BOOK.group("end")
ENDING = BOOK.group("ending")
FOLDER = BOOK.group("folder")
HEADER_GROUP = BOOK.group("header")
LAYOUT = BOOK.group("layout")
LIMITS = BOOK.group("limits")
PREALLOCATION = BOOK.group("preallocation")
RECORDS = BOOK.group("records")
RECORD_GROUP = BOOK.group("record")
RESYNC = BOOK.group("resync")
SIBLING = BOOK.group("sibling")
TORN_TAIL = BOOK.group("torn-tail")
WRITING = BOOK.group("writing")


def numbered(number: int) -> bytes:
    """Return a payload of 12 bytes, for a record of 17 bytes in a batch of 45 bytes."""
    return b"record %05d" % number


def whole_batch(*payloads: bytes, checked: bool = True) -> bytes:
    """Return the bytes of a complete batch, to insert at any offset."""
    return batch(b"".join(record(payload) for payload in payloads), checked)
