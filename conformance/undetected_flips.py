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
from collections.abc import Iterable, Iterator, Mapping, Sequence
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

# A hit consists of a generic field name and one of ``EFFECTS``. The effect ``fields`` is followed
# by the names of the changed fields, as in ``fields: term``.
Hit = tuple[str, str]

# The result of a search in one format, as stored in its JSON file. ``at_most`` is the maximum
# number of flips per log. ``tried`` has the number of flips of each field. For each vector id,
# ``logs`` has the ``fingerprint`` of the log's bytes and context, the size of the log in ``bits``,
# the number of ``flips`` that were tried, and the number of ``unseen`` flips by field and effect.
Searched = Mapping[str, Any]


def load(format: str, spec: Path = SPEC) -> Searched | None:
    """Load the result for a format, or return None if the format was not searched."""
    path = spec / FOLDER / f"{format}.json"
    searched: Searched | None = json.loads(path.read_text("utf-8")) if path.is_file() else None
    return searched


def text_of(searched: Searched) -> str:
    """Return the text of a result file, with one line for each field and each log."""
    entries = []
    for key, value in searched.items():
        text = json.dumps(value)
        if isinstance(value, Mapping):
            lines = [f"  {json.dumps(name)}: {json.dumps(value[name])}" for name in sorted(value)]
            text = "{\n" + ",\n".join(lines) + "\n }"
        entries.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def hits_in(logs: Iterable[Mapping[str, Any]]) -> Counter[Hit]:
    """Return the undetected flips that a search of logs found."""
    hits: Counter[Hit] = Counter()
    for log in logs:
        for field, effects in log["unseen"].items():
            hits.update({(field, effect): count for effect, count in effects.items()})
    return hits


def kind_of(effect: str) -> str:
    """Return one of ``EFFECTS``, such as ``fields`` for ``fields: term``."""
    return effect.partition(":")[0]


def explained_by(hit: Hit, entries: Sequence[Unseen]) -> list[int]:
    """Return the numbers, from 1, of the entries that explain a hit. One number is expected."""
    field, effect = hit
    return [
        number
        for number, entry in enumerate(entries, 1)
        if any(_fits(pattern, field) for pattern in entry.fields)
        and (not entry.effects or kind_of(effect) in entry.effects)
    ]


def _fits(pattern: str, field: str) -> bool:
    # fnmatch is not suitable, because field names contain brackets.
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), field) is not None


def table(register: Register, searched: Searched) -> str:
    """Return the chapter's section on undetected flips in Markdown, without the heading.

    The fields with the most serious effects come first.
    """
    logs = searched["logs"].values()
    hits = hits_in(logs)
    whole = sum(log["flips"] == log["bits"] for log in logs)
    share = "every bit of each log"
    if whole < len(logs):
        sample = f"at most {searched['at_most']:,} bits of each"
        share = f"{sample} log"
        if whole:
            share = f"every bit of {_count(whole, 'log')}, and {sample} of the others"
    tried = sum(log["flips"] for log in logs)
    text = (
        f"A search flipped bits of {_count(len(logs), 'undamaged vector')}, one at a time: {share}."
        f" It tried {tried:,} flips."
    )
    if not hits:
        return f"{_wrapped(f'{text} No flip left a log `intact` with other records.')}\n"
    text += (
        f" After {hits.total():,} of them, the log was `intact` with other records. The table"
        " counts each of these flips once, under its worst effect:"
    )
    counts: dict[str, Counter[str]] = {}
    why: dict[str, set[int]] = {}
    for (field, effect), count in hits.items():
        counts.setdefault(field, Counter())[kind_of(effect)] += count
        why.setdefault(field, set()).update(explained_by((field, effect), register.unseen))
    shown = [effect for effect in EFFECTS if any(effect in of for of in counts.values())]
    meanings = [f"* *{HEADS[effect]}*: {MEANING[effect]}" for effect in shown]
    head = ["field", "flipped", *(HEADS[effect] for effect in shown), "why"]
    lines = [_wrapped(text), "", *meanings, ""]
    lines += [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for field in sorted(counts, key=lambda f: ([-counts[f][effect] for effect in EFFECTS], f)):
        cells = [f"{n:,}" if (n := counts[field][effect]) else "" for effect in shown]
        entries = ", ".join(map(str, sorted(why[field])))
        cells = [f"`{field}`", f"{searched['tried'][field]:,}", *cells, entries]
        lines.append(f"| {' | '.join(cells)} |")
    lines.append("")
    for number, entry in enumerate(register.unseen, 1):
        ids = f" ({', '.join(entry.requirements)})" if entry.requirements else ""
        lines.append(_wrapped(f"{number}. {entry.why}{ids}", "   "))
    return "\n".join(lines) + "\n"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def problems(register: Register, searched: Searched) -> Iterator[str]:
    """Yield flips that no entry or several entries explain, and entries that explain no flip."""
    used = set()
    for hit, count in sorted(hits_in(searched["logs"].values()).items()):
        numbers = explained_by(hit, register.unseen)
        used.update(numbers)
        if len(numbers) != 1:
            text = f"{len(numbers)} entries of unseen explain" if numbers else "nothing explains"
            yield f"{text} what {count:,} flips of {hit[0]} do: {hit[1]}"
    for number, entry in enumerate(register.unseen, 1):
        if number not in used:
            yield f"unseen {number} explains no flip: {', '.join(entry.fields)}"
