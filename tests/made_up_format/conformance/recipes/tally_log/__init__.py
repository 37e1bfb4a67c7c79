"""Recipes of the tally log."""

from __future__ import annotations

from collections.abc import Sequence

from reference_impl.tally_log import SIGNATURE, framed

from conformance.contents import Contents
from conformance.recipes.recipe import Book, Log

SUFFIX = ".tally"


class NewLog(Log):
    """A tally log being built."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control or SIGNATURE, payloads, "tally-log")

    def write(self, *payloads: bytes) -> None:
        """Write these records after those already there."""
        self.data += b"".join(map(framed, payloads))
        self.payloads += payloads


BOOK: Book[NewLog] = Book("tally-log")


@BOOK.valid("layout", "TLY-001", "TLY-002")
def two_records(log: NewLog) -> None:
    """Two records."""
    log.write(b"alpha", b"bravo")
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(two_records, "checksum", "TLY-003")
def flipped_payload(log: NewLog) -> None:
    """A flipped bit loses the first record only."""
    log.flip("records[0].payload", bit=0)
    log.expect("damaged", "checksum-mismatch", survivors=[1])
