"""From the logs of a lake to units of work: what is carried over, how the rest is cut and packed.

A shard whose logs have all stayed as they were is carried over whole, as a link. Of the others
the rows that still hold are copied, and only logs that are new or have changed are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from walproof.audit.fingerprint import fingerprint
from walproof.audit.lake import THREADS, Found
from walproof.audit.state import Done, Known
from walproof.audit.unit import Kept, Piece, Unit
from walproof.lake.opening import in_parts
from walproof.lake.options import Options as SourceOptions
from walproof.lake.trees import is_local

MOST_BYTES = 128 << 20
"""Bytes of the logs in one unit, where they can be cut: seconds of work, which are repeated when
a task is lost."""
LEAST_BYTES = 1 << 20
OPEN_COST = 64 << 10
"""Opening a log costs as much as reading so many bytes."""
MOST_LOGS = 2_000
SMALL_SHARDS = 32
"""When more shards than this are smaller than a quarter of a unit, they are put together."""


@dataclass
class Plan:
    """What is to be done. ``pieces`` holds the keys of each log, in log order."""

    units: list[Unit] = field(default_factory=list)
    linked: list[Done] = field(default_factory=list)
    copied: dict[str, Done] = field(default_factory=dict)
    pieces: dict[str, list[str]] = field(default_factory=dict)
    bytes_to_read: int = 0
    logs_to_read: int = 0

    def is_nothing(self) -> bool:
        """Whether no log has to be read and no row copied."""
        return not self.units


def plan(
    lake: Sequence[Found],
    known: Known,
    slots: Callable[[], int],
    options: SourceOptions,
    most_bytes: int = MOST_BYTES,
) -> Plan:
    """Decide for every log, and pack what has to be done.

    ``slots`` tells how many tasks run at a time; it is asked only when there is work to do. Nothing
    is raised on account of a log.
    """
    made = Plan()
    with ThreadPoolExecutor(THREADS) as threads:
        prints = dict(zip((f.log for f in lake), threads.map(fingerprint, lake), strict=True))
    old: list[Done] = []
    changed: list[Found] = []
    for found in lake:
        if found.error is not None:
            made.pieces[found.log] = []
        elif (whole := known.whole(found.log, prints[found.log])) is not None:
            made.pieces[found.log] = [done.key for done in whole]
            old += whole
        else:
            changed.append(found)
    new: list[Piece] = []
    for found in changed:
        pieces = _cut(found, prints[found.log], most_bytes, options)
        made.pieces[found.log] = [piece.key for piece in pieces]
        for piece in pieces:
            if (done := known.by_key.get(piece.key)) is not None:
                old.append(done)
            else:
                new.append(piece)
    made.bytes_to_read = sum(piece.size for piece in new)
    made.logs_to_read = len({piece.log for piece in new})
    kept = _carry(made, old, known, most_bytes, bool(new))
    if new or kept:
        made.units = _pack(new, kept, _target(new, slots(), most_bytes))
    return made


def _target(new: Sequence[Piece], slots: int, most_bytes: int) -> int:
    """Bytes of a unit: small enough that all slots have work to the end, and the bar moves."""
    share = sum(piece.size + OPEN_COST for piece in new) // (slots * 8)
    return max(min(LEAST_BYTES, most_bytes), min(most_bytes, share))


def _cut(found: Found, print_: str | None, most_bytes: int, options: SourceOptions) -> list[Piece]:
    """A log as pieces: a large one in parts, where its format can be cut."""
    source = found.source
    if is_local(source.path):
        source = replace(source, files=())  # a task needs the names only to fetch them
    whole = Piece(found.log, source, print_, found.size)
    # The size of a part must not depend on the other logs: parts are known again by their place.
    if found.size <= most_bytes:
        return [whole]
    try:
        source, parts = in_parts(source, options, most_bytes)
    except Exception:
        return [whole]  # reading it will say what is wrong
    if len(parts) < 2:
        return [whole]
    size = found.size // len(parts)
    return [
        Piece(found.log, source, print_, size, part, number, len(parts))
        for number, part in enumerate(parts)
    ]


def _carry(
    made: Plan, old: Iterable[Done], known: Known, most_bytes: int, working: bool
) -> list[tuple[Kept, int]]:
    """Link the shards that hold nothing else; of the others say what is copied, and its size."""
    shards: dict[tuple[Path, str], list[Done]] = {}
    for done in old:
        shards.setdefault((done.result, done.shard), []).append(done)
    linked = {place for place, pieces in shards.items() if len(pieces) == known.in_shard[place]}
    small = {p for p in linked if sum(done.size for done in shards[p]) < most_bytes // 4}
    if working and len(small) > SMALL_SHARDS:
        linked -= small
    kept = []
    for (result, shard), pieces in shards.items():
        if (result, shard) in linked:
            made.linked += pieces
            continue
        made.copied.update((done.key, done) for done in pieces)
        keys = tuple(done.key for done in pieces)
        logs = tuple(done.log for done in pieces)
        size = sum(done.size for done in pieces)
        kept.append((Kept(str(result), shard, logs, keys), size // 4))
    return kept


def _pack(new: Iterable[Piece], kept: Iterable[tuple[Kept, int]], target: int) -> list[Unit]:
    """Units of about ``target`` bytes. A part of a log has one of its own: it stays whole."""
    open_cost = min(OPEN_COST, target // 64)
    units: list[Unit] = []
    pieces: list[Piece] = []
    carried: list[Kept] = []
    size = cost = 0

    def close() -> None:
        nonlocal pieces, carried, size, cost
        if pieces or carried:
            units.append(Unit(len(units), tuple(pieces), tuple(carried), size))
            pieces, carried, size, cost = [], [], 0, 0

    for each, of_each in kept:
        carried.append(each)
        cost += of_each + open_cost
        if cost >= target:
            close()
    for piece in new:
        if piece.count > 1 or cost + piece.size > target or len(pieces) == MOST_LOGS:
            close()
        pieces.append(piece)
        size += piece.size
        cost += piece.size + open_cost
        if piece.count > 1:
            close()
    close()
    return units
