"""List bit flips that no check detects, by field, with the reason.

``walproof sweep --flips --save`` writes ``spec/one-bit/<format>.json``. The file lists flips that
changed or removed a record of a log that is still `intact`. The register of the format contains the
reasons (``unseen``).
"""

from __future__ import annotations

import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reference_impl.paths import SPEC
from reference_impl.register import Register, Unseen

FOLDER = "one-bit"
EFFECTS = ("gone", "changed", "invented", "order", "fields")
# The columns of the table.
HEADS = {
    "gone": "missing",
    "changed": "changed",
    "invented": "invented",
    "order": "reordered",
    "fields": "other field",
}

MEANING = {
    "gone": "a record is not returned",
    "changed": "a record has another payload",
    "invented": "a record is returned that was never written",
    "order": "the records are in another order",
    "fields": "a field of a record other than its payload has changed",
}

# A generic field name and an effect: one of ``EFFECTS``, and for ``fields`` which ones (``fields:
# term``).
Hit = tuple[str, str]


@dataclass(frozen=True)
class SearchedLog:
    """A log that was searched."""

    id: str
    #: Hash of the bytes and the context.
    fingerprint: str
    #: Size of the log.
    bits: int
    #: Number of flips that were tried.
    flips: int
    #: Number of flips that were not detected.
    unseen: Mapping[Hit, int]


@dataclass(frozen=True)
class Searched:
    """The result of searching one format. ``tried`` counts the flips of each field."""

    format: str
    at_most: int
    tried: Mapping[str, int]
    logs: Mapping[str, SearchedLog]

    @property
    def unseen(self) -> Counter[Hit]:
        """Return the undetected flips of all logs."""
        counter: Counter[Hit] = Counter()
        for log in self.logs.values():
            counter.update(log.unseen)
        return counter


@dataclass(frozen=True)
class Row:
    """A field with its flips and its undetected flips."""

    field: str
    #: Number of flips.
    tried: int
    #: Number of undetected flips by effect.
    counts: Mapping[str, int]
    #: Record fields that change, except the payload.
    other_fields: tuple[str, ...]
    #: Numbers of the entries that explain the flips, from 1.
    why: tuple[int, ...]

    @property
    def unseen(self) -> int:
        """Return the number of undetected flips of the field."""
        return sum(self.counts.values())


def load(format: str, spec: Path = SPEC) -> Searched | None:
    """Load the result for a format, None if it was not searched."""
    path = spec / FOLDER / f"{format}.json"
    return loaded(json.loads(path.read_text("utf-8"))) if path.is_file() else None


def loaded(body: Mapping[str, Any]) -> Searched:
    """Return the result in a parsed JSON file."""
    logs = {}
    for id, log in body["logs"].items():
        unseen = {
            (field, effect): count
            for field, effects in log["unseen"].items()
            for effect, count in effects.items()
        }
        logs[id] = SearchedLog(id, log["fingerprint"], log["bits"], log["flips"], unseen)
    return Searched(body["format"], body["at_most"], body["tried"], logs)


def text_of(searched: Searched) -> str:
    """Return the file of a search, with one line for each log."""
    logs = []
    for log in sorted(searched.logs.values(), key=lambda log: log.id):
        unseen: dict[str, dict[str, int]] = {}
        for (field, effect), count in sorted(log.unseen.items()):
            unseen.setdefault(field, {})[effect] = count
        body = {"fingerprint": log.fingerprint, "bits": log.bits, "flips": log.flips}
        logs.append(f"  {json.dumps(log.id)}: {json.dumps(body | {'unseen': unseen})}")
    head = {"format": searched.format, "at_most": searched.at_most}
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    tried = [f"  {json.dumps(name)}: {count}" for name, count in sorted(searched.tried.items())]
    lines.append(' "tried": {\n' + ",\n".join(tried) + "\n }")
    lines.append(' "logs": {\n' + ",\n".join(logs) + "\n }")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def kind_of(effect: str) -> str:
    """Return one of ``EFFECTS``, such as ``fields`` for ``fields: term``."""
    return effect.partition(":")[0]


def explained_by(hit: Hit, entries: Sequence[Unseen]) -> list[int]:
    """Return the numbers, from 1, of the entries that explain a hit; there should be one."""
    field, effect = hit
    return [
        number
        for number, entry in enumerate(entries, 1)
        if any(_fits(pattern, field) for pattern in entry.fields)
        and (not entry.effects or kind_of(effect) in entry.effects)
    ]


def _fits(pattern: str, field: str) -> bool:
    # Not fnmatch: field names contain brackets.
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), field) is not None


def rows(searched: Searched, entries: Sequence[Unseen]) -> list[Row]:
    """Return the fields with undetected flips, those with the gravest effects first."""
    by_field: dict[str, Counter[str]] = {}
    why: dict[str, set[int]] = {}
    other_fields: dict[str, set[str]] = {}
    for (field, effect), count in searched.unseen.items():
        by_field.setdefault(field, Counter())[kind_of(effect)] += count
        why.setdefault(field, set()).update(explained_by((field, effect), entries))
        names = effect.partition(": ")[2]
        other_fields.setdefault(field, set()).update(names.split(", ") if names else ())
    table_rows = [
        Row(field, searched.tried[field], counts, tuple(sorted(other_fields[field])),
            tuple(sorted(why[field])))
        for field, counts in by_field.items()
    ]  # fmt: skip
    return sorted(
        table_rows, key=lambda row: ([-row.counts.get(effect, 0) for effect in EFFECTS], row.field)
    )


def table(register: Register, searched: Searched, searched_logs: str | None = None) -> str:
    """Return the section of the chapter below its heading, in Markdown.

    ``searched_logs`` describes the logs: ``2 logs``.
    """
    logs, flips = len(searched.logs), sum(log.flips for log in searched.logs.values())
    unseen = searched.unseen.total()
    whole = sum(log.flips == log.bits for log in searched.logs.values())
    share = "every bit"
    if whole < logs:
        sample = f"at most {searched.at_most:,} bits of each"
        share = f"every bit of {whole:,}, {sample} other" if whole else sample
    after = "No flip left the log `intact` with other records."
    if unseen:
        after = f"After {unseen:,} flips, the log was `intact` with other records."
    lines = [
        f"A search flipped {flips:,} single bits in"
        f" {searched_logs or f'{logs} undamaged vectors'} ({share}). {after}",
    ]
    table_rows = rows(searched, register.unseen)
    if not table_rows:
        return f"{_wrapped(lines[0])}\n"
    shown = [effect for effect in EFFECTS if any(row.counts.get(effect) for row in table_rows)]
    lines[0] = _wrapped(
        f"{lines[0]} The table counts each flip under its worst effect: {legend(shown)}."
    )
    head = ["field", "flipped", *(HEADS[effect] for effect in shown), "why"]
    lines += ["", f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in table_rows:
        counts = [f"{row.counts[effect]:,}" if row.counts.get(effect) else "" for effect in shown]
        cells = [f"`{row.field}`", f"{row.tried:,}", *counts, ", ".join(map(str, row.why))]
        lines.append(f"| {' | '.join(cells)} |")
    lines.append("")
    for number, entry in enumerate(register.unseen, 1):
        ids = f" ({', '.join(entry.requirements)})" if entry.requirements else ""
        lines.append(_wrapped(f"{number}. {entry.why}{ids}", "   "))
    return "\n".join(lines) + "\n"


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def legend(effects: Sequence[str]) -> str:
    """Return what the columns of some effects count."""
    return "; ".join(f"*{HEADS[effect]}*, {MEANING[effect]}" for effect in effects)


def problems(register: Register, searched: Searched) -> Iterator[str]:
    """Yield flips that no entry or several entries explain, and entries that explain none."""
    used = set()
    for hit, count in sorted(searched.unseen.items()):
        numbers = explained_by(hit, register.unseen)
        used.update(numbers)
        if len(numbers) != 1:
            text = f"{len(numbers)} entries of unseen explain" if numbers else "nothing explains"
            yield f"{text} what {count:,} flips of {hit[0]} do: {hit[1]}"
    for number, entry in enumerate(register.unseen, 1):
        if number not in used:
            yield f"unseen {number} explains no flip: {', '.join(entry.fields)}"
