"""Report a search for flips: totals by field on the terminal, and every flip as JSON."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from conformance import undetected_flips
from conformance.text import one_line
from conformance.undetected_flips import SearchedLog
from reference_impl.register import registers
from walproof.quantity import counted
from walproof.sweep.fields import brief
from walproof.sweep.flips import FlippedLog, Stretch, flip_fingerprint


def totals(
    format: str, at_most: int, logs: Sequence[FlippedLog], stretches: Sequence[Stretch]
) -> undetected_flips.Searched:
    """Return the totals of a search of these logs."""
    tried: Counter[str] = Counter()
    flips: Counter[str] = Counter()
    hits: dict[str, Counter[undetected_flips.Hit]] = {log.id: Counter() for log in logs}
    for stretch in stretches:
        tried.update(stretch.tried)
        flips[stretch.log] += stretch.tried.total()
        hits[stretch.log].update((flip.field, flip.effect) for flip in stretch.undetected)
    searched = {
        log.id: SearchedLog(
            log.id, flip_fingerprint(log), log.bits, flips[log.id], dict(hits[log.id])
        )
        for log in logs
    }
    return undetected_flips.Searched(format, at_most, dict(tried), searched)


def to_json(searched: undetected_flips.Searched, stretches: Sequence[Stretch]) -> dict[str, Any]:
    """Return the output of ``--json``: totals by field, then each undetected flip."""
    register = registers()[searched.format]
    return {
        "format": searched.format,
        "at_most": searched.at_most,
        "logs": {
            log.id: {"bits": log.bits, "flips": log.flips, "unseen": sum(log.unseen.values())}
            for log in searched.logs.values()
        },
        "fields": [
            {
                "field": row.field,
                "flipped": row.tried,
                "unseen": dict(row.counts),
                "beside": list(row.other_fields),
                "why": [register.unseen[number - 1].why for number in row.why],
            }
            for row in undetected_flips.rows(searched, register.unseen)
        ],
        "flips": [_flip(stretch.log, flip) for stretch in stretches for flip in stretch.undetected],
        "problems": problems(searched),
    }


def _flip(log: str, flip: Any) -> dict[str, Any]:
    file: Mapping[str, Any] = {"file": flip.flip.file} if flip.flip.file else {}
    position = {"at": flip.flip.at, "bit": flip.flip.bit}
    return {"log": log, **file, **position, "field": flip.path, "effect": flip.effect}


def problems(searched: undetected_flips.Searched) -> list[str]:
    """Return a message for each effect that no entry of the register explains."""
    entries = registers()[searched.format].unseen
    return [
        f"unexplained: {count:,} flips of {field} have the effect {effect}"
        for (field, effect), count in sorted(searched.unseen.items())
        if not undetected_flips.explained_by((field, effect), entries)
    ]


def show(searched: undetected_flips.Searched, console: Console, seconds: float) -> None:
    """Print a table of fields and counts, the reasons, and the unexplained effects."""
    entries = registers()[searched.format].unseen
    rows = undetected_flips.rows(searched, entries)
    flips = sum(log.flips for log in searched.logs.values())
    _print(
        console,
        f"{searched.format}: flipped {flips:,} bits of {counted(len(searched.logs), 'log')},"
        f" one at a time, in {seconds:.1f} s; {searched.unseen.total():,} flips are undetectable.",
    )
    if rows:
        shown = [
            effect
            for effect in undetected_flips.EFFECTS
            if any(row.counts.get(effect) for row in rows)
        ]
        table = Table("field", box=None, pad_edge=False, header_style="bold")
        for head in ("flipped", *(undetected_flips.HEADS[effect] for effect in shown), "why"):
            table.add_column(head, justify="right", no_wrap=True)
        for row in rows:
            counts = [
                f"{row.counts[effect]:,}" if row.counts.get(effect) else "" for effect in shown
            ]
            why = ", ".join(map(str, row.why)) or "?"
            table.add_row(one_line(brief(row.field)), f"{row.tried:,}", *counts, why)
        console.print()
        console.print(table)
        _print(console, f"\n{undetected_flips.legend(shown).replace('*', '')}.")
    used = {number for row in rows for number in row.why}
    for number, entry in enumerate(entries, 1):
        if number in used:
            ids = f" ({', '.join(entry.requirements)})" if entry.requirements else ""
            _print(console, f"{number}. {entry.why}{ids}")
    for problem in problems(searched):
        _print(console, problem, style="bold red")


def _print(console: Console, text: str, style: str = "") -> None:
    for line in text.split("\n"):
        wrapped = textwrap.fill(line, max(60, console.width - 1), subsequent_indent="   ")
        console.print(wrapped, highlight=False, markup=False, style=style)
