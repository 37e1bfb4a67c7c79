"""Many damaged copies of a log, from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from conformance.contents import Contents, digest, size
from conformance.kaitai.field_map import Field
from reference_impl.answer import collect
from walproof.damage.log import LogToDamage
from walproof.damage.words import BadWords, damage

SECTORS = (512, 4096)
ATTEMPTS = 50
"""Operations that are tried for one copy: some change nothing, or do not fit."""


def family(
    make: Callable[[], LogToDamage], count: int, seed: int
) -> Iterator[tuple[list[str], Contents]]:
    """``count`` times what was done and the damaged log, each different from all others.

    One operation each, of every kind in turn. There are fewer if the log is too small for as many.
    """
    chance = random.Random(seed)
    seen = {digest(make().contents)}
    kinds = list(_KINDS)
    for number in range(count):
        for attempt in range(ATTEMPTS):
            log = make()
            words = kinds[(number + attempt) % len(kinds)](chance, log)
            if words is None:
                continue
            try:
                damage(log, words)
            except BadWords:
                continue
            mark = digest(log.contents)
            if mark not in seen:
                seen.add(mark)
                yield log.operations, log.contents
                break
        else:
            return


def _leaf(chance: random.Random, log: LogToDamage) -> tuple[str, Field] | None:
    """A field without fields of its own: all names alike, however often they occur."""
    file = chance.choice(sorted(log.files))
    fields = log.fields_of(file)
    outer = {field.path.rpartition(".")[0] for field in fields}
    leaves = [f for f in fields if f.end > f.start and f.path not in outer and f.value is not None]
    if not leaves:
        return None
    by_name: dict[str, list[Field]] = {}
    for leaf in leaves:
        by_name.setdefault(leaf.path.rpartition(".")[2].partition("[")[0], []).append(leaf)
    leaf = chance.choice(by_name[chance.choice(sorted(by_name))])
    return f"{file}:{leaf.path}" if file else leaf.path, leaf


def _flip(chance: random.Random, log: LogToDamage) -> str | None:
    if (found := _leaf(chance, log)) is None:
        file, at = _place(chance, log)
        return f"flip bit {chance.randrange(8)} of byte {at}{file}" if at is not None else None
    path, leaf = found
    return f"flip bit {chance.randrange(8 * (leaf.end - leaf.start))} of {path}"


def _set(chance: random.Random, log: LogToDamage) -> str | None:
    if (found := _leaf(chance, log)) is None or not isinstance(found[1].value, int):
        return None
    path, leaf = found
    most = (1 << 8 * (leaf.end - leaf.start)) - 1
    values = (0, 1, most, most >> 1, (leaf.value + 1) % (most + 1), (leaf.value - 1) % (most + 1))  # type: ignore[operator]
    return f"set {path} to {chance.choice(values)}"


def _zero(chance: random.Random, log: LogToDamage) -> str | None:
    found = _leaf(chance, log)
    return f"zero {found[0]}" if found else None


def _truncate(chance: random.Random, log: LogToDamage) -> str | None:
    file, at = _place(chance, log)
    return f"truncate at {at}{file}" if at is not None else None


def _zero_sector(chance: random.Random, log: LogToDamage) -> str | None:
    file, at = _place(chance, log)
    sector = chance.choice(SECTORS)
    return f"zero sector {at // sector} of {sector} bytes{file}" if at is not None else None


def _torn(chance: random.Random, log: LogToDamage) -> str | None:
    file, at = _place(chance, log)
    if at is None:
        return None
    return f"torn at the last boundary of {chance.choice(SECTORS)} bytes{file}"


def _swap_sectors(chance: random.Random, log: LogToDamage) -> str | None:
    file, at = _place(chance, log)
    whole = len(log.files[file.removeprefix(" in ")]) // 512
    if at is None or whole < 2:
        return None
    one, other = chance.sample(range(whole), 2)
    return f"swap sectors {one} and {other} of 512 bytes{file}"


def _unit(chance: random.Random, log: LogToDamage, verb: str) -> str | None:
    file = chance.choice(sorted(log.files))
    units = [f.path for f in log.fields_of(file) if f.path.endswith("]") and f.end > f.start]
    if not units:
        return None
    path = chance.choice(units)
    return f"{verb} {file}:{path}" if file else f"{verb} {path}"


def _duplicate(chance: random.Random, log: LogToDamage) -> str | None:
    return _unit(chance, log, "duplicate")


def _drop(chance: random.Random, log: LogToDamage) -> str | None:
    return _unit(chance, log, "drop")


def _extend(chance: random.Random, log: LogToDamage) -> str | None:
    file = chance.choice(sorted(log.files))
    new = chance.randbytes(chance.randrange(1, 65)).hex()
    return f"extend by {new}{f' in {file}' if file else ''}"


def _remove(chance: random.Random, log: LogToDamage) -> str | None:
    names = sorted(name for name in log.files if name)
    return f"remove {chance.choice(names)}" if len(names) > 1 else None


def _place(chance: random.Random, log: LogToDamage) -> tuple[str, int | None]:
    """A file as operations name it, and an offset in it; None where it has no bytes."""
    file = chance.choice(sorted(log.files))
    data = log.files[file]
    return f" in {file}" if file else "", chance.randrange(len(data)) if data else None


_KINDS = (
    _flip, _set, _truncate, _zero, _flip, _zero_sector, _torn, _swap_sectors, _duplicate, _drop,
    _extend, _remove,
)  # fmt: skip


def entry(name: str, words: list[str], contents: Contents, said: Any) -> dict[str, Any]:
    """What the manifest says of one copy; ``said`` are the events of the executable specification,
    or None for a log of a foreign grammar."""
    about: dict[str, Any] = {
        "name": name,
        "damage": words,
        "size": size(contents),
        "sha256": digest(contents),
    }
    if said is not None:
        answer = collect(said)
        about |= {
            "verdict": answer.verdict,
            "reason": answer.reason,
            "records": len(answer.records),
            "lost": [gap.to_json() for gap in answer.lost],
        }
    return about
