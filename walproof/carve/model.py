"""What carvers look for, and what they give."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # an image gives windows
    from walproof.carve.image import Image

Certainty = Literal["checksum", "structure", "signature"]
"""How sure a find is. ``checksum``: at least one checksum over it holds. ``structure``: lengths,
counts and links agree, in a format, or a part of one, without checksums. ``signature``: fixed bytes
are there, and what should follow them is not."""

Kind = Literal["log", "loose"]
"""A ``log`` can be read as a file from its first byte on; ``loose`` has lost its start."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Up to sixteen fixed bytes; those under a zero of the mask may be anything.

    Some of them are fixed in all bits. If there are ``peeks``, one of the bytes so far after its
    start is ``among`` some. What is found is the offset ``back`` bytes before the pattern.
    """

    value: bytes
    mask: bytes = b""
    back: int = 0
    peeks: tuple[int, ...] = ()
    among: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Find:
    """Bytes ``[at, end)`` of the image that belong to a log.

    ``suffix`` is how the name of its file ends. ``goes_on``: it begins where the find before it
    ends, and is the same log.
    """

    at: int
    end: int
    kind: Kind
    certainty: Certainty
    suffix: str = ".log"
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class Loose:
    """One record of what is loose. ``at`` is an offset in the image, ``size`` in bytes there."""

    at: int
    size: int
    payload: bytes
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Window:
    """Bytes of an image: ``data[0]`` is at ``base``; ``size`` bytes are filled.

    What begins before ``stop`` (an offset in the image) is for this window; the rest is there to
    look ahead. At least 80 zeros follow the filled bytes.
    """

    base: int
    stop: int
    size: int
    data: NDArray[np.uint8]


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
