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
    """A pattern of up to sixteen bytes, in which bits that are zero in the mask are ignored.

    At least one byte has no ignored bits. If there are ``peeks``, one of the bytes at these offsets
    after the start must be in ``among``. A hit is reported ``back`` bytes before the pattern.
    """

    value: bytes
    mask: bytes = b""
    back: int = 0
    peeks: tuple[int, ...] = ()
    among: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Reading:
    """Verdict, reason, number of records, number of lost bytes, and the last lost range."""

    verdict: str
    reason: str | None
    records: int
    lost: int
    last_lost: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Find:
    """Bytes ``[at, end)`` of the image that belong to a log.

    ``suffix`` is the file extension. If ``goes_on`` is true, the find begins at the end of the
    previous find and continues the same log. ``reading`` is the result of a reader, if it has
    already read the find.
    """

    at: int
    end: int
    kind: Kind
    certainty: Certainty
    suffix: str = ".log"
    goes_on: bool = False
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
    """A window of an image. ``data[0]`` is at offset ``base``, and ``size`` bytes are filled.

    Finds that begin before ``stop`` (an offset in the image) belong to this window. The bytes after
    it are lookahead. At least 80 zeros follow the filled bytes.
    """

    base: int
    stop: int
    size: int
    data: NDArray[np.uint8]
