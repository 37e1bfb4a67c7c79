"""Systemd journal files and damage to them, for the tests of the bulk scanner."""

from __future__ import annotations

import random

from conformance.recipes.systemd_journal.log import KEY, SEALED_START
from tests.reference_impl.systemd_journal.journal_files import journal_bytes

LONG = [b"MESSAGE=" + b"x" * 700, b"BLOB=\x00\xff\n" + b"y" * 5000, "UNIT=ünïcode \ufdd0".encode()]


def hello(count: int) -> list[list[bytes]]:
    return [
        [b"MESSAGE=hello %d" % n, b"PRIORITY=%d" % (n % 3), b"A=", b"A=%d" % (n % 2)]
        for n in range(count)
    ]


def originals() -> list[bytes]:
    """Return small files of every layout, hash, compression and state."""
    results = [
        journal_bytes(*hello(8)),
        journal_bytes(*hello(6), LONG, compact=True, keyed=True, compression="zstd"),
        journal_bytes(*hello(6), LONG, LONG[:1], compression="lz4", keyed=True),
        journal_bytes(*hello(6), LONG, compression="xz"),
        journal_bytes(*hello(8), header_size=272, state=1, spare=512),
        journal_bytes(*hello(40), header_size=272, compact=True, keyed=True, state=1),
        journal_bytes(*hello(8), header_size=208, compact=True, state=2),
        journal_bytes(*hello(6), first=SEALED_START, step=6_000_000, key=KEY, continuous=False),
        journal_bytes(
            *hello(3), first=SEALED_START, step=6_000_000, key=KEY, header_size=272, compact=True
        ),
    ]
    return results


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Apply one to three faults of any type."""
    out = bytearray(data)
    used = max(300, int.from_bytes(data[136:144], "little") + 64)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        size = min(len(out), used)
        if size < 280:
            break
        at = chance.randrange(size)
        what = chance.randrange(12)
        if what < 3:
            out[at] ^= 1 << chance.randrange(8)
        elif what < 6:  # a link, a size or a count that lies
            at &= ~7
            other = chance.randrange(size) & ~7
            stored = int.from_bytes(out[other : other + 8], "little")
            value = chance.choice((other, stored, 1 << chance.randrange(64), 0, at, 2**64 - 1))
            out[at : at + 8] = value.to_bytes(8, "little")
        elif what == 6:
            width = chance.choice((4, 16, 64, 512))
            start = at & ~(width - 1)
            out[start : start + width] = bytes(len(out[start : start + width]))
        elif what == 7:
            del out[at:]
        elif what == 8:  # an older or a misdirected write
            width = chance.choice((16, 64, 128, 512))
            start, other = at & ~7, chance.randrange(size) & ~7
            piece = out[other : other + width]
            out[start : start + len(piece)] = piece
        elif what == 9:
            out[chance.choice((8, 12, 16, 88))] ^= 1 << chance.randrange(6)
        elif what == 10:
            place = chance.randrange(12, 34) * 8
            value = int.from_bytes(out[place : place + 8], "little") + chance.choice((-1, 1, 8, -8))
            out[place : place + 8] = (value % 2**64).to_bytes(8, "little")
        else:
            out[16] = 1  # online: what is wrong at the end is a crash's
    return bytes(out)
