"""What is asked in a shard: cases are made, read, judged and counted, wherever that is."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.contents import size
from conformance.describe import payload_key
from conformance.protocol.messages import ProtocolError, validate
from reference_impl.answer import End, payload_to_json
from walproof.sweep import invariants, judge, shares
from walproof.sweep.children import Asker, Reply
from walproof.sweep.controls import Control, fingerprint, seed_of
from walproof.sweep.formats import kind
from walproof.sweep.hangs import Hangs
from walproof.sweep.invariants import Written
from walproof.sweep.judge import Difference, Signature
from walproof.sweep.plan import FAST, REFERENCE, Enumerations, Plan, Run
from walproof.sweep.readers import Fast, Reference, Seen
from walproof.sweep.recipes import Enumeration
from walproof.sweep.settings import Setting
from walproof.sweep.shard import Found, Outcome, Rows

AGAIN = 32
"""One case in so many is read again, and once more when cut at its ``end``."""


class ShardRunner:
    """Runs shards of a plan, with the readers and programs of one worker."""

    def __init__(
        self,
        plan: Plan,
        reference: Reference,
        fast: Fast | None,
        askers: Mapping[str, Asker],
        enumerations: Enumerations | None = None,
    ) -> None:
        self.plan = plan
        self.reference = reference
        self.fast = fast
        self.askers = askers
        self._valid: set[tuple[str, str]] = set()
        self.enumerations = enumerations or Enumerations(plan)
        self._asked: dict[tuple[int, int], _Asked | None] = {}

    def run(self, number: int) -> Outcome:
        """Run one shard. Raises only for faults of the machine, never for those of a reader."""
        started, processor = time.monotonic(), time.process_time()
        self._valid.clear()
        outcome = Outcome(number, Rows(outcomes=[bytearray() for _ in self.plan.columns]))
        for asker in self.askers.values():
            asker.deaths, asker.busy_seconds = 0, 0.0
        now = _Now(self.plan, outcome)
        seen_before: set[int] = set()
        for run in self.plan.shards[number]:
            self._run(run, now, seen_before)
            self._take_replies(now)
        for name, asker in self.askers.items():
            asker.drain()
            outcome.seconds[f"waiting for {name}"] = asker.busy_seconds
            outcome.hello[name] = asker.hello
        self._take_replies(now)
        for name, column in zip(self.plan.columns, outcome.rows.outcomes, strict=True):
            counts = Counter(column)
            outcome.outcomes[name] = Counter(
                {judge.OUTCOMES[code] or "not asked": n for code, n in counts.items()}
            )
        outcome.seconds["all"] = time.monotonic() - started
        outcome.seconds["processor"] = time.process_time() - processor
        return outcome

    def asked(self, number: int, setting: int) -> _Asked | None:
        """A control as it is asked about in a setting, with all that judging its cases takes.

        None where the context is none that a reader accepts.
        """
        if (number, setting) not in self._asked:
            self._asked[number, setting] = self._prepared(number, setting)
        return self._asked[number, setting]

    def _prepared(self, number: int, setting: int) -> _Asked | None:
        own = self.plan.controls[number]
        chosen = own.settings[setting]
        control, expected = replace(own, context=chosen.context), own.records
        if chosen.varied:
            try:
                owed = self.reference.read(control, control.contents, chosen.profile)
            except ValueError:
                return None
            expected = tuple(owed.records)
        selecting = set(kind(self.plan.format).selecting)
        if selecting & {*own.context, *chosen.context}:
            # What the log holds is more than is asked for; what is missing, nobody can say.
            left = {key: value for key, value in own.context.items() if key not in selecting}
            whole = self.reference.read(replace(own, context=left), own.contents)
            own, expected = replace(own, records=tuple(whole.records)), ()
        keys = frozenset(payload_key(payload_to_json(r.payload)) for r in own.records)
        told = json.dumps(dict(chosen.context), separators=(",", ":"))
        written = Written(own, self.enumerations[number].others, expected)
        return _Asked(control, chosen, written, seed_of(own, chosen), keys, told)

    def _run(self, run: Run, now: _Now, seen_before: set[int]) -> None:
        asked = self.asked(run.control, run.setting)
        outcome, rows = now.outcome, now.outcome.rows
        if asked is None:
            outcome.void += run.stop - run.start
            return
        enumeration = self.enumerations[run.control]
        control, setting, written = asked.control, asked.setting, asked.written
        fast_column = self.plan.columns.index(FAST) if self.fast else None
        programs = [p.name for p in self.plan.programs if p.takes(self.plan.format, setting)]
        clock = time.perf_counter
        reference_seconds = fast_seconds = 0.0
        first = len(rows.number)
        for family, number in _numbers(run, enumeration):
            made = enumeration.make(family, number)
            if made is None:
                outcome.void += 1
                continue
            contents, shifts, forges = made
            mark = fingerprint(contents, asked.seed)
            if mark in seen_before:
                outcome.doubles += 1
                continue
            seen_before.add(mark)
            row = len(rows.number)
            operation = enumeration.operation(family)
            case = _Case(
                row, run, family, number, operation, enumeration, asked,
                None if forges else asked.keys, contents,
            )  # fmt: skip
            t0 = clock()
            try:
                owed = self.reference.read(control, contents, setting.profile)
                faults = written.faults(owed, contents, shifts, forges)
                text = ""
                if row % AGAIN == 0:
                    outcome.again += 1
                    if not invariants.same_again(
                        self.reference, control, contents, owed, setting.profile
                    ):
                        faults.append(invariants.NOT_AGAIN)
            except Exception as error:  # the reader's own fault: a finding, and the sweep goes on
                owed, text = _NOTHING, f"{type(error).__name__}: {error}"
                faults = [invariants.RAISES]
            t1 = clock()
            reference_seconds += t1 - t0
            end = owed.end
            rows.control.append(run.control)
            rows.family.append(family)
            rows.setting.append(run.setting)
            rows.number.append(number)
            rows.operation.append(operation)
            rows.size.append(len(contents) if type(contents) is bytes else size(contents))
            rows.fingerprint.append(mark)
            rows.verdict.append(end.verdict)
            rows.reason.append(end.reason)
            rows.records.append(len(owed.records))
            for column in rows.outcomes:
                column.append(judge.NOT_ASKED)
            rows.outcomes[0][row] = judge.DIFFERS if faults else judge.AGREES
            case.owed = owed
            for fault in faults:
                found = Difference(fault, text or invariants.MEANING[fault])
                now.find(case, REFERENCE, found, owed)
            if self.fast is not None and fast_column is not None and setting.profile == "recover":
                rows.outcomes[fast_column][row] = self._ask_fast(case, now, owed)
                fast_seconds += clock() - t1
            if programs:
                for name in programs:
                    self.askers[name].ask(case, control.name, contents, asked.told, setting.profile)
                    now.asked(name, operation)
                if row & 63 == 0:
                    self._take_replies(now)
        count = len(rows.number) - first
        outcome.cases.update(rows.operation[first:])
        outcome.groups[shares.CONTEXTS if setting.varied else enumeration.group(run.family)] += (
            count
        )
        outcome.profiles[setting.profile] += count
        outcome.varied.update(dict.fromkeys(setting.varied, count))
        outcome.verdicts.update(rows.verdict[first:])
        outcome.seconds[REFERENCE] = outcome.seconds.get(REFERENCE, 0.0) + reference_seconds
        outcome.seconds[FAST] = outcome.seconds.get(FAST, 0.0) + fast_seconds

    def _ask_fast(self, case: _Case, now: _Now, owed: Seen) -> int:
        assert self.fast is not None
        try:
            events = self.fast.read(case.asked.control, case.contents)
            if self.fast.agrees(events, owed):
                return judge.AGREES
            found = judge.compare(
                owed.answer().to_json(), self.fast.answer(events).to_json(), ALL_PARTS, case.keys
            ) or Difference("columns", "a column differs that no answer shows")
        except Exception as error:
            found = Difference(invariants.RAISES, f"{type(error).__name__}: {error}")
        now.find(case, FAST, found, owed)
        return judge.DIFFERS

    def _take_replies(self, now: _Now) -> None:
        for name, asker in self.askers.items():
            while asker.replies:
                self._judge(name, asker, asker.replies.popleft(), now)

    def _judge(self, name: str, asker: Asker, reply: Reply, now: _Now) -> None:
        case: _Case = reply.token
        owed = case.owed
        assert owed is not None
        code: int = reply.outcome
        found: Difference | None = None
        if reply.answer is not None:
            if asker.deaths and asker.patience is not None:
                asker.patience.answered(name, case)
            code, found = self._compared(case, reply, asker, owed)
            if reply.changed:
                code = judge.DIFFERS
                found = Difference(judge.CHANGED_LOG, "the reader changed the log")
        elif code == judge.SKIPPED:
            now.outcome.skipped.setdefault(name, reply.text)
        elif code == judge.NOT_ASKED:
            now.unasked(name, case.operation, reply.text)
        else:
            found = Difference(judge.OUTCOMES[code] or "", reply.text, reason=reply.text)
        now.outcome.rows.outcomes[now.columns[name]][case.row] = code
        if found is not None:
            now.find(case, name, found, owed, reply.alone)

    def _compared(
        self, case: _Case, reply: Reply, asker: Asker, owed: Seen
    ) -> tuple[int, Difference | None]:
        answer, reports = reply.answer, reply.reports or asker.reports
        assert answer is not None
        if case.expected is None:
            case.expected = owed.answer().to_json()
        try:
            found = judge.compare(case.expected, answer, reports, case.keys)
            if found is not None and (asker.name, found.kind) not in self._valid:
                # Costs ten times as much as the rest: once for each class of differences.
                validate("read-reply", {"seq": 0, "answer": dict(answer)})
                self._valid.add((asker.name, found.kind))
        except (ProtocolError, LookupError, TypeError, ValueError, AttributeError) as error:
            return judge.PROTOCOL_ERROR, Difference("protocol-error", str(error))
        return (judge.AGREES if found is None else judge.DIFFERS), found


ALL_PARTS = ("records", "at", "size", "verdict", "reason", "end", "lost")
_REFUSED = End("refused", None, None)
_NOTHING = Seen([], [], _REFUSED, [_REFUSED])


def _numbers(run: Run, enumeration: Enumeration) -> Iterator[tuple[int, int]]:
    """The damages of a run: family and number of each."""
    count = enumeration.count(run.family)
    for place in range(run.start, run.stop):
        number = place
        if run.spread and run.family == enumeration.pair:
            number = 2 * place + run.setting % 2  # two profiles have other pairs
        elif run.spread:
            number = shares.spread(place, count, 7919 * run.setting)
        yield enumeration.resolved(run.family, number)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A control in a setting. ``told`` is the context as JSON; ``keys`` name what was written."""

    control: Control
    setting: Setting
    written: Written
    seed: int
    keys: frozenset[str]
    told: str


@dataclass(slots=True, eq=False)
class _Case:
    """One case on its way: where its row is, and how to make it again."""

    row: int
    run: Run
    family: int
    number: int
    operation: str
    enumeration: Enumeration
    asked: _Asked
    keys: frozenset[str] | None
    contents: Any
    owed: Seen | None = None
    expected: dict[str, Any] | None = None

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

    def _of(self, case: _Case) -> tuple[str, str, str, str]:
        return case.operation, case.field, case.enumeration.control.id, case.verdict


class _Now:
    """What the shard that is running has found so far."""

    def __init__(self, plan: Plan, outcome: Outcome) -> None:
        self.outcome = outcome
        self.columns = {name: n for n, name in enumerate(plan.columns)}

    def find(
        self, case: _Case, name: str, difference: Difference, owed: Seen, alone: bool = True
    ) -> None:
        """Enter a disagreement under its signature."""
        end, setting = owed.end, case.asked.setting
        signature = Signature(
            name, case.operation, case.field, difference.kind, end.verdict, end.reason or "",
            difference.verdict, difference.reason, setting.profile, ", ".join(setting.varied),
        )  # fmt: skip
        found = Found(
            signature, 1, case.enumeration.control.id, case.family, case.run.setting, case.number,
            size(case.contents), difference.text, alone,
        )  # fmt: skip
        before = self.outcome.found.get(signature)
        self.outcome.found[signature] = before.merge(found) if before else found

    def asked(self, name: str, operation: str) -> None:
        """Count a case that a program was asked."""
        self.outcome.asked.setdefault(name, Counter())[operation] += 1

    def unasked(self, name: str, operation: str, why: str) -> None:
        """Take the count back: an answer was not to be expected."""
        self.outcome.asked[name][operation] -= 1
        self.outcome.unasked.setdefault(name, Counter())[why] += 1
