"""Judges an answer: compares it with the executable specification, as the harness does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.compare import differences, normalise
from conformance.describe import payload_key
from walproof.sweep import invariants

AGREES, DIFFERS, CRASH, TIMEOUT, OVER_LIMIT, PROTOCOL_ERROR, SKIPPED, NOT_ASKED = range(8)
OUTCOMES = (
    "agrees", "differs", "crash", "timeout", "over-limit", "protocol-error", "skipped", None,
)  # fmt: skip
"""In the column of an implementation in ``sweep``; null where it was not asked."""

CHANGED_LOG = "changes-the-log"

SEVERITY = {
    kind: rank
    for rank, kinds in enumerate(
        (
            ("crash", "timeout", "over-limit", invariants.RAISES),
            (invariants.INVENTED, CHANGED_LOG),
            ("records-missing", invariants.SILENT_LOSS),
            (invariants.OUT_OF_ORDER, invariants.NOT_AGAIN, "silent", invariants.UNACCOUNTED),
            ("records-extra", "records-other", "protocol-error"),
        )
    )
    for kind in kinds
}
"""How telling a kind of difference is, 0 the most; what is not listed comes last."""


@dataclass(frozen=True)
class Signature:
    """What makes two findings the same: the implementation, the damage, and the effect.

    ``kind`` is the class of the difference; ``verdict`` and ``reason`` are what the executable
    specification says of the log, which tells faults apart that look alike.
    """

    implementation: str
    operation: str
    field: str
    kind: str
    verdict: str
    reason: str

    @property
    def effect(self) -> tuple[str, str, str, str]:
        """The signature without what was done: one defect is reached by many damages."""
        return (self.implementation, self.kind, self.verdict, self.reason)


@dataclass(frozen=True)
class Difference:
    """One disagreement: its class, and the sentences of the harness."""

    kind: str
    text: str


def compare(
    expected: Mapping[str, Any],
    answer: Mapping[str, Any],
    reports: Sequence[str],
    known: frozenset[str] | None,
) -> Difference | None:
    """The difference between two answers, on the parts that are reported; None if they agree.

    ``expected`` is normalised; ``known`` holds the keys of all payloads that were written,
    None where checksums were forged and nobody can know.
    """
    actual = normalise(answer)
    found = differences(expected, actual, reports)
    if not found:
        return None
    kinds = []
    for sentence in found:
        part = sentence.partition(":")[0]
        if part == "records":
            kinds.append(_kind_of_records(expected["records"], actual["records"], known, sentence))
        elif part == "signals":
            kinds.append("noisy" if "expected none" in sentence else "silent")
        else:
            kinds.append(part)
    return Difference("+".join(dict.fromkeys(kinds)), "; ".join(found))


def _kind_of_records(
    expected: Sequence[Mapping[str, Any]],
    actual: Sequence[Mapping[str, Any]],
    known: frozenset[str] | None,
    sentence: str,
) -> str:
    want, got = [payload_key(r) for r in expected], [payload_key(r) for r in actual]
    if want == got:
        named = re.search(r"; (\w+) of record", sentence)
        return f"other-{named[1]}" if named else "records-other"
    if known is not None and not known.issuperset(got) and not set(want).issuperset(got):
        return invariants.INVENTED
    if _is_part(got, want):
        return "records-missing"
    return "records-extra" if _is_part(want, got) else "records-other"


def _is_part(some: Sequence[str], of: Sequence[str]) -> bool:
    rest = iter(of)
    return all(one in rest for one in some)


def coarse(text: str) -> frozenset[str]:
    """What the sentences of a difference say, without numbers: comparable with a pinned one."""
    found = set()
    for sentence in re.split(r"; (?=(?:signals|verdict|reason|end|lost|records):)", text):
        part = sentence.partition(":")[0]
        if part == "records":
            counts = re.search(r"expected (\d+), found (\d+)", sentence)
            if counts is None:
                found.add("as many records")
            else:
                found.add("fewer" if int(counts[2]) < int(counts[1]) else "more")
        elif part == "signals":
            found.add("noisy" if "expected none" in sentence else "silent")
        elif part in ("verdict", "reason", "end", "lost"):
            found.add(part)
        elif named := re.search(r"killed by (\w+)", sentence):
            found.add(named[1])
        elif "no reply within" in sentence:
            found.add("no reply")
    return frozenset(found)


def rank(kind: str) -> int:
    """How telling a class of differences is, 0 the most."""
    return min(SEVERITY.get(part, len(SEVERITY)) for part in kind.split("+"))
