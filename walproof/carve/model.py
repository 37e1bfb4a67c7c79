"""Patterns that carvers search for, and finds that they return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

#: Certainty of a find. ``checksum``: at least one checksum in it is correct. ``structure``:
#: lengths, counts and links agree, where the format has no checksums. ``signature``: the fixed
#: bytes are present, but not the structure that should follow.
Certainty = Literal["checksum", "structure", "signature"]

#: A ``log`` can be read as a file from its first byte; the start of ``loose`` records is missing.
Kind = Literal["log", "loose"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of up to sixteen bytes, in which bits that are zero in the mask are ignored."""

    value: bytes
    #: Mask with at least one byte 0xff, or empty for a pattern without ignored bits.
    mask: bytes = b""
    #: Number of bytes before the pattern at which a hit is reported.
    back: int = 0
    #: Offsets from the start of the pattern. The byte at one of these offsets must be in ``among``.
    peeks: tuple[int, ...] = ()
    among: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a find, with the numbers of records and lost bytes."""

    verdict: str
    reason: str | None
    records: int
    lost: int
    last_lost: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Find:
    """Bytes ``[at, end)`` of the image that belong to a log."""

    at: int
    end: int
    kind: Kind
    certainty: Certainty
    #: File extension.
    suffix: str = ".log"
    #: True if the find continues the log of the previous find.
    goes_on: bool = False
    #: Result of a reader that has already read the find.
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class Loose:
    """A loose record: offset and size in the image in bytes, payload, and fields."""

    at: int
    size: int
    payload: bytes
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Window:
    """A part of an image that the carvers search at a time."""

    #: Offset of the window in the image.
    base: int
    #: Offset of the lookahead in the image. A find that begins there belongs to the next window.
    stop: int
    #: Number of filled bytes. At least 80 zeros follow them.
    size: int
    data: NDArray[np.uint8]
