"""What carvers look for, and what they give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

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
class Reading:
    """Verdict and reason; how many records; how many bytes are lost, and where the last are."""

    verdict: str
    reason: str | None
    records: int
    lost: int
    last_lost: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Find:
    """Bytes ``[at, end)`` of the image that belong to a log.

    ``suffix`` is how the name of its file ends. ``goes_on``: it begins where the find before it
    ends, and is the same log. ``said`` is what a reader says of it, where it was asked already.
    """

    at: int
    end: int
    kind: Kind
    certainty: Certainty
    suffix: str = ".log"
    goes_on: bool = False
    said: Reading | None = None


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
