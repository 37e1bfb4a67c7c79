"""Classify wrong answers by their effect on records, lost ranges and verdict; rank the effects.

:mod:`conformance.compare` determines which answers are wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from conformance import vector_cases
from conformance.answer_text import payload_key
from conformance.case_runner import ALONE
from conformance.compare import differences
from conformance.vector_cases import ReplyJudgement
from reference_impl.answer import Answer
from walproof.sweep import properties
from walproof.sweep.dominance import DOMINANCE
from walproof.sweep.settings import READING

LOST, CHANGED, EXTRA = "record-lost", "record-changed", "record-extra"
OTHER_VERDICT, OTHER_REASON, OTHER_RANGE, OTHER_END = (
    "other-verdict", "other-reason", "other-range", "other-end",
)  # fmt: skip

#: A program that returned no answer has one of these result classes.
NO_ANSWER = ("crash", "timeout", "over-limit", "protocol-error")

_BY_SEVERITY = (
    (*NO_ANSWER, properties.RAISES),
    (vector_cases.CHANGED_LOG, vector_cases.CHANGED_WHILE_REFUSING, vector_cases.NO_LOG),
    (properties.INVENTED, CHANGED),
    (
        properties.SILENT_LOSS, "silent", vector_cases.NOT_REFUSED, properties.NOT_READ,
        properties.NO_END, properties.CUT_LOSES, properties.NOT_READ_AT_END,
        properties.NOT_SPARED, properties.TORN_LOSES, properties.NOT_RECOVERED,
    ),
    (LOST, DOMINANCE),
    (properties.OUT_OF_ORDER, properties.NOT_AGAIN, properties.NO_PREFIX, EXTRA),
    (OTHER_END, properties.UNACCOUNTED, vector_cases.REFUSED),
    (OTHER_VERDICT, properties.TORN_DAMAGED, "noisy"),
    (OTHER_RANGE,),
    (OTHER_REASON, vector_cases.OTHER_FILES, vector_cases.OTHER_BYTES),
)  # fmt: skip
_SEVERITY = {effect: rank for rank, effects in enumerate(_BY_SEVERITY) for effect in effects}


def rank(effects: str) -> int:
    """Return the rank of the worst of these effects, joined by ``+``. Rank 0 is the worst rank."""
    return min(_SEVERITY.get(effect, len(_SEVERITY)) for effect in effects.split("+"))


@dataclass(frozen=True)
class AnswerDifference:
    """One wrong answer, with its effects, a description, and the reported verdict and reason."""

    #: The effects, joined by ``+``.
    kind: str
    text: str
    verdict: str = ""
    reason: str = ""


class Effect(NamedTuple):
    """The key of a finding: differences with equal effects belong to the same finding.

    The damage is not part of the key, because many changes can reveal one defect.
    """

    implementation: str
    #: The most harmful effect, which causes the others. For a write or an append, the profile
    #: precedes it.
    action: str
    #: The next fields are the verdict and reason in the executable specification's answer, followed
    #: by those in the implementation's answer.
    verdict: str = ""
    reason: str = ""
    reported_verdict: str = ""
    reported_reason: str = ""

    @classmethod
    def of(
        cls, implementation: str, profile: str, difference: AnswerDifference, expected: Answer
    ) -> Effect:
        """Return the effect of a difference from the expected answer, or from an invariant."""
        gravest = min(difference.kind.split("+"), key=rank)
        action = gravest if profile in READING else f"{profile}: {gravest}"
        # A crash does not depend on the expected answer, so leave out this answer.
        if gravest in NO_ANSWER:
            text = difference.reason if gravest == "crash" else ""
            return cls(implementation, action, reported_reason=text)
        effect = cls(implementation, action, expected.verdict, expected.reason or "")
        # Leave out the reported answer of an append, because it depends on the damage and on the
        # new records.
        if profile not in READING:
            return effect
        return effect._replace(
            reported_verdict=difference.verdict, reported_reason=difference.reason
        )

    @property
    def gravest(self) -> str:
        """The most harmful effect, without the profile."""
        return self.action.rpartition(": ")[2]


def difference_of(
    result: Mapping[str, Any], judgement: ReplyJudgement | None, written: frozenset[str] | None
) -> AnswerDifference | None:
    """Return the difference that the harness found, or None if the case passed or was skipped.

    ``written`` contains the keys of all written payloads, or is None if the damage forged
    checksums.
    """
    if result["class"] in NO_ANSWER:
        text = str(result["difference"])
        return AnswerDifference(result["class"], text, reason=text.partition(ALONE)[0])
    if result["class"] != "fail":
        return None
    assert judgement is not None
    text = str(judgement.difference)
    if judgement.actual is None or not judgement.parts:
        return AnswerDifference(judgement.effect, text)
    difference = compare(judgement.expected, judgement.actual, judgement.parts, written)
    effects = [difference.kind if difference else "", judgement.effect]
    reported = _reported(judgement.actual, judgement.parts)
    return AnswerDifference("+".join(filter(None, effects)), text, *reported)


def _reported(actual: Mapping[str, Any], parts: Sequence[str]) -> list[str]:
    """Return the reported verdict and reason. A part that the program does not report is empty."""
    return [str(actual.get(part) or "") * (part in parts) for part in ("verdict", "reason")]


def compare(
    expected: Mapping[str, Any],
    actual: Mapping[str, Any],
    parts: Sequence[str],
    written: frozenset[str] | None,
) -> AnswerDifference | None:
    """Compare ``parts`` of two normalised answers. Return the difference, or None if they agree."""
    sentences = differences(expected, actual, parts)
    if not sentences:
        return None
    effects: list[str] = []
    lost = actual.get("lost", []) if "lost" in parts else None
    for sentence in sentences:
        part = sentence.partition(":")[0]
        if part == "records":
            effects += _record_effects(
                expected["records"], actual["records"], written, lost, sentence
            )
        elif part == "signals":
            effects.append("noisy" if "expected none" in sentence else "silent")
        elif part == "lost" and lost is not None:
            effects.append(_range_effect(expected["lost"], lost))
        else:
            effects.append(f"other-{part}")
    kind = "+".join(dict.fromkeys(effects))
    return AnswerDifference(kind, "; ".join(sentences), *_reported(actual, parts))


def _spans(lost: Sequence[Mapping[str, Any]], file: str | None) -> list[tuple[int, int]]:
    of_file = (gap for gap in lost if (gap.get("file") or "") == (file or ""))
    return sorted((gap["from"], gap["to"]) for gap in of_file)


def _is_covered(gap: Mapping[str, Any], lost: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether lost ranges cover every byte of a gap or, if the gap is empty, touch it."""
    start, spans = gap["from"], _spans(lost, gap.get("file"))
    if start == gap["to"]:
        return any(lo <= start <= hi for lo, hi in spans)
    for lo, hi in spans:
        if lo <= start < hi:
            start = hi
    return bool(start >= gap["to"])


def _is_touched(record: Mapping[str, Any], lost: Sequence[Mapping[str, Any]]) -> bool:
    start, end = record["at"], record["at"] + record["size"]
    return any(lo < end and start < hi for lo, hi in _spans(lost, record.get("file")))


def _range_effect(
    expected: Sequence[Mapping[str, Any]], actual: Sequence[Mapping[str, Any]]
) -> str:
    if not all(_is_covered(gap, actual) for gap in expected):
        return properties.SILENT_LOSS
    spans = [
        [(gap.get("file"), gap["from"], gap["to"]) for gap in lost] for lost in (expected, actual)
    ]
    return OTHER_RANGE if spans[0] != spans[1] else OTHER_REASON


def _record_effects(
    expected: Sequence[Mapping[str, Any]],
    actual: Sequence[Mapping[str, Any]],
    written: frozenset[str] | None,
    reported_lost: Sequence[Mapping[str, Any]] | None,
    sentence: str,
) -> list[str]:
    expected_keys, actual_keys = [*map(payload_key, expected)], [*map(payload_key, actual)]
    if expected_keys == actual_keys:
        named = re.search(r"; (\w+) of record", sentence)
        return [f"other-{named[1]}" if named else "other-records"]
    new = [r for r, key in zip(actual, actual_keys, strict=True) if key not in set(expected_keys)]
    positions = {(r.get("file"), r.get("at")) for r in expected}
    if any("at" in r and (r.get("file"), r["at"]) in positions for r in new):
        return [CHANGED]
    if written is not None and any(payload_key(r) not in written for r in new):
        return [properties.INVENTED]
    remaining = Counter(actual_keys)
    lost = []
    for record, key in zip(expected, expected_keys, strict=True):
        if remaining[key]:
            remaining[key] -= 1
        else:
            lost.append(record)
    if lost:
        unlisted = reported_lost is not None and not all(
            _is_touched(record, reported_lost) for record in lost
        )
        return [LOST, *([properties.SILENT_LOSS] if unlisted else [])]
    return [EXTRA if len(actual_keys) > len(expected_keys) else properties.OUT_OF_ORDER]
