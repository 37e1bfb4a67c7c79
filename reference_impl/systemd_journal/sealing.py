"""Forward secure sealing: keys, epochs, and what a seal covers (SDJ-070 to SDJ-077).

Upstream: systemd ``src/libsystemd/sd-journal/fsprg.c``, ``journal-authenticate.c``.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.layout import Header

SECURITY_PARAMETER = 1536
HEADER_RANGES = ((0, 16), (24, 56), (72, 96), (104, 136))  # SDJ-072


class BadKey(ValueError):
    """The text is not a verification key."""


@dataclass(frozen=True)
class VerificationKey:
    """The key that verifies seals: the seed of the keys of all epochs, and when epochs begin.

    ``start`` and ``interval`` are in microseconds; epoch ``n`` is ``[start + n·interval, …)``.
    """

    seed: bytes
    start: int
    interval: int

    @classmethod
    def parse(cls, text: str) -> VerificationKey:
        """Read ``c262bd-85187f-0b1b04-877cc5/1c7af8-35a4e900`` (SDJ-070)."""
        seed, slash, times = text.strip().partition("/")
        digits = seed.replace("-", "")
        match = re.fullmatch(r"([0-9a-fA-F]{1,16})-([0-9a-fA-F]{1,16})", times)
        # Dashes may separate bytes, but not split one.
        if not slash or not match or not re.fullmatch(r"(-?[0-9a-fA-F]{2}){12}-?", seed):
            raise BadKey("expected 12 bytes in hexadecimal, '/', start-interval in hexadecimal")
        interval = int(match[2], 16)
        if interval == 0:
            raise BadKey("an interval of zero")
        return cls(bytes.fromhex(digits), int(match[1], 16) * interval, interval)

    def epoch_of(self, realtime: int) -> int:
        """The epoch that a time in microseconds belongs to; below 0 before the start."""
        return (realtime - self.start) // self.interval

    @cached_property
    def _primes(self) -> tuple[int, int]:
        return _prime(self.seed, 1), _prime(self.seed, 2)

    def hmac_key(self, epoch: int) -> bytes:
        """The key of an epoch, 32 bytes, in time logarithmic in the epoch (SDJ-071)."""
        p, q = self._primes
        n = p * q
        x = int.from_bytes(_det(SECURITY_PARAMETER // 8, self.seed, 3), "big")
        x = pow(x & ~(1 << SECURITY_PARAMETER - 1), 2, n)
        # x ** (2 ** epoch) mod n: the exponent is reduced modulo p-1 and q-1, then joined (CRT).
        xp = pow(x, pow(2, epoch, p - 1), p)
        xq = pow(x, pow(2, epoch, q - 1), q)
        x = (xp + p * ((xq - xp) * pow(p, -1, q) % q)) % n
        width = SECURITY_PARAMETER // 8
        state = n.to_bytes(width, "big") + x.to_bytes(width, "big") + epoch.to_bytes(8, "big")
        return _det(32, state, 0)


def covered_of_header(header: bytes) -> bytes:
    """The header bytes that the first seal of a file covers (SDJ-072)."""
    return b"".join(header[start:end] for start, end in HEADER_RANGES)


def covered_of_object(kind: int, data: bytes, header: Header) -> Iterator[bytes]:
    """What a seal covers of one object, given as its unpadded bytes (SDJ-072)."""
    yield data[:16]
    if kind == layout.DATA:
        yield data[16:24]
        yield data[header.data_fixed :]
    elif kind == layout.FIELD:
        yield data[16:24]
        yield data[40:]
    elif kind == layout.ENTRY:
        yield data[16:]
    elif kind == layout.TAG:
        yield data[16:32]


def seal(key: bytes) -> hmac.HMAC:
    """A fresh HMAC-SHA256 for one segment."""
    return hmac.new(key, digestmod=hashlib.sha256)


def _det(size: int, seed: bytes, index: int) -> bytes:
    """Deterministic bytes: SHA-256 of seed, index and a counter, joined and cut."""
    blocks = (
        hashlib.sha256(seed + index.to_bytes(4, "big") + counter.to_bytes(4, "big")).digest()
        for counter in range(-(-size // 32))
    )
    return b"".join(blocks)[:size]


@lru_cache(maxsize=16)  # takes a tenth of a second, and is the same for all files under one key
def _prime(seed: bytes, index: int) -> int:
    half = SECURITY_PARAMETER // 2
    candidate = int.from_bytes(_det(half // 8, seed, index), "big")
    candidate |= 3 << half - 2 | 3
    while not _probably_prime(candidate):
        candidate += 4
    return candidate


_SMALL_PRIMES = [n for n in range(3, 2000, 2) if all(n % d for d in range(3, int(n**0.5) + 1, 2))]


def _probably_prime(number: int) -> bool:
    """Trial division, then Miller-Rabin to the first 20 prime bases."""
    if any(number % prime == 0 for prime in _SMALL_PRIMES):
        return False
    odd, shift = number - 1, 0
    while odd % 2 == 0:
        odd, shift = odd // 2, shift + 1
    for base in (2, *_SMALL_PRIMES[:19]):
        x = pow(base, odd, number)
        if x in (1, number - 1):
            continue
        for _ in range(shift - 1):
            x = x * x % number
            if x == number - 1:
                break
        else:
            return False
    return True
