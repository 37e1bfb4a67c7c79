"""The cases of a shard on their way, and what is entered of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from conformance.contents import size
from walproof.sweep import judge
from walproof.sweep.controls import Control
from walproof.sweep.hangs import Hangs
from walproof.sweep.invariants import Written
from walproof.sweep.judge import Difference, Signature
from walproof.sweep.plan import Plan, Run
from walproof.sweep.readers import Seen
from walproof.sweep.recipes import Enumeration
from walproof.sweep.settings import Setting
from walproof.sweep.shard import Found, Outcome
from walproof.sweep.writing import Request


@dataclass(frozen=True, slots=True)
class Asked:
    """A control in a setting. ``told`` is the context as JSON; ``keys`` name what was written."""

    control: Control
    setting: Setting
    written: Written
    seed: int
    keys: frozenset[str]
    told: str


@dataclass(slots=True, eq=False)
class Case:
    """One case on its way: where its row is, and how to make it again."""

    row: int
    run: Run
    family: int
    number: int
    operation: str
    enumeration: Enumeration
    asked: Asked
    keys: frozenset[str] | None
    contents: Any
    owed: Seen | None = None
    expected: dict[str, Any] | None = None
    request: Request | None = None

    @property
    def size(self) -> int:
        """Bytes of the log, or of the records that are to be written."""
        if self.asked.setting.profile == "write" and self.request is not None:
            return sum(len(record.payload) for record in self.request.new)
        return size(self.contents)

    @property
    def field(self) -> str:
        """Generic name of the field that was hit."""
        return self.enumeration.field(self.family, self.number)

    @property
    def verdict(self) -> str:
        """Verdict and reason that are owed."""
        assert self.owed is not None
        end = self.owed.end
        return f"{end.verdict} ({end.reason})" if end.reason else end.verdict


class CasesInTime:
    """See :class:`~walproof.sweep.children.Patience`: for the cases of shards."""

    def __init__(self) -> None:
        self.hangs = Hangs()

    def timed_out(self, name: str, token: Any) -> None:
        """Learn from a case."""
        self.hangs.saw(name, *self._of(token))

    def answered(self, name: str, token: Any) -> None:
        """Learn from a case that was answered."""
        self.hangs.answered(name, *self._of(token))

    def refuses(self, name: str, token: Any) -> str | None:
        """What was learned from others like it."""
        return self.hangs.expects(name, *self._of(token)) if self.hangs.learned else None

    def _of(self, case: Case) -> tuple[str, str, str, str]:
        return case.operation, case.field, case.enumeration.control.id, case.verdict


class Now:
    """What the shard that is running has found so far."""

    def __init__(self, plan: Plan, outcome: Outcome) -> None:
        self.outcome = outcome
        self.columns = {name: n for n, name in enumerate(plan.columns)}

    def enter(self, case: Case, mark: int, agrees: bool) -> None:
        """Enter the row of a case, with the outcome of the executable specification."""
        rows, owed = self.outcome.rows, case.owed
        assert owed is not None
        rows.control.append(case.run.control)
        rows.family.append(case.family)
        rows.setting.append(case.run.setting)
        rows.number.append(case.number)
        rows.operation.append(case.operation)
        rows.size.append(case.size)
        rows.fingerprint.append(mark)
        rows.verdict.append(owed.end.verdict)
        rows.reason.append(owed.end.reason)
        rows.records.append(len(owed.records))
        for column in rows.outcomes:
            column.append(judge.NOT_ASKED)
        rows.outcomes[0][case.row] = judge.AGREES if agrees else judge.DIFFERS

    def find(
        self, case: Case, name: str, difference: Difference, owed: Seen, alone: bool = True
    ) -> None:
        """Enter a disagreement under its signature."""
        end, setting = owed.end, case.asked.setting
        signature = Signature(
            name, case.operation, case.field, difference.kind, end.verdict, end.reason or "",
            difference.verdict, difference.reason, setting.profile, ", ".join(setting.varied),
        )  # fmt: skip
        found = Found(
            signature, 1, case.enumeration.control.id, case.family, case.run.setting, case.number,
            case.size, difference.text, alone,
        )  # fmt: skip
        before = self.outcome.found.get(signature)
        self.outcome.found[signature] = before.merge(found) if before else found

    def count(self, first: int, group: str, setting: Setting) -> None:
        """Count the rows from the number ``first`` on."""
        outcome, rows = self.outcome, self.outcome.rows
        count = len(rows.number) - first
        outcome.cases.update(rows.operation[first:])
        outcome.groups[group] += count
        outcome.profiles[setting.profile] += count
        outcome.varied.update(dict.fromkeys(setting.varied, count))
        outcome.verdicts.update(rows.verdict[first:])

    def asked(self, name: str, operation: str) -> None:
        """Count a case that a program was asked."""
        self.outcome.asked.setdefault(name, Counter())[operation] += 1

    def unasked(self, name: str, operation: str, why: str) -> None:
        """Take the count back: an answer was not to be expected."""
        self.outcome.asked[name][operation] -= 1
        self.outcome.unasked.setdefault(name, Counter())[why] += 1
