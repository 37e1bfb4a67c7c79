"""From the signatures of all shards to findings: one for each effect, the simplest case of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from walproof.sweep import judge
from walproof.sweep.judge import Signature
from walproof.sweep.known import Known
from walproof.sweep.pairs import PAIR
from walproof.sweep.plan import Enumerations
from walproof.sweep.recipes import Recipe
from walproof.sweep.shard import Occurrence, occurrence_from_json
from walproof.sweep.writing import records_for, text_of


@dataclass
class Finding:
    """All signatures of one effect of one implementation.

    ``best`` is the simplest case; ``recipe`` its damage and ``request`` its records to write, in
    words. ``cause`` is the known failure that it looks like: name and sentence. ``minimised`` says
    how many simpler cases were tried, ``proposal`` where the case is as a vector, ``repeat`` is the
    command that runs it again.
    """

    best: Occurrence
    signatures: list[Occurrence] = field(default_factory=list)
    cause: tuple[str, str] | None = None
    recipe: Recipe | None = None
    minimised: str = ""
    proposal: str | None = None
    repeat: str | None = None
    request: str = ""

    @property
    def count(self) -> int:
        """Cases that show it."""
        return sum(each.count for each in self.signatures)

    @property
    def signature(self) -> Signature:
        """That of the simplest case."""
        return self.best.signature

    @property
    def operations(self) -> Counter[str]:
        """How many cases of which operation."""
        counts: Counter[str] = Counter()
        for each in self.signatures:
            counts[each.signature.operation] += each.count
        return counts

    @property
    def profiles(self) -> Counter[str]:
        """How many cases in which profile."""
        counts: Counter[str] = Counter()
        for each in self.signatures:
            counts[each.signature.profile] += each.count
        return counts

    @property
    def contexts(self) -> Counter[str]:
        """How many cases with which keys of the context varied; the empty text is for none."""
        counts: Counter[str] = Counter()
        for each in self.signatures:
            counts[each.signature.context] += each.count
        return counts

    @property
    def hits(self) -> Counter[tuple[str, str]]:
        """How many cases of which operation on which field; pairs are left out."""
        counts: Counter[tuple[str, str]] = Counter()
        for each in self.signatures:
            if each.signature.field:
                counts[each.signature.operation, each.signature.field] += each.count
        return counts

    @property
    def fields(self) -> list[str]:
        """The fields that were hit by single damages, the commonest first."""
        counts: Counter[str] = Counter()
        for each in self.signatures:
            if each.signature.field:
                counts[each.signature.field] += each.count
        return [name for name, _ in counts.most_common()]

    @property
    def order(self) -> tuple[Any, ...]:
        """A key for sorting: new ones come first, of them the harmful, of them the frequent."""
        single = any(f.signature.operation != PAIR for f in self.signatures)
        rank = judge.rank(self.signature.gravest)
        return (self.cause is not None, rank, -self.count, not single, self.best.order)


def merged(markers: Iterable[Mapping[str, Any]]) -> dict[Signature, Occurrence]:
    """The signatures of all shards."""
    occurrences: dict[Signature, Occurrence] = {}
    for marker in markers:
        for body in marker["findings"]:
            occurrence = occurrence_from_json(body)
            before = occurrences.get(occurrence.signature)
            occurrences[occurrence.signature] = before.merge(occurrence) if before else occurrence
    return occurrences


def findings(signatures: Iterable[Occurrence], known: Mapping[str, Known]) -> list[Finding]:
    """Findings by effect, the most telling first."""
    by_effect: dict[tuple[str, ...], Finding] = {}
    for occurrence in signatures:
        effect = occurrence.signature.effect
        finding = by_effect.setdefault(effect, Finding(occurrence))
        finding.signatures.append(occurrence)
        finding.best = min(finding.best, occurrence, key=lambda each: each.order)
    for finding in by_effect.values():
        name = finding.signature.implementation
        if name in known:
            finding.cause = known[name].cause_of(finding.signature, finding.fields)
    return sorted(by_effect.values(), key=lambda finding: finding.order)


def describe(enumerations: Enumerations, finding: Finding) -> None:
    """Put the damage of the simplest case into words."""
    best = finding.best
    enumeration = enumerations[enumerations.number(best.control)]
    finding.recipe = enumeration.describe(best.family, best.number)
    setting = enumeration.control.settings[best.setting]
    if setting.writes:
        new = records_for(enumeration, setting, best.family, best.number)
        finding.request = text_of(new, setting)


def table(findings: Iterable[Finding]) -> pa.Table:
    """The table ``findings``: one row a signature, with the finding that it belongs to."""
    rows = []
    for number, finding in enumerate(findings, 1):
        for each in finding.signatures:
            signature = each.signature
            rows.append(
                {
                    "finding": number,
                    "implementation": signature.implementation,
                    "operation": signature.operation,
                    "field": signature.field or None,
                    "kind": signature.kind,
                    "effect": signature.gravest,
                    "verdict": signature.verdict,
                    "reason": signature.reason or None,
                    "said_verdict": signature.said_verdict or None,
                    "said_reason": signature.said_reason or None,
                    "profile": signature.profile,
                    "context": signature.context or None,
                    "cases": each.count,
                    "control": each.control,
                    "family": each.family,
                    "number": each.number,
                    "size": each.size,
                    "difference": each.text,
                    "alone": each.alone,
                    "cause": finding.cause[0] if finding.cause else None,
                    "simplest": each is finding.best,
                    "damage": list(finding.recipe.damage)
                    if finding.recipe and each is finding.best
                    else None,
                    "proposal": finding.proposal,
                }
            )
    return pa.Table.from_pylist(rows, SCHEMA)


SCHEMA = pa.schema(
    [
        ("finding", pa.int32()),
        ("implementation", pa.string()),
        ("operation", pa.string()),
        ("field", pa.string()),
        ("kind", pa.string()),
        ("effect", pa.string()),
        ("verdict", pa.string()),
        ("reason", pa.string()),
        ("said_verdict", pa.string()),
        ("said_reason", pa.string()),
        ("profile", pa.string()),
        ("context", pa.string()),
        ("cases", pa.int64()),
        ("control", pa.string()),
        ("family", pa.int32()),
        ("number", pa.int64()),
        ("size", pa.int64()),
        ("difference", pa.string()),
        ("alone", pa.bool_()),
        ("cause", pa.string()),
        ("simplest", pa.bool_()),
        ("damage", pa.list_(pa.string())),
        ("proposal", pa.string()),
    ]
)
