"""Group signatures into findings, each with its simplest case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from walproof.sweep.effects import Signature, rank
from walproof.sweep.enumeration import PAIR, UNDAMAGED, Recipe
from walproof.sweep.known import Known
from walproof.sweep.plan import Enumerations
from walproof.sweep.result import Occurrence
from walproof.sweep.writing import records_for, text_of


@dataclass
class Finding:
    """Signatures of one implementation with the same effect, or with the same damage."""

    #: Simplest case.
    best: Occurrence
    signatures: list[Occurrence] = field(default_factory=list)
    #: Name and description of a known failure with the same effect.
    cause: tuple[str, str] | None = None
    #: Damage of the simplest case.
    recipe: Recipe | None = None
    #: Path of a proposed vector.
    proposal: str | None = None
    #: Command that runs the case again.
    repeat: str | None = None
    #: Records to write.
    request: str = ""

    @property
    def count(self) -> int:
        """Number of cases."""
        return sum(each.count for each in self.signatures)

    @property
    def signature(self) -> Signature:
        """Signature of the simplest case."""
        return self.best.signature

    def counted(self, key: Callable[[Signature], str]) -> dict[str, int]:
        """Count the cases by a part of their signatures. Omit cases in which this part is empty."""
        counts: Counter[str] = Counter()
        for each in self.signatures:
            if part := key(each.signature):
                counts[part] += each.count
        return dict(counts.most_common())

    @property
    def order(self) -> tuple[Any, ...]:
        """Sort key: new findings first, then by harm, then by frequency."""
        is_pair = all(each.signature.operation == PAIR for each in self.signatures)
        severity = rank(self.signature.gravest)
        return (self.cause is not None, severity, -self.count, is_pair, self.best.order)

    @property
    def damage(self) -> Hashable:
        """A key for findings with the same single operation, which are joined; else None."""
        operations = {each.signature.operation for each in self.signatures} - {PAIR, UNDAMAGED}
        signature = self.signature
        key = (signature.implementation, signature.action, *operations)
        return key if len(operations) == 1 else None

    def join(self, other: Finding) -> None:
        """Add another finding of the same damage; the more harmful case becomes ``best``."""
        self.signatures += other.signatures
        self.best = min(self.best, other.best, key=lambda b: (rank(b.signature.gravest), b.order))


def findings(
    signatures: Iterable[Occurrence], known_failures: Mapping[str, Known]
) -> list[Finding]:
    """Return the findings, most harmful first.

    New findings with the same :attr:`Finding.damage` are joined.
    """
    by_effect: dict[Hashable, Finding] = {}
    for occurrence in signatures:
        finding = by_effect.setdefault(occurrence.signature.effect, Finding(occurrence))
        finding.signatures.append(occurrence)
        finding.best = min(finding.best, occurrence, key=lambda each: each.order)
    by_damage: dict[Hashable, Finding] = {}
    for effect, finding in by_effect.items():
        if failures := known_failures.get(finding.signature.implementation):
            finding.cause = failures.cause_of(finding.signature)
        damage = (finding.damage if finding.cause is None else None) or effect
        if damage in by_damage:
            by_damage[damage].join(finding)
        else:
            by_damage[damage] = finding
    return sorted(by_damage.values(), key=lambda finding: finding.order)


def describe(enumerations: Enumerations, finding: Finding) -> None:
    """Describe the damage and the request of the simplest case."""
    best = finding.best
    enumeration = enumerations[enumerations.number(best.control)]
    finding.recipe = enumeration.describe(best.family, best.number)
    setting = enumeration.control.settings[best.setting]
    if setting.writes:
        new = records_for(enumeration, setting, best.family, best.number)
        finding.request = text_of(new, setting)
