"""Seals: TAG objects, and the FSPRG keys of their epochs (SDJ-070 to SDJ-077)."""

from __future__ import annotations

import functools
import hashlib
import hmac
import math
import re
from dataclasses import dataclass

from .faults import SEALS, Fault, Found
from .walk import DATA, ENTRY, FIELD, TAG, TOO_LATE, Journal

_SMALL_PRIMES = [n for n in range(2, 1000) if all(n % d for d in range(2, math.isqrt(n) + 1))]
_HEX = "[0-9a-fA-F]"
_KEY = re.compile(f"((?:-*{_HEX}{{2}}){{12}})/({_HEX}{{1,16}})-({_HEX}{{1,16}})")
_FIRST_HEADER_BYTES = ((0, 16), (24, 56), (72, 96), (104, 136))


def _series(size: int, seed: bytes, index: int) -> bytes:
    """Return ``det(size, index)`` of SDJ-071."""
    data = b""
    while len(data) < size:
        counter = (len(data) // 32).to_bytes(4, "big")
        data += hashlib.sha256(seed + index.to_bytes(4, "big") + counter).digest()
    return data[:size]


def _is_prime(number: int) -> bool:
    """Run a Miller-Rabin test, which fewer than one in 2⁸⁰ composites of this size pass."""
    if any(number % prime == 0 for prime in _SMALL_PRIMES):
        return False
    # SDJ-071 sets the two lowest bits, so ``number - 1`` is twice an odd number.
    odd = (number - 1) >> 1
    return all(pow(base, odd, number) in (1, number - 1) for base in _SMALL_PRIMES[:40])


def _prime(seed: bytes, index: int) -> int:
    number = int.from_bytes(_series(96, seed, index), "big") | 3 << 766 | 3
    while not _is_prime(number):
        number += 4
    return number


@dataclass(frozen=True)
class Key:
    """A verification key: the start of the epochs, and the parameters of their keys."""

    p: int
    q: int
    x0: int
    start: int
    interval: int

    @staticmethod
    @functools.cache
    def parsed(text: str) -> Key:
        """Parse a key such as ``c262bd-85187f-0b1b04-877cc5/1c7af8-35a4e900`` (SDJ-070).

        Raises ``ValueError`` for any other text.
        """
        match = _KEY.fullmatch(text)
        if match is None or not int(match[3], 16):
            raise ValueError(f"{text!r} is not a verification key")
        seed = bytes.fromhex(match[1].replace("-", ""))
        p, q = _prime(seed, 1), _prime(seed, 2)
        x = int.from_bytes(_series(192, seed, 3), "big") & (1 << 1535) - 1
        return Key(p, q, x * x % (p * q), int(match[2], 16), int(match[3], 16))

    def of(self, epoch: int) -> bytes:
        """Return the key of an epoch."""
        n = self.p * self.q
        squarings = pow(2, epoch, (self.p - 1) * (self.q - 1))
        x = pow(self.x0, squarings, n)
        state = n.to_bytes(192, "big") + x.to_bytes(192, "big") + epoch.to_bytes(8, "big")
        return _series(32, state, 0)

    def covers(self, epoch: int, time: int) -> bool:
        """Return whether a time is within an epoch."""
        begin = (self.start + epoch) * self.interval
        return begin <= time < begin + self.interval


def check(journal: Journal, text: str | None) -> None:
    """Check all tags in file order. ``text`` is the verification key. Raises ``ValueError``."""
    has_tag = any(item.type == TAG for item in journal.objects.values())
    is_sealed = journal.header.is_sealed
    key = Key.parsed(text) if text is not None and (has_tag or is_sealed) else None
    number, epoch, covered = 0, None, []
    for item in journal.objects.values():
        covered.append(item)
        if is_sealed and item.type == ENTRY and not number:
            blame(journal, item.at, item.at + 16)
        if item.type != TAG:
            continue
        if not is_sealed:
            blame(journal, item.at, item.end)
            continue
        body, number = item.body, number + 1
        if body.seqnum != number:
            blame(journal, item.at + 16, item.at + 24)
        if epoch is not None and not follows(body.epoch, epoch, journal):
            blame(journal, item.at + 24, item.at + 32)
        if key is not None:
            verify(journal, key, covered, number == 1)
        epoch, covered = body.epoch, []


def blame(journal: Journal, start: int, stop: int) -> None:
    """Report a range with the code ``bad-seal``."""
    journal.blame(Fault(SEALS, "bad-seal", start, stop))


def follows(epoch: int, before: int, journal: Journal) -> bool:
    """Return whether an epoch may follow another (SDJ-074)."""
    is_continuous = bool(journal.header.compatible_flags & 4)
    return epoch >= before and (not is_continuous or epoch <= before + 1)


def verify(journal: Journal, key: Key, covered: list[Found], is_first: bool) -> None:
    """Check the seal of the last object over the whole list (SDJ-072, SDJ-074 to SDJ-076)."""
    tag = covered[-1]
    if tag.body.epoch >= TOO_LATE:
        return blame(journal, tag.at + 24, tag.at + 32)
    seal = hmac.new(key.of(tag.body.epoch), digestmod="sha256")
    if is_first:
        for start, stop in _FIRST_HEADER_BYTES:
            seal.update(journal.data[start:stop])
    for item in covered:
        seal.update(journal.data[item.at : item.at + 16])
        stored = journal.data[item.at + 16 : item.at + item.parsed.len_object]
        if item.type in (DATA, FIELD):
            seal.update(stored[:8] + item.body.payload)
        elif item.type == ENTRY:
            seal.update(stored)
        elif item.type == TAG:
            seal.update(stored[:16])
    if seal.digest() != tag.body.tag:
        return blame(journal, tag.at, tag.end)
    times = [item.body.realtime for item in covered if item.type == ENTRY]
    if not all(key.covers(tag.body.epoch, time) for time in times):
        blame(journal, tag.at + 24, tag.at + 32)
    return None
