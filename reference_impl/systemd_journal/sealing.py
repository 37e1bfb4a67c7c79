"""Forward secure sealing: keys, epochs and the bytes that seals cover (SDJ-070 to SDJ-077).

Upstream: systemd ``src/libsystemd/sd-journal/fsprg.c``, ``journal-authenticate.c``.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import mmap
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.layout import Header

SECURITY_PARAMETER = 1536
_KEY = re.compile(
    # Dashes may stand before each byte, but not inside one.
    "(?P<seed>(?:-*[0-9a-fA-F]{2}){12})/(?P<start>[0-9a-fA-F]{1,16})-(?P<interval>[0-9a-fA-F]{1,16})"
)
HEADER_RANGES = ((0, 16), (24, 56), (72, 96), (104, 136))  # SDJ-072


class BadKey(ValueError):
    """Raised if a text is not a verification key."""


@dataclass(frozen=True)
class VerificationKey:
    """The key that verifies seals."""

    #: The seed from which all epoch keys are derived.
    seed: bytes
    #: The start of epoch 0, in microseconds since 1970.
    start: int
    #: The length of an epoch, in microseconds.
    interval: int

    @classmethod
    def parse(cls, text: str) -> VerificationKey:
        """Parse ``c262bd-85187f-0b1b04-877cc5/1c7af8-35a4e900`` (SDJ-070).

        Raises :class:`BadKey`.
        """
        match = _KEY.fullmatch(text)
        if not match:
            raise BadKey("expected a key of 12 bytes, '/', start-interval, all hexadecimal")
        digits, interval = match["seed"].replace("-", ""), int(match["interval"], 16)
        if interval == 0:
            raise BadKey("expected a key with an interval above 0")
        return cls(bytes.fromhex(digits), int(match["start"], 16) * interval, interval)

    def epoch_of(self, realtime: int) -> int:
        """Return the epoch of a time in microseconds, which is negative before the start."""
        return (realtime - self.start) // self.interval

    @cached_property
    def _primes(self) -> tuple[int, int]:
        return _prime(self.seed, 1), _prime(self.seed, 2)

    def hmac_key(self, epoch: int) -> bytes:
        """Compute the 32-byte key of an epoch in time O(log ``epoch``) (SDJ-071)."""
        p, q = self._primes
        n = p * q
        x = int.from_bytes(_det(SECURITY_PARAMETER // 8, self.seed, 3), "big")
        x = pow(x & ~(1 << SECURITY_PARAMETER - 1), 2, n)
        # Compute x ** (2 ** epoch) mod n from the results mod p and mod q (Chinese remainder
        # theorem).
        xp = pow(x, pow(2, epoch, p - 1), p)
        xq = pow(x, pow(2, epoch, q - 1), q)
        x = (xp + p * ((xq - xp) * pow(p, -1, q) % q)) % n
        width = SECURITY_PARAMETER // 8
        state = n.to_bytes(width, "big") + x.to_bytes(width, "big") + epoch.to_bytes(8, "big")
        return _det(32, state, 0)


def covered_of_header(header: mmap.mmap | bytes) -> bytes:
    """Return the header bytes that a file's first seal covers (SDJ-072)."""
    return b"".join(header[start:end] for start, end in HEADER_RANGES)


def covered_of_object(object_type: int, data: bytes, header: Header) -> Iterator[bytes]:
    """Yield the bytes that a seal covers in one object without its padding (SDJ-072)."""
    yield data[:16]
    if object_type == layout.DATA:
        yield data[16:24]
        yield data[header.data_fixed :]
    elif object_type == layout.FIELD:
        yield data[16:24]
        yield data[40:]
    elif object_type == layout.ENTRY:
        yield data[16:]
    elif object_type == layout.TAG:
        yield data[16:32]


def seal(key: bytes) -> hmac.HMAC:
    """Start the HMAC-SHA256 for a segment."""
    return hmac.new(key, digestmod=hashlib.sha256)


def _det(size: int, seed: bytes, index: int) -> bytes:
    """Derive ``size`` bytes by hashing the seed and the index with a counter."""
    blocks = (
        hashlib.sha256(seed + index.to_bytes(4, "big") + counter.to_bytes(4, "big")).digest()
        for counter in range(-(-size // 32))
    )
    return b"".join(blocks)[:size]


_SMALL_FACTORS = math.prod(range(3, 200, 2))


@lru_cache  # The search takes 0.1 s and depends only on the key.
def _prime(seed: bytes, index: int) -> int:
    """Return the first prime found in steps of 4 from a number derived with SHA-256."""
    half = SECURITY_PARAMETER // 2
    candidate = int.from_bytes(_det(half // 8, seed, index), "big")
    candidate |= 3 << half - 2 | 3
    while math.gcd(candidate, _SMALL_FACTORS) > 1 or not _is_prime(candidate):
        candidate += 4
    return candidate


def _is_prime(candidate: int) -> bool:
    # All candidates are 3 modulo 4, so one step of the Miller-Rabin test is enough. Base 2 suffices
    # for these numbers.
    return pow(2, candidate // 2, candidate) in (1, candidate - 1)
