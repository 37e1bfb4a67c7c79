"""What the carvers of all formats have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from walproof.carve.image import Image
from walproof.carve.model import Find, Loose, Pattern, Window


class Carver(ABC):
    """Finds logs of one format. It is given the windows of an image in order.

    Where a hit tells by itself what begins there, :meth:`find` and :meth:`records` are all there is
    to write. A format without fixed bytes has its own :meth:`window`.
    """

    patterns: Sequence[Pattern] = ()
    """What is looked for on its behalf."""
    head_size = 0
    """How many bytes of a record tell how long it is; 0 if nothing proves what continues what."""

    def __init__(self, image: Image, align: int) -> None:
        self.image = image
        self.align = align
        self._done = 0

    def window(self, window: Window, hits: Sequence[tuple[int, int]]) -> Iterator[Find]:
        """Finds that are complete. ``hits``: offset and number of the pattern, in order."""
        for at, pattern in hits:
            if at >= self._done and (found := self.find(at, pattern)) is not None:
                self._done = found.end
                yield found

    def find(self, at: int, pattern: int) -> Find | None:
        """What begins at a hit, up to its end; hits inside it are passed over."""
        return None

    def finish(self) -> Iterator[Find]:
        """What is left when the last window is through, or when bytes were left out."""
        return iter(())

    def pending(self) -> int | None:
        """Where the first find begins that is not complete: a resumed run goes back to it."""
        return None

    @abstractmethod
    def records(self, at: int, end: int) -> Iterator[Loose]:
        """The records of a loose find, in order."""

    def claims(self, head: bytes, position: int) -> int | None:
        """How long the record claims to be that begins with these bytes, ``position`` in its log.

        None if no record begins so.
        """
        return None

    def holds(self, record: bytes) -> bool:
        """Whether the checksum of these bytes, which were put together, holds."""
        return False

    def is_of(self, log: int, at: int, end: int) -> bool:
        """Whether what is loose in ``[at, end)`` was made with the key of the log at ``log``."""
        return False
