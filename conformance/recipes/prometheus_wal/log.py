"""The builder of tally logs, and the list of their recipes."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.contents import Contents
from conformance.recipes.recipe import Book, Log
from reference_impl.prometheus_wal import SIGNATURE, framed


class PrometheusWal(Log):
    """A tally log being built."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control or SIGNATURE, payloads, "prometheus-wal")

    def write(self, *payloads: bytes) -> None:
        """Write these records after those already there."""
        self.data += b"".join(map(framed, payloads))
        self.payloads += payloads


BOOK: Book[PrometheusWal] = Book("prometheus-wal", PrometheusWal, ".tally")
LAYOUT = BOOK.group("layout")
DAMAGE = BOOK.group("damage")
WRITING = BOOK.group("writing")
