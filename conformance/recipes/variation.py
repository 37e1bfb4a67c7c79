"""Change letters and digits in the payloads of a recipe by a seed, but never the length.

Every letter becomes another letter and every digit another digit. The recipe still builds the same
log with the same offsets. Equal parts stay equal, and different parts stay different. Letters that
belong to a format do not change.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from contextlib import contextmanager

_ALPHABETS = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
_OF_THE_FORMATS = (
    rb"WRITE BATCH|-qMa4|LPKSHHRH|RLOG|ITMZ"
    rb"|currentTerm|votedFor|peersUpdateRequest|peersIndex|peers"
)
_IN_TEXT = re.compile(rb"(" + _OF_THE_FORMATS + rb")|[0-9A-Za-z]+")
# In binary payloads, shorter runs are more often numbers and lengths than text.
_IN_BINARY = re.compile(rb"(" + _OF_THE_FORMATS + rb")|[0-9A-Za-z]{3,}")
_TEXT = re.compile(rb"[\n\x20-\x7e]*")
_HOLDS_A_BATCH = b"WRITE BATCH"


class Kept(bytes):
    """A payload whose bytes are the subject of a vector: no seed changes them."""


class Variation:
    """The change of payloads by one seed; ``attempt`` selects another change for the same seed."""

    def __init__(self, seed: int, attempt: int = 0) -> None:
        self.seed = seed
        chance = random.Random(f"{seed} {attempt}")
        self._table = bytearray(range(256))
        for alphabet in _ALPHABETS:
            order = list(alphabet.encode())
            chance.shuffle(order)
            # Each letter is replaced by the next letter in this order, so every letter changes.
            for letter, replacement in zip(order, order[1:] + order[:1], strict=True):
                self._table[letter] = replacement

    def of(self, payload: bytes) -> bytes:
        """Return a payload of the same length with other letters and digits."""
        if isinstance(payload, Kept) or _HOLDS_A_BATCH in payload:
            return payload  # an inner batch has its own checksum
        pattern = _IN_TEXT if _TEXT.fullmatch(payload) else _IN_BINARY
        return pattern.sub(self._replaced, payload)

    def _replaced(self, match: re.Match[bytes]) -> bytes:
        return match[0] if match[1] else match[0].translate(self._table)


_current: list[Variation] = []


@contextmanager
def varied_by(seed: int) -> Iterator[None]:
    """Make recipes in this block build the variants of a seed."""
    _current.append(Variation(seed))
    try:
        yield
    finally:
        _current.pop()


def current() -> Variation | None:
    """Return the current variation, None for the golden vectors."""
    return _current[-1] if _current else None


def vary(payload: bytes) -> bytes:
    """Return a payload as the current log must have it."""
    variation = current()
    return payload if variation is None else variation.of(payload)
