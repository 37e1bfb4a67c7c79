"""The logs that both readers are given: old and new vectors, and fresh damage to them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.contents import Contents, digest, read_contents, size
from conformance.recipes.algebra import Damage
from conformance.vectors import BrokenVector

LARGEST = 256 * 1024
"""Bytes of a log above which the sweep damages, and grammars read, a sample only."""
SAMPLE = 12
"""The share of the sweep that is left for such logs: one in so many."""


@dataclass
class LogUnderReview:
    """One log. ``sides`` says whose it is: ``old``, ``new`` or both.

    ``control`` is the key of the log it was made from, None for an undamaged one. ``answers`` are
    those of both sides with profile recover, ``strict`` those with strict if there is one.
    """

    name: str
    format: str
    contents: Contents
    context: Mapping[str, Any]
    sides: set[str]
    damaged: bool
    origin: str
    control: str | None = None
    file_name: str = "log"
    aliases: set[str] = field(default_factory=set)
    answers: dict[str, Any] = field(default_factory=dict)
    strict: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What tells one log from another: its bytes and what the reader is told besides."""
        return digest(self.contents) + json.dumps(self.context, sort_keys=True)


def vector_bodies(root: Path, formats: Iterable[str] = ()) -> dict[str, dict[str, Any]]:
    """The vectors of a tree by id, each with the folder that it lies in under ``folder``."""
    wanted = set(formats)
    found = {}
    for path in sorted((root / "vectors").glob("*/*.json")):
        if wanted and path.parent.name not in wanted:
            continue
        try:
            body = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise BrokenVector(f"{path}: not JSON: {error}") from None
        found[str(body["id"])] = {**body, "folder": path.parent}
    return found


def logs_of(bodies: Mapping[str, Mapping[str, Any]], side: str) -> Iterator[LogUnderReview]:
    """The logs of the vectors of one side."""
    for id, body in bodies.items():
        input = Path(body["folder"]) / str(body["input"])
        if not input.exists():
            continue
        damaged = body.get("control") is not None or bool(body["made_by"].get("damage"))
        yield LogUnderReview(
            id, str(body["format"]), read_contents(input), body.get("context", {}), {side},
            damaged or body.get("kind") in ("corrupt", "eof"), "vector", body.get("control"),
            input.name,
        )  # fmt: skip


def merged(*sides: Iterable[LogUnderReview]) -> dict[str, LogUnderReview]:
    """Logs by key; a log that both sides have is there once."""
    found: dict[str, LogUnderReview] = {}
    for logs in sides:
        for log in logs:
            known = found.setdefault(log.key, log)
            known.sides |= log.sides
            known.aliases.add(log.name)
    return found


def sweep(bases: Sequence[LogUnderReview], count: int, seed: int) -> Iterator[LogUnderReview]:
    """``count`` damaged copies of undamaged logs, the same for the same seed.

    Aimed with the records that a reader found: at and around their edges, and into their headers.
    Logs above :data:`LARGEST` share one in :data:`SAMPLE` of the copies: reading them takes long.
    """
    chance = random.Random(seed)
    usable = [log for log in bases if 0 < size(log.contents) <= LARGEST]
    large = [log for log in bases if size(log.contents) > LARGEST]
    for number in range(count if usable or large else 0):
        sampled = large and (not usable or number % SAMPLE == SAMPLE - 1)
        base = large[number // SAMPLE % len(large)] if sampled else usable[number % len(usable)]
        damage = Damage(base.contents, base.format)
        file = chance.choice(sorted(name for name, data in damage.files.items() if data))
        edges = edges_of(base, file, len(damage.files[file]))
        chance.choice(_OPERATIONS)(damage, file, edges, chance)
        yield damaged_copy(base, damage)


def damaged_copy(base: LogUnderReview, damage: Damage) -> LogUnderReview:
    """What damage has made of a log, named after what was done to it."""
    return LogUnderReview(
        f"{base.name} · {'; '.join(damage.operations)}", base.format, damage.contents,
        base.context, set(base.sides), True, "sweep", base.key, base.file_name,
    )  # fmt: skip


def edges_of(log: LogUnderReview, file: str, length: int) -> list[int]:
    """Offsets at which records of a file begin and end, in the answer of the log's own side."""
    reply: dict[str, Any] = next(iter(log.answers.values()), {})
    records = reply.get("answer", {}).get("records", ())
    edges = {0, length}
    for record in records:
        if record.get("file", "") == file and "at" in record:
            edges |= {int(record["at"]), int(record["at"]) + int(record.get("size", 0))}
    return sorted(edge for edge in edges if edge <= length)


def _near(edges: Sequence[int], length: int, chance: random.Random) -> int:
    """An offset inside the file: in the first bytes after an edge, or anywhere."""
    if chance.random() < 0.7:
        return min(chance.choice(edges) + chance.randrange(24), length - 1)
    return chance.randrange(length)


def _flip(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    data = damage.files[file]
    at, bit = _near(edges, len(data), chance), chance.randrange(8)
    data[at] ^= 1 << bit
    damage.did(f"flip bit {bit} of byte {at}{_in(file)}")


def _overwrite(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    data = damage.files[file]
    at, count = _near(edges, len(data), chance), chance.choice((1, 2, 4, 8, 16))
    byte = chance.choice((0, 0, 0xFF, chance.randrange(256)))
    end = min(at + count, len(data))
    data[at:end] = bytes([byte]) * (end - at)
    damage.did(f"fill [{at}, {end}) with {byte:02x}{_in(file)}")


def _truncate(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    damage.truncate(_near(edges, len(damage.files[file]), chance), file)


def _zero_sector(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    damage.zero_sector(chance.randrange((len(damage.files[file]) + 511) // 512), 512, file)


def _extend(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    count = chance.choice((1, 6, 7, 64, 4096))
    if chance.random() < 0.5:
        damage.extend(bytes(count), f"{count} zeros", file)
    else:
        damage.extend(chance.randbytes(count), f"{count} bytes of garbage", file)


def _insert(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    damage.insert(chance.choice(edges), chance.randbytes(chance.choice((1, 4, 12))), None, file)


def _drop(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    """A whole record vanishes, or a part of the log where none was found."""
    start = chance.randrange(len(edges) - 1)
    a, b = edges[start], edges[start + 1]
    del damage.files[file][a:b]
    damage.did(f"drop [{a}, {b}){_in(file)}")


def _repeat(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    start = chance.randrange(len(edges) - 1)
    a, b = edges[start], edges[start + 1]
    damage.files[file][b:b] = damage.files[file][a:b]
    damage.did(f"duplicate [{a}, {b}){_in(file)}")


_OPERATIONS = (
    _flip, _flip, _flip, _overwrite, _overwrite, _truncate, _truncate, _zero_sector, _extend,
    _insert, _drop, _repeat,
)  # fmt: skip


def _in(file: str) -> str:
    return f" in {file}" if file else ""
