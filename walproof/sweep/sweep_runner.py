"""Run cases: damage a control, read it, send it to programs, and judge and count the replies."""

from __future__ import annotations

import functools
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from conformance import vector_cases
from conformance.answer_text import payload_key, record_text
from conformance.case_results import died
from conformance.case_runner import CaseRunner
from conformance.contents import Contents, digest, size
from conformance.damage.operations import BadOperation, Edit
from conformance.program_session import PROGRAM_FAILURES
from conformance.scratch import Scratch
from conformance.vectors import Vector
from reference_impl.answer import Answer, NewRecord, payload_to_json
from walproof.formats import plugin_for
from walproof.log import Log
from walproof.quantity import counted
from walproof.sweep import properties
from walproof.sweep.appending import Appender, AppendRequest, task_of
from walproof.sweep.controls import Control
from walproof.sweep.dominance import (
    DOMINANCE,
    Json,
    exception_for,
    missing_records,
    reason_for,
    true_records,
    unambiguous,
)  # fmt: skip
from walproof.sweep.effects import NO_ANSWER, AnswerDifference, Effect, difference_of
from walproof.sweep.enumeration import NO_DAMAGE, PAIR, TORN_WRITE, LogDamage
from walproof.sweep.plan import REFERENCE, DamageCase, SweepPlan, SweepProgram
from walproof.sweep.properties import Reference, WrittenRecords
from walproof.sweep.settings import READING, Setting, simplest
from walproof.worker_pool import map_unordered

#: Interval between cases that are read a second time, and then again after a cut at their ``end``.
REREAD_INTERVAL = 32
#: Number of crashes after which a program gets no more cases from the same shard.
MAX_FAILURES = 25
#: Number of crashes that a timeout counts as, because each timeout takes seconds.
TIMEOUT_FAILURES = 5
#: Damaged copies of a control are not sent to a program that fails the undamaged control. They are
#: reported with this reason.
FAILED_CONTROLS = "damaged copies of the failed controls"

_NOTHING = Answer("refused", None, (), (), None)


@dataclass
class SweepFinding:
    """Differences with the same effect in one implementation, and the simplest case."""

    effect: Effect
    case: DamageCase
    #: The size in bytes of the log in the simplest case.
    size: int
    #: The difference that was found in the simplest case.
    text: str
    cases: int = 1
    by_damage: Counter[str] = field(default_factory=Counter)
    by_profile: Counter[str] = field(default_factory=Counter)
    by_varied_key: Counter[str] = field(default_factory=Counter)
    is_varied: bool = False

    @property
    def order(self) -> tuple[bool, bool, int, int, int]:
        """The sort key, by which simpler cases are smaller."""
        case = self.case
        operations = len(case.change.operations)
        return (case.change.family == PAIR, self.is_varied, self.size, operations, case.setting)

    def add(self, other: SweepFinding) -> None:
        """Add the cases of another finding, and keep the simpler of the two cases."""
        self.cases += other.cases
        self.by_damage.update(other.by_damage)
        self.by_profile.update(other.by_profile)
        self.by_varied_key.update(other.by_varied_key)
        self.simplify(other)

    def simplify(self, other: SweepFinding) -> None:
        """Take the case of another finding if it is simpler."""
        if other.order < self.order:
            self.case, self.size, self.text = other.case, other.size, other.text
            self.is_varied = other.is_varied


def _counters() -> defaultdict[str, Counter[str]]:
    return defaultdict(Counter)


@dataclass
class SweepResult:
    """The counts and findings for a set of cases."""

    cases: int = 0
    #: The number of cases that did not run: ``void`` ones and ``duplicates``.
    skipped_cases: Counter[str] = field(default_factory=Counter)
    #: The number of cases for each combination of group, damage, profile, changed context keys and
    #: verdict.
    counts: defaultdict[str, Counter[str]] = field(default_factory=_counters)
    #: For each implementation and outcome, the number of cases.
    outcomes: defaultdict[str, Counter[str]] = field(default_factory=_counters)
    #: Some true records are returned by an implementation but not by the executable specification.
    #: The counts are the ``cases`` that were searched for such records, the cases ``with`` them,
    #: the number of ``records``, and for each exception in the register, by requirement, how many
    #: of the records it covers.
    dominance: defaultdict[str, Counter[str]] = field(default_factory=_counters)
    #: For each implementation and reason, the number of cases that were not sent.
    unsent: defaultdict[str, Counter[str]] = field(default_factory=_counters)
    findings: dict[Effect, SweepFinding] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    #: Failures on undamaged controls, first by implementation, then by control and profile.
    fails: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))

    def add_finding(self, finding: SweepFinding) -> None:
        """Add a finding to the one with the same effect."""
        if finding.effect in self.findings:
            self.findings[finding.effect].add(finding)
        else:
            self.findings[finding.effect] = finding

    def add(self, other: SweepResult) -> None:
        """Add the results of other cases."""
        self.cases += other.cases
        self.skipped_cases.update(other.skipped_cases)
        for name in ("counts", "outcomes", "unsent", "dominance"):
            for key, counter in getattr(other, name).items():
                getattr(self, name)[key].update(counter)
        for finding in other.findings.values():
            self.add_finding(finding)
        self.skipped |= other.skipped
        self.versions |= other.versions
        for implementation, failed in other.fails.items():
            self.fails[implementation] |= failed


@dataclass(frozen=True, slots=True)
class PreparedControl:
    """A control in one setting, with what is needed to judge its cases."""

    control: Control
    setting: Setting
    written: WrittenRecords
    #: The keys of the payloads that were written.
    keys: frozenset[str]
    #: The records that the executable specification returns for the undamaged control in this
    #: context.
    true: Sequence[Json]


@dataclass(slots=True, eq=False)
class DamagedCase:
    """A case with its log, the records to append, and the expected answer."""

    case: DamageCase
    prepared: PreparedControl
    contents: Contents
    edits: Sequence[Edit]
    new: Sequence[NewRecord]
    #: The keys of all payloads that were written. None if the damage forged checksums.
    keys: frozenset[str] | None
    expected: Answer = _NOTHING
    request: AppendRequest | None = None

    @property
    def setting(self) -> Setting:
        """The profile and context."""
        return self.prepared.setting

    @property
    def identity(self) -> str:
        """A text that identifies the log and the request."""
        name, setting = PurePath(self.prepared.control.name), self.setting
        new = [(record.payload, dict(record.fields)) for record in self.new]
        context = sorted(setting.context.items())
        return repr((name.suffix, setting.profile, context, new, digest(self.contents)))

    @property
    def size(self) -> int:
        """Size of the log in bytes."""
        return size(self.contents)

    def for_harness(self, wall_ms: int) -> vector_cases.VectorCase:
        """Return the case as the harness needs it: a vector that exists only in memory."""
        control, profile = self.prepared.control, self.setting.profile
        limits = {"limits": {"wall_ms": wall_ms}}
        if self.request is not None:
            vector = self.request.vector
            return vector_cases.VectorCase(replace(vector, body={**vector.body, **limits}), profile)
        answer = self.expected.to_json()
        body = {
            "id": control.id, "format": control.format, "operation": "read",
            "input": control.name, "context": dict(control.context), "expect": answer,
            "expect_strict": answer, **limits,
        }  # fmt: skip
        return vector_cases.VectorCase(Vector(control.path, body, self.contents), profile)


class SweepRunner:
    """Run cases of a plan, in an exclusive scratch folder."""

    def __init__(self, plan: SweepPlan, folder: Path) -> None:
        self.plan = plan
        self.format_sweep = plugin_for(plan.format).sweep
        self.reference = Reference(plan.format, folder)
        self.appender = Appender(plan.format, folder)
        self.workers = {
            program.name: CaseRunner(program.subject, plan.limits, parent=folder)
            for program in plan.programs
        }
        self.prepared = functools.cache(self._prepare)
        self._failed: dict[tuple[str, int, int], str | None] = {}

    def __enter__(self) -> SweepRunner:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self.workers.values():
            worker.close()

    def run(self, cases: Iterable[DamageCase | None]) -> SweepResult:
        """Run cases. Exceptions of readers become findings. Only machine errors are raised."""
        self.result = SweepResult()
        self._identities: set[str] = set()
        self._failures: Counter[str] = Counter()
        for case in cases:
            damaged = self.damaged(case) if case is not None else None
            if damaged is None:
                self.result.skipped_cases["void"] += 1
            elif self._make(damaged):
                for program in self.plan.programs:
                    self._send(damaged, program)
        return self.result

    def _prepare(self, number: int, setting: int) -> PreparedControl | None:
        """Return a control in one setting, or None if the specification rejects the context."""
        bare = self.plan.controls[number]
        chosen = bare.settings[setting]
        control, expected = replace(bare, context=chosen.context), bare.records
        if chosen.varied and not chosen.appends:
            try:
                answer = self.reference.read(control, control.contents, chosen.profile)
            except ValueError:
                return None
            expected = answer.records
        selecting = set(self.format_sweep.selecting)
        if selecting & {*bare.context, *chosen.context}:
            # The context selects only some of the log's records, so missing ones cannot be
            # determined.
            context = {key: value for key, value in bare.context.items() if key not in selecting}
            unselected = self.reference.read(replace(bare, context=context), bare.contents)
            bare, expected = replace(bare, records=unselected.records), ()
        imported = [bare, *self.plan.enumeration(number).older]
        written = WrittenRecords(bare, imported, expected)
        keys = frozenset(map(_key, written.written))
        true = true_records(self.reference.read(control, control.contents).records)
        return PreparedControl(control, chosen, written, keys, true)

    # -- cases ---------------------------------------------------------------------------------

    def damaged(self, case: DamageCase) -> DamagedCase | None:
        """Return a case with its damaged log, or None if the damage or context is impossible."""
        prepared = self.prepared(case.control, case.setting)
        if prepared is None:
            return None
        try:
            contents, edits = self.plan.enumeration(case.control).damaged(case.change)
        except BadOperation:
            return None
        new: tuple[NewRecord, ...] = ()
        if prepared.setting.appends:
            new = (self.format_sweep.plain(task_of(prepared.control, prepared.setting)),)
        keys = None if self._forges(case.change) else prepared.keys
        return DamagedCase(case, prepared, contents, edits, new, keys)

    def _forges(self, change: LogDamage) -> bool:
        return change.forges or (change.family == PAIR and not self.format_sweep.pairs_tell)

    def _make(self, case: DamagedCase) -> bool:
        """Add a case. Return False if it is void, a duplicate, or has no expected answer."""
        result, setting = self.result, case.setting
        identity = case.identity
        is_undamaged = case.contents == case.prepared.control.contents
        if identity in self._identities or (is_undamaged and case.case.change.operations):
            result.skipped_cases["duplicates"] += 1
            return False
        self._identities.add(identity)
        text = ""
        try:
            faults = self.expect(case)
            if not setting.appends and result.cases % REREAD_INTERVAL == 0:
                log = case.prepared.control, case.contents, case.expected
                same = properties.same_again(self.reference, *log, setting.profile)
                faults += [] if same else [properties.NOT_AGAIN]
                faults += self._faults_of_profiles(case)
        except Exception as error:  # Record the defect as a finding, and continue the sweep.
            if not setting.appends and self.format_sweep.owes_no_answer(error):
                result.skipped_cases["void"] += 1
                return False
            case.expected, text = _NOTHING, f"{type(error).__name__}: {error}"
            faults = [properties.RAISES]
        if case.request is not None and not case.request.is_judged:
            result.skipped_cases["void"] += 1
            return False
        result.cases += 1
        counted = {
            "group": self.plan.group(case.case), "operation": case.case.change.family,
            "profile": setting.profile, "varied": ", ".join(setting.varied),
            "verdict": case.expected.verdict,
        }  # fmt: skip
        for name, value in counted.items():
            result.counts[name][value] += 1
        result.outcomes[REFERENCE]["differs" if faults else "agrees"] += 1
        for fault in faults:
            self._find(case, REFERENCE, AnswerDifference(fault, text or properties.MEANING[fault]))
        return case.request is not None or not setting.appends

    def expect(self, case: DamagedCase) -> list[str]:
        """Set the expected answer of a case, and return the invariants that it violates."""
        prepared, setting, change = case.prepared, case.setting, case.case.change
        if not setting.appends:
            case.expected = self.reference.read(prepared.control, case.contents, setting.profile)
            forges = self._forges(change)
            faults = prepared.written.faults(
                case.expected, case.contents, change.shifts, forges, change.family == PAIR
            )
            return faults + self._faults_of_damage(case)
        request = self.appender.request(prepared.control, setting, case.contents, case.new)
        case.request, case.expected = request, request.before
        # After the request, the log may contain all these payloads.
        payloads = [record.payload for record in request.before.records]
        payloads += [record.payload for record in request.new]
        case.keys = prepared.keys.union(map(_key, payloads))
        return [*request.faults]

    def _faults_of_damage(self, case: DamagedCase) -> list[str]:
        """Return the properties that an answer violates after a single damage or a torn write."""
        control, change, answer = case.prepared.control, case.case.change, case.expected
        if case.setting.profile != "recover" or case.setting.varied or not control.earlier:
            return []
        if change.family == TORN_WRITE:
            return properties.torn_write_faults(control, answer)
        touched = properties.touched_by(case.edits)
        if touched is None or change.halves or change.forges or answer.verdict == "refused":
            return []
        kept = properties.spared(control, touched, change.shifts)
        is_spared = properties.has_all(answer, kept)
        return [] if is_spared else [properties.NOT_SPARED]

    def _faults_of_profiles(self, case: DamagedCase) -> list[str]:
        """Return the properties that the `strict` answer or a recovered log violates."""
        control, faults = case.prepared.control, []
        answers = [self.reference.read(control, case.contents, each) for each in READING]
        if properties.difference_in_strict(*answers):
            faults.append(properties.NO_PREFIX)
        if not control.earlier:
            return faults
        log = Log(control.format, self.reference.folder / control.name, context=control.context)
        new = self.reference.folder / "recovered" / control.name
        new.parent.mkdir()
        try:
            if not properties.is_recovered(log, new, control):
                faults.append(properties.NOT_RECOVERED)
        finally:
            shutil.rmtree(new.parent)
        return faults

    def _find(
        self, case: DamagedCase, implementation: str, difference: AnswerDifference,
        expected: Answer | None = None,
    ) -> None:  # fmt: skip
        change, setting = case.case.change, case.setting
        damage = change.family + (f" of {change.field}" if change.field else "")
        effect = Effect.of(implementation, setting.profile, difference, expected or case.expected)
        finding = SweepFinding(
            effect, case.case, case.size, difference.text,
            by_damage=Counter([damage]), by_profile=Counter([setting.profile]),
            by_varied_key=Counter([", ".join(setting.varied)] if setting.varied else []),
            is_varied=bool(setting.varied),
        )  # fmt: skip
        self.result.add_finding(finding)

    # -- programs ------------------------------------------------------------------------------

    def _send(self, case: DamagedCase, program: SweepProgram) -> None:
        name = program.name
        if not program.supports(self.plan.format, case.setting):
            return
        if not self.plan.dominance and self._failed_control(program, case.case) is not None:
            self.result.unsent[name][FAILED_CONTROLS] += 1
            return
        if self._failures[name] >= MAX_FAILURES:
            reason = f"stopped after {MAX_FAILURES} crashes in a shard"
            self.result.unsent[name][reason] += 1
            return
        result, difference = self._run_case(case, program)
        if case.keys is not None and case.setting.profile == "recover":
            self._find_dominance(case, name, result)
        if self.plan.dominance:
            difference = None
        if result["class"] in NO_ANSWER:
            self._failures[name] += TIMEOUT_FAILURES if result["class"] == "timeout" else 1
        if result["class"] == "skipped":
            self.result.skipped.setdefault(name, str(result["difference"]))
        outcome = {"pass": "agrees", "fail": "differs"}.get(result["class"], result["class"])
        self.result.outcomes[name][outcome] += 1
        if difference is not None:
            self._find(case, name, difference)

    def _find_dominance(self, case: DamagedCase, name: str, result: Mapping[str, Any]) -> None:
        """Add a finding if a program returned true records that the specification omitted."""
        if result["class"] not in ("pass", "fail"):
            return
        counts = self.result.dominance[name]
        counts["cases"] += 1
        judgement = self.workers[name].judgement
        if judgement is None or judgement.actual is None:
            return
        change, older = case.case.change, self.plan.enumeration(case.case.control).older
        true = unambiguous(case.prepared.true, change, older)
        records = judgement.expected["records"], judgement.actual["records"]
        missing = missing_records(self.plan.format, true, *records, judgement.parts)
        if missing:
            counts.update({"with": 1, "records": len(missing)})
        by_reason: defaultdict[str, list[Json]] = defaultdict(list)
        for record in missing:
            reason = reason_for(record, case.expected)
            if exception := exception_for(self.plan.format, name, reason, change):
                counts[exception] += 1
            else:
                by_reason[reason].append(record)
        for reason, found in by_reason.items():
            text = f"{counted(len(found), 'true record')}, first {record_text(found[0])}"
            expected = replace(case.expected, reason=reason)
            self._find(case, name, AnswerDifference(DOMINANCE, text), expected)

    def _failed_control(self, program: SweepProgram, case: DamageCase) -> str | None:
        """Return how a program fails an undamaged control in its own context, if it does.

        A failure is also added to the result.
        """
        control = self.plan.controls[case.control]
        simple = simplest(control.settings, control.settings[case.setting])
        setting = control.settings[simple]
        if not program.supports(self.plan.format, setting):
            return None
        key = (program.name, case.control, simple)
        if key not in self._failed:
            whole = self.damaged(DamageCase(case.control, simple, NO_DAMAGE))
            difference = None
            if whole is not None:
                self.expect(whole)
                _, difference = self._run_case(whole, program)
            self._failed[key] = difference.text if difference else None
        text = self._failed[key]
        if text is not None:
            self.result.fails[program.name][f"{control.id} {setting.profile}"] = text
        return text

    def _run_case(
        self, case: DamagedCase, program: SweepProgram
    ) -> tuple[dict[str, Any], AnswerDifference | None]:
        worker, harness_case = self.workers[program.name], case.for_harness(self.plan.wall_ms)
        judgement = None
        try:
            hello = worker.open_session().hello
            if not program.subject.one_shot:
                self.result.versions[program.name] = f"{hello['name']} {hello['version']}"
            result = worker.run(harness_case)
            judgement = worker.judgement
        # The program sent no hello. The next case restarts it.
        except PROGRAM_FAILURES as error:
            result = died(error, harness_case, worker.stderr)
            worker.close_session()
        return result, difference_of(result, judgement, case.keys)


def _key(payload: bytes) -> str:
    return payload_key(payload_to_json(payload))


def run_shards(plan: SweepPlan, seconds: float | None = None) -> Iterator[tuple[int, SweepResult]]:
    """Run the shards of a plan in a worker pool. Yield the number and the result of each shard.

    No shard starts after ``seconds`` have passed. Raises ``WorkerDied``.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    # This process owns the scratch folder, so it can remove the folder even if workers are killed.
    scratch = Scratch()
    try:
        arguments = (plan, scratch.folder)
        yield from map_unordered(
            _run_shard, range(len(plan.shards)), _start_worker, arguments, deadline
        )
    finally:
        scratch.close()


#: A worker process stores the runner for its shards here.
_runner: SweepRunner | None = None


def _start_worker(plan: SweepPlan, scratch: Path) -> None:
    global _runner
    _runner = SweepRunner(plan, Path(tempfile.mkdtemp(dir=scratch)))


def _run_shard(number: int) -> tuple[int, SweepResult]:
    assert _runner is not None
    plan = _runner.plan
    shard = (case for cases in plan.shards[number] for case in plan.cases(cases))
    return number, _runner.run(shard)
