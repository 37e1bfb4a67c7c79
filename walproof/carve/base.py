"""The common base of all carvers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from walproof.carve.image import Image
from walproof.carve.model import Find, Loose, Pattern, Window


class Carver(ABC):
    """A search for the logs of one format in an image, window by window.

    The carver of a format without fixed bytes overrides :meth:`window`.
    """

    patterns: Sequence[Pattern] = ()
    #: Number of bytes of a record that contain its length; 0 if continuations cannot be proven.
    head_size = 0

    def __init__(self, image: Image, align: int) -> None:
        self.image = image
        self.align = align
        self._done = 0

    def window(self, window: Window, hits: Sequence[tuple[int, int]]) -> Iterator[Find]:
        """Yield complete finds. Each of the sorted ``hits`` is an offset and a pattern number."""
        for at, pattern in hits:
            if at >= self._done and (find := self.find(at, pattern)) is not None:
                self._done = find.end
                yield find

    def find(self, at: int, pattern: int) -> Find | None:
        """Return the find that begins at a hit, or None; hits inside the find are skipped."""
        return None

    def finish(self) -> Iterator[Find]:
        """Yield the remaining finds after the last window."""
        return iter(())

    def pending(self) -> int | None:
        """Return the offset of the first incomplete find, where a resumed run starts, or None."""
        return None

    @abstractmethod
    def records(self, at: int, end: int) -> Iterator[Loose]:
        """Yield the records of a loose find, in order."""

    def claims(self, head: bytes, position: int) -> int | None:
        """Return the length of the record that begins with these bytes; None if there is none.

        ``position`` is the offset of the record in its log.
        """
        return None

    def holds(self, record: bytes) -> bool:
        """Return whether the checksum of a reassembled record is correct."""
        return False

    def is_of(self, log: int, at: int, end: int) -> bool:
        """Return whether loose records have the key of the log at offset ``log``."""
        return False
