"""Families that move, repeat or replace: duplicate, drop, splice, insert, stale, extend."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

from conformance.kaitai.field_map import Field
from walproof.sweep.fields import generic
from walproof.sweep.operations import Listed

SPLICES = 40
"""Pairs of like fields that are spliced, at most, for each kind of field."""

BOUNDARIES = 512
"""Places of one file where bytes are inserted and older bytes begin, at most."""


def duplicate_and_drop(duplicate: Listed, drop: Listed) -> None:
    """Whole fields written twice, or missing."""
    for field in duplicate.fields.all:
        path, name = duplicate.named(field.path), generic(field.path)
        copy = duplicate.data[field.start : field.end]
        duplicate.add(
            ((field.end, field.end, copy),),
            lambda damage, path=path: damage.duplicate(path),  # type: ignore[misc]
            name,
        )
        drop.add(
            ((field.start, field.end, b""),),
            lambda damage, path=path: damage.drop(path),  # type: ignore[misc]
            name,
        )


def splice(family: Listed) -> None:
    """One field over another of its kind: neighbours, and the first and the last."""
    kinds: defaultdict[str, list[Field]] = defaultdict(list)
    for field in family.fields.all:
        kinds[generic(field.path)].append(field)
    for name, fields in kinds.items():
        pairs = [(0, len(fields) - 1), (len(fields) - 1, 0)]
        for n in range(len(fields) - 1):
            pairs += [(n, n + 1), (n + 1, n)]
        for one, other in dict.fromkeys(pairs[:SPLICES]):
            target, source = fields[one], fields[other]
            new = family.data[source.start : source.end]
            path, what = family.named(target.path), family.named(source.path)
            family.add(
                ((target.start, target.end, new),),
                lambda damage, p=path, new=new, w=what: damage.splice(p, new, w),  # type: ignore[misc]
                name,
            )


def insert(family: Listed, seed: str) -> None:
    """Bytes in front of fields; what follows moves up."""
    garbage = random.Random(seed).randbytes(13)
    news = [b"\0", b"\xff", bytes(7), garbage[:4], garbage]
    file = family.file
    for at in boundaries(family):
        for new in news:
            family.add(
                ((at, at, new),),
                lambda damage, at=at, new=new: damage.insert(at, new, None, file),  # type: ignore[misc]
                family.fields.name_at(at),
            )


def stale(family: Listed, older: Sequence[tuple[str, bytes]], sizes: Sequence[int]) -> None:
    """Sectors of an older generation of the file, and its bytes from some place on."""
    size, file = len(family.data), family.file
    for _, bytes_then in older:
        ranges = [
            (n * sector, min((n + 1) * sector, size))
            for sector in sizes
            for n in range(-(-size // sector))
        ]
        tails = [(at, size) for at in boundaries(family)]
        for lo, hi in dict.fromkeys(ranges + tails):
            if len(bytes_then) <= lo:
                continue
            family.add(
                ((lo, hi, bytes_then[lo:hi]),),
                lambda damage, lo=lo, hi=hi, then=bytes_then: damage.stale(lo, hi, then, file),  # type: ignore[misc]
                family.fields.name_at(lo),
            )


def extend(family: Listed, seed: str) -> None:
    """Preallocated space, a torn write of garbage."""
    garbage = random.Random(seed).randbytes(64)
    news = [(bytes(n), f"{n} zeros") for n in (*range(1, 17), 512, 4096)]
    news += [(b"\xff" * n, f"{n} times ff") for n in (*range(1, 9), 512)]
    news += [(garbage[:n], f"garbage of {n} bytes") for n in range(1, 65)]
    append(family, news)


def extend_by_logs(family: Listed, older: Sequence[tuple[str, bytes]]) -> None:
    """Another log after the end, or the same one once more."""
    news = [(family.data, "a copy of itself")]
    append(family, news + [(data, f"the bytes of {name}") for name, data in older])


def append(family: Listed, news: Sequence[tuple[bytes, str]]) -> None:
    """Enter an extension for each of these bytes, with what they are."""
    file = family.file
    for new, what in news:
        family.add(
            ((-1, -1, new),),
            lambda damage, new=new, what=what: damage.extend(new, what, file),  # type: ignore[misc]
            "the end",
        )


def boundaries(family: Listed) -> list[int]:
    """Where fields begin; of a file with very many, some evenly."""
    found = sorted({0, *(field.start for field in family.fields.all), family.fields.size})
    step = -(-len(found) // BOUNDARIES)
    return found[::step]
