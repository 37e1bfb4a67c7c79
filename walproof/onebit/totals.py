"""Stretches added up: by log and by field, as the chapter has them, and each flip as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from conformance import unseen
from conformance.unseen import SearchedLog
from reference_impl.register import registers
from walproof.onebit.logs import Searched, fingerprint
from walproof.onebit.search import Stretch


def totals(
    format: str, at_most: int, logs: Sequence[Searched], stretches: Sequence[Stretch]
) -> unseen.Searched:
    """What a search of these logs found."""
    tried: Counter[str] = Counter()
    flips: Counter[str] = Counter()
    hits: dict[str, Counter[unseen.Hit]] = {log.id: Counter() for log in logs}
    for stretch in stretches:
        tried.update(stretch.tried)
        flips[stretch.log] += stretch.tried.total()
        hits[stretch.log].update((one.field, one.effect) for one in stretch.unseen)
    found = {
        log.id: SearchedLog(log.id, fingerprint(log), log.bits, flips[log.id], dict(hits[log.id]))
        for log in logs
    }
    return unseen.Searched(format, at_most, dict(tried), found)


def to_json(found: unseen.Searched, stretches: Sequence[Stretch]) -> dict[str, Any]:
    """The search as ``--json`` prints it: totals by field, then each flip that nothing told."""
    register = registers()[found.format]
    return {
        "format": found.format,
        "at_most": found.at_most,
        "logs": {
            log.id: {"bits": log.bits, "flips": log.flips, "unseen": sum(log.unseen.values())}
            for log in found.logs.values()
        },
        "fields": [
            {
                "field": row.field,
                "flipped": row.tried,
                "unseen": dict(row.counts),
                "beside": list(row.beside),
                "why": [register.unseen[number - 1].why for number in row.why],
            }
            for row in unseen.rows(found, register.unseen)
        ],
        "flips": [_flip(stretch.log, one) for stretch in stretches for one in stretch.unseen],
        "problems": problems(found),
    }


def _flip(log: str, one: Any) -> dict[str, Any]:
    place: Mapping[str, Any] = {"file": one.flip.file} if one.flip.file else {}
    where = {"at": one.flip.at, "bit": one.flip.bit}
    return {"log": log, **place, **where, "field": one.path, "effect": one.effect}


def problems(found: unseen.Searched) -> list[str]:
    """What nothing in the register explains: a rule is missing, or a sentence."""
    entries = registers()[found.format].unseen
    return [
        f"nothing explains what {count:,} flips of {field} do: {effect}"
        for (field, effect), count in sorted(found.unseen.items())
        if not unseen.explained_by((field, effect), entries)
    ]
