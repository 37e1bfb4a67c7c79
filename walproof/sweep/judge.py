"""Judges an answer: compares it with the executable specification, as the harness does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance import cases
from conformance.compare import differences, every_part, normalise
from conformance.describe import payload_key
from walproof.sweep import invariants
from walproof.sweep.settings import READING

AGREES, DIFFERS, CRASH, TIMEOUT, OVER_LIMIT, PROTOCOL_ERROR, SKIPPED, NOT_SENT = range(8)
OUTCOMES = (
    "agrees", "differs", "crash", "timeout", "over-limit", "protocol-error", "skipped", None,
)  # fmt: skip
"""In the column of an implementation in ``sweep``; null where it did not run."""

CHANGED_LOG = "changes-the-log"
LOST, CHANGED, EXTRA = "record-lost", "record-changed", "record-extra"
OTHER_VERDICT, OTHER_REASON, OTHER_RANGE, OTHER_END = (
    "other-verdict", "other-reason", "other-range", "other-end",
)  # fmt: skip

DEATHS = frozenset({"crash", "timeout", "over-limit", "protocol-error"})
"""Effects of which the answer is none at all."""

SEVERITY = {
    kind: rank
    for rank, kinds in enumerate(
        (
            ("crash", "timeout", "over-limit", "protocol-error", invariants.RAISES),
            (CHANGED_LOG, invariants.CHANGED_REFUSING, cases.NO_LOG),
            (invariants.INVENTED, CHANGED),
            (
                invariants.SILENT_LOSS,
                "silent",
                cases.NOT_REFUSED,
                invariants.NOT_READ,
                invariants.NO_END,
                invariants.CUT_LOSES,
                invariants.NOT_READ_AT_END,
            ),
            (LOST,),
            (invariants.OUT_OF_ORDER, invariants.NOT_AGAIN, EXTRA),
            (OTHER_END, invariants.UNACCOUNTED, cases.REFUSED),
            (OTHER_VERDICT, "noisy"),
            (OTHER_RANGE,),
            (OTHER_REASON, cases.OTHER_FILES, cases.OTHER_BYTES),
        )
    )
    for kind in kinds
}
"""How harmful an effect on the answer is, 0 the most; what is not listed comes last."""


@dataclass(frozen=True)
class Signature:
    """What makes two findings the same: the implementation, the damage, and the effect.

    ``kind`` names the effects on the answer; ``verdict`` and ``reason`` are what the executable
    specification says of the log, ``said_verdict`` and ``said_reason`` what the implementation
    does, where it reports them. ``context`` names the keys that were varied.
    """

    implementation: str
    operation: str
    field: str
    kind: str
    verdict: str
    reason: str
    said_verdict: str = ""
    said_reason: str = ""
    profile: str = "recover"
    context: str = ""

    @property
    def effect(self) -> tuple[str, ...]:
        """The signature without what was done: one defect is reached by many damages.

        Of several effects the gravest counts: the others follow from it. What a program dies of
        does not depend on what it owed. What a log reads like after a wrong append depends on what
        was damaged and appended, not on what the writer does wrong.
        """
        if self.gravest in DEATHS:
            text = self.said_reason if self.gravest == "crash" else ""
            return (self.implementation, self.did, "", "", "", text)
        expected = (self.implementation, self.did, self.verdict, self.reason)
        if self.profile not in READING:
            return (*expected, "", "")
        return (*expected, self.said_verdict, self.said_reason)

    @property
    def did(self) -> str:
        """The most harmful of its effects, and whether it came with a write or an append."""
        return self.gravest if self.profile in READING else f"{self.profile}: {self.gravest}"

    @property
    def gravest(self) -> str:
        """The most harmful of its effects."""
        return min(self.kind.split("+"), key=rank)


@dataclass(frozen=True)
class Difference:
    """One disagreement: its effects, the sentences of the harness, and what the answer said."""

    kind: str
    text: str
    verdict: str = ""
    reason: str = ""


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
    sentences = differences(expected, actual, reports)
    if not sentences:
        return None
    kinds: list[str] = []
    ranges = _Ranges(actual.get("lost", [])) if "lost" in reports else None
    for sentence in sentences:
        part = sentence.partition(":")[0]
        if part == "records":
            kinds += _of_records(expected["records"], actual["records"], known, ranges, sentence)
        elif part == "signals":
            kinds.append("noisy" if "expected none" in sentence else "silent")
        elif part == "lost" and ranges is not None:
            kinds += _of_ranges(expected["lost"], actual.get("lost", []), ranges)
        else:
            kinds.append(f"other-{part}")
    reported = [
        str(actual.get(part) or "") if part in reports else "" for part in ("verdict", "reason")
    ]
    return Difference("+".join(dict.fromkeys(kinds)), "; ".join(sentences), *reported)


def of_writing(
    judgement: cases.Judgement, format: str, known: frozenset[str] | None
) -> Difference | None:
    """What is wrong with a write or an append that was judged; None if nothing is."""
    if judgement.difference is None:
        return None
    effect, actual = judgement.effect, judgement.actual
    if effect in _ALONE or actual is None:
        return Difference(effect, judgement.difference)
    difference = compare(judgement.expected, actual, every_part([format]), known)
    kinds = [kind for kind in (difference.kind if difference else "", effect) if kind]
    reported = str(actual["verdict"]), str(actual["reason"] or "")
    return Difference("+".join(kinds), judgement.difference, *reported)


_ALONE = frozenset({cases.REFUSED, cases.CHANGED_WHILE_REFUSING, cases.NOT_REFUSED, cases.NO_LOG})
"""Effects beside which the answer to the log says nothing more."""


class _Ranges:
    """The lost ranges of an answer, to ask what they cover."""

    def __init__(self, lost: Sequence[Mapping[str, Any]]) -> None:
        self._of: dict[str, list[tuple[int, int]]] = {}
        for gap in lost:
            self._of.setdefault(gap.get("file") or "", []).append((gap["from"], gap["to"]))

    def touch(self, file: str | None, start: int, end: int) -> bool:
        """Whether a range lies in these bytes, wholly or in part."""
        return any(lo < end and start < hi for lo, hi in self._of.get(file or "", ()))

    def cover(self, file: str | None, start: int, end: int) -> bool:
        """Whether all of these bytes lie in ranges; of none, whether an empty range names them."""
        spans = sorted(self._of.get(file or "", ()))
        if start == end:
            return any(lo <= start <= hi for lo, hi in spans)
        for lo, hi in spans:
            if lo <= start < hi:
                start = hi
        return start >= end


def _of_ranges(
    expected: Sequence[Mapping[str, Any]], actual: Sequence[Mapping[str, Any]], ranges: _Ranges
) -> list[str]:
    """How lost ranges differ: in the bytes, of which some may be listed nowhere, or in codes."""
    if not all(ranges.cover(gap.get("file"), gap["from"], gap["to"]) for gap in expected):
        return [invariants.SILENT_LOSS]
    spans = [
        [(gap.get("file"), gap["from"], gap["to"]) for gap in lost] for lost in (expected, actual)
    ]
    return [OTHER_RANGE if spans[0] != spans[1] else OTHER_REASON]


def _of_records(
    expected: Sequence[Mapping[str, Any]],
    actual: Sequence[Mapping[str, Any]],
    known: frozenset[str] | None,
    ranges: _Ranges | None,
    sentence: str,
) -> list[str]:
    want, got = [payload_key(r) for r in expected], [payload_key(r) for r in actual]
    if want == got:
        named = re.search(r"; (\w+) of record", sentence)
        return [f"other-{named[1]}" if named else "other-records"]
    new = [r for r, key in zip(actual, got, strict=True) if key not in set(want)]
    positions = {(r.get("file"), r.get("at")) for r in expected}
    if any("at" in r and (r.get("file"), r["at"]) in positions for r in new):
        return [CHANGED]
    if known is not None and any(payload_key(r) not in known for r in new):
        return [invariants.INVENTED]
    left = Counter(got)
    lost = []
    for record, key in zip(expected, want, strict=True):
        if left[key]:
            left[key] -= 1
        else:
            lost.append(record)
    if lost:
        unlisted = ranges is not None and not all(
            ranges.touch(r.get("file"), r["at"], r["at"] + r["size"]) for r in lost
        )
        return [LOST, *([invariants.SILENT_LOSS] if unlisted else [])]
    return [EXTRA if len(got) > len(want) else invariants.OUT_OF_ORDER]


def rank(kind: str) -> int:
    """How harmful a class of differences is, 0 the most."""
    return min(SEVERITY.get(part, len(SEVERITY)) for part in kind.split("+"))
