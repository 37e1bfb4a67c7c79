"""Run shards: generate cases, read them, send them to programs, judge and count the replies."""

from __future__ import annotations

import functools
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from conformance import cases
from conformance.contents import digest, size
from conformance.describe import payload_key
from conformance.outcome import died
from conformance.runner import Worker
from conformance.scratch import Held
from conformance.session import PROGRAM_FAILURES
from conformance.vectors import Vector
from reference_impl.answer import Answer, NewRecord, payload_to_json
from walproof.formats import plugin_for
from walproof.sweep import invariants, shares
from walproof.sweep.controls import Control
from walproof.sweep.effects import NO_ANSWER, Difference, Signature, difference_of
from walproof.sweep.enumeration import DamagedLog, Enumeration
from walproof.sweep.invariants import Written
from walproof.sweep.plan import Enumerations, Plan, Run
from walproof.sweep.programs import REFERENCE, Program
from walproof.sweep.result import COUNTED, Occurrence, Result
from walproof.sweep.settings import Setting, simplest
from walproof.sweep.specification import Reference
from walproof.sweep.writing import Request, Writer, records_for
from walproof.worker_pool import map_unordered

#: One case in this many is read a second time, and then once more after a cut at its ``end``.
REREAD_INTERVAL = 32
#: Number of crashes after which a program gets no more cases of a shard.
MAX_FAILURES = 25
#: Number of crashes that one timeout counts as, because a timeout takes seconds.
TIMEOUT_FAILURES = 5
#: Reason why a program does not get the damaged copies of a control that it fails.
LEFT = "damaged copies of the failed controls"

_NOTHING = Answer("refused", None, (), (), None)


@dataclass(frozen=True, slots=True)
class PreparedControl:
    """A control in a setting, with the data for judging its cases."""

    control: Control
    setting: Setting
    written: Written
    #: Keys of the payloads that were written.
    keys: frozenset[str]


@dataclass(slots=True, eq=False)
class Case:
    """A case: the data for generating the case again, and the expected answer."""

    run: Run
    family: int
    number: int
    enumeration: Enumeration
    prepared: PreparedControl
    damaged: DamagedLog
    #: Records to write.
    new: Sequence[NewRecord]
    #: Keys of all payloads that were written, or None if the damage forged checksums.
    keys: frozenset[str] | None
    expected: Answer = _NOTHING
    request: Request | None = None

    @property
    def setting(self) -> Setting:
        """Profile and context."""
        return self.prepared.setting

    @property
    def operation(self) -> str:
        """Name of the damage."""
        return self.enumeration.operation(self.family)

    @property
    def identity(self) -> str:
        """A text that identifies the log and the request."""
        name, setting = PurePath(self.prepared.control.name), self.setting
        new = [(record.payload, dict(record.fields)) for record in self.new]
        context = sorted(setting.context.items())
        return repr((name.suffix, setting.profile, context, new, digest(self.damaged.contents)))

    @property
    def size(self) -> int:
        """Size of the log in bytes, or of the payloads to write."""
        if self.setting.profile == "write":
            return sum(len(record.payload) for record in self.new)
        return size(self.damaged.contents)

    def for_harness(self, wall_ms: int) -> cases.Case:
        """Return the case for the harness, as a vector that exists only in memory."""
        control, profile = self.prepared.control, self.setting.profile
        limits = {"limits": {"wall_ms": wall_ms}}
        if self.request is not None:
            vector = self.request.vector
            return cases.Case(replace(vector, body={**vector.body, **limits}), profile)
        answer = self.expected.to_json()
        body = {
            "id": control.id, "format": control.format, "operation": "read",
            "input": control.name, "context": dict(control.context), "expect": answer,
            "expect_strict": answer, **limits,
        }  # fmt: skip
        return cases.Case(Vector(control.path, body, self.damaged.contents), profile)


class ShardRunner:
    """Run shards of a plan, in an exclusive scratch folder."""

    def __init__(self, plan: Plan, folder: Path, enumerations: Enumerations | None = None) -> None:
        self.plan = plan
        self.reference = Reference(plan.format, folder)
        self.writer = Writer(plan.format, folder)
        self.workers = {
            program.name: Worker(program.subject, plan.limits, parent=folder)
            for program in plan.programs
        }
        self.enumerations = enumerations or Enumerations(plan)
        self.prepared = functools.cache(self._prepare)
        self._sound: dict[tuple[str, int, int], bool] = {}

    def __enter__(self) -> ShardRunner:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self.workers.values():
            worker.close()

    def run(self, shard: Sequence[Run]) -> Result:
        """Run one shard. Errors of a reader are findings; only errors of the machine are raised."""
        self.result = Result()
        self._identities: set[str] = set()
        self._failures: Counter[str] = Counter()
        for run in shard:
            self._run(run)
        return self.result

    def _prepare(self, number: int, setting: int) -> PreparedControl | None:
        """Return a control in a setting; None if the specification rejects the context."""
        bare = self.plan.controls[number]
        chosen = bare.settings[setting]
        control, expected = replace(bare, context=chosen.context), bare.records
        if chosen.varied and not chosen.writes:
            try:
                answer = self.reference.read(control, control.contents, chosen.profile)
            except ValueError:
                return None
            expected = answer.records
        selecting = set(plugin_for(self.plan.format).sweep.selecting)
        if selecting & {*bare.context, *chosen.context}:
            # The log contains more records than the context selects, so missing records cannot be
            # determined.
            context = {key: value for key, value in bare.context.items() if key not in selecting}
            unselected = self.reference.read(replace(bare, context=context), bare.contents)
            bare, expected = replace(bare, records=unselected.records), ()
        written = Written(bare, self.enumerations[number].imported, expected)
        keys = frozenset(map(_key, written.written))
        return PreparedControl(control, chosen, written, keys)

    # -- cases ---------------------------------------------------------------------------------

    def _run(self, run: Run) -> None:
        prepared = self.prepared(run.control, run.setting)
        if prepared is None:
            self.result.skipped_cases["void"] += run.stop - run.start
            return
        enumeration = self.enumerations[run.control]
        programs = self._programs(run)
        for family, number in numbers_of(run, enumeration):
            damaged = enumeration.make(family, number)
            if damaged is None:
                self.result.skipped_cases["void"] += 1
                continue
            case = self._case(run, prepared, family, number, damaged)
            if self._make(case):
                for program in programs:
                    self._send(case, program)

    def _case(
        self, run: Run, prepared: PreparedControl, family: int, number: int, damaged: DamagedLog
    ) -> Case:
        enumeration, setting = self.enumerations[run.control], prepared.setting
        new = records_for(enumeration, setting, family, number) if setting.writes else ()
        keys = None if damaged.forges else prepared.keys
        return Case(run, family, number, enumeration, prepared, damaged, new, keys)

    def _make(self, case: Case) -> bool:
        """Add a case; return False if it is void, a duplicate, or has no expected answer."""
        result, writes = self.result, case.setting.writes
        identity = case.identity
        if identity in self._identities:
            result.skipped_cases["doubles"] += 1
            return False
        self._identities.add(identity)
        text = ""
        try:
            faults = self._expect(case)
            if not writes and result.cases % REREAD_INTERVAL == 0:
                log = case.prepared.control, case.damaged.contents
                same = invariants.same_again(
                    self.reference, *log, case.expected, case.setting.profile
                )
                faults += [] if same else [invariants.NOT_AGAIN]
        except Exception as error:  # a defect is a finding; the sweep continues
            if not writes and plugin_for(self.plan.format).sweep.owes_no_answer(error):
                result.skipped_cases["void"] += 1
                return False
            case.expected, text = _NOTHING, f"{type(error).__name__}: {error}"
            faults = [invariants.RAISES]
        if case.request is not None and not case.request.is_judged:
            result.skipped_cases["void"] += 1
            return False
        self._count(case)
        result.outcomes[REFERENCE]["differs" if faults else "agrees"] += 1
        for fault in faults:
            self._find(case, REFERENCE, Difference(fault, text or invariants.MEANING[fault]))
        return case.request is not None or not writes

    def _expect(self, case: Case) -> list[str]:
        """Set the expected answer of a case; return the violated invariants."""
        prepared, setting = case.prepared, case.setting
        contents, shifts, forges = case.damaged
        if not setting.writes:
            case.expected = self.reference.read(prepared.control, contents, setting.profile)
            return prepared.written.faults(case.expected, contents, shifts, forges)
        request = self.writer.request(prepared.control, setting, contents, case.new)
        case.request, case.expected = request, request.before
        # All payloads that the log may contain after the request.
        payloads = [record.payload for record in request.before.records]
        payloads += [record.payload for record in request.new]
        case.keys = prepared.keys.union(map(_key, payloads))
        return [*request.faults]

    def _count(self, case: Case) -> None:
        setting = case.setting
        if setting.writes:
            group = shares.WRITES if setting.profile == "write" else shares.APPENDS
        elif setting.varied:
            group = shares.CONTEXTS
        else:
            group = case.enumeration.group(case.family)
        self.result.cases += 1
        varied = ", ".join(setting.varied)
        values = (group, case.operation, setting.profile, varied, case.expected.verdict)
        for name, value in zip(COUNTED, values, strict=True):
            self.result.counts[name][value] += 1

    def _find(self, case: Case, name: str, difference: Difference) -> None:
        expected, setting, enumeration = case.expected, case.setting, case.enumeration
        signature = Signature(
            name, case.operation, enumeration.field(case.family, case.number), difference.kind,
            expected.verdict, expected.reason or "", difference.verdict, difference.reason,
            setting.profile, ", ".join(setting.varied),
        )  # fmt: skip
        occurrence = Occurrence(
            signature, 1, enumeration.control.id, case.family, case.run.setting, case.number,
            case.size, difference.text,
        )  # fmt: skip
        self.result.add_occurrence(occurrence)

    # -- programs ------------------------------------------------------------------------------

    def _programs(self, run: Run) -> list[Program]:
        """Return the programs that get the cases of a run."""
        setting = self.plan.controls[run.control].settings[run.setting]
        sound = []
        for program in self.plan.programs:
            if not program.supports(self.plan.format, setting):
                continue
            if self._is_sound(program, run):
                sound.append(program)
            else:
                self.result.unsent[program.name][LEFT] += run.stop - run.start
        return sound

    def _is_sound(self, program: Program, run: Run) -> bool:
        """Return whether a program passes an undamaged control in its own context."""
        control = self.plan.controls[run.control]
        simple = simplest(control.settings, control.settings[run.setting])[0]
        setting = control.settings[simple]
        if setting.profile == "write" or not program.supports(self.plan.format, setting):
            return True
        key = (program.name, run.control, simple)
        if key not in self._sound:
            difference = self._wrong_undamaged(program, run._replace(setting=simple, family=0))
            self._sound[key] = difference is None
            if difference is not None:
                control_name = f"{control.id} {setting.profile}"
                self.result.fails[program.name][control_name] = difference
        return self._sound[key]

    def _wrong_undamaged(self, program: Program, run: Run) -> str | None:
        """Return the difference for the undamaged control of a run; None if the program passes."""
        prepared = self.prepared(run.control, run.setting)
        intact = self.enumerations[run.control].make(0, 0)
        if prepared is None or intact is None:
            return None
        case = self._case(run, prepared, 0, 0, intact)
        self._expect(case)
        _, difference = self._run_case(case, program)
        return difference.text if difference is not None else None

    def _send(self, case: Case, program: Program) -> None:
        name = program.name
        if self._failures[name] >= MAX_FAILURES:
            reason = f"stopped after {MAX_FAILURES} crashes in a shard"
            self.result.unsent[name][reason] += 1
            return
        result, difference = self._run_case(case, program)
        if result["class"] in NO_ANSWER:
            self._failures[name] += TIMEOUT_FAILURES if result["class"] == "timeout" else 1
        if result["class"] == "skipped":
            self.result.skipped.setdefault(name, str(result["difference"]))
        outcome = {"pass": "agrees", "fail": "differs"}.get(result["class"], result["class"])
        self.result.outcomes[name][outcome] += 1
        if difference is not None:
            self._find(case, name, difference)

    def _run_case(self, case: Case, program: Program) -> tuple[dict[str, Any], Difference | None]:
        worker, harness_case = self.workers[program.name], case.for_harness(self.plan.wall_ms)
        judgement = None
        try:
            hello = worker.open_session().hello
            if not program.subject.one_shot:
                self.result.versions[program.name] = f"{hello['name']} {hello['version']}"
            result = worker.run(harness_case)
            judgement = worker.judgement
        except PROGRAM_FAILURES as error:  # no hello: the next case restarts the program
            result = died(error, harness_case, worker.stderr)
            worker.close_session()
        return result, difference_of(result, judgement, case.keys)


def _key(payload: bytes) -> str:
    return payload_key(payload_to_json(payload))


def numbers_of(run: Run, enumeration: Enumeration) -> Iterator[tuple[int, int]]:
    """Yield family and number of each change of a run."""
    count = enumeration.count(run.family)
    for position in range(run.start, run.stop):
        number = position
        if run.spread:
            # Many controls start with the same bytes, so the first prefix differs in each control.
            number = shares.spread(position, count, 7919 * (run.control + run.setting))
        yield enumeration.resolved(run.family, number)


def run_shards(plan: Plan, seconds: float | None = None) -> Iterator[tuple[int, Result]]:
    """Run the shards of a plan in a worker pool; yield numbers and results.

    No shard starts after ``seconds``. Raises ``WorkerDied``.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    # This process owns the scratch folder and removes it, however the workers end.
    scratch = Held()
    try:
        arguments = (plan, scratch.folder)
        yield from map_unordered(
            _run_shard, range(len(plan.shards)), _start_worker, arguments, deadline
        )
    finally:
        scratch.close()


#: In a worker process: the runner of its shards.
_runner: ShardRunner | None = None


def _start_worker(plan: Plan, scratch: Path) -> None:
    global _runner
    _runner = ShardRunner(plan, Path(tempfile.mkdtemp(dir=scratch)))


def _run_shard(number: int) -> tuple[int, Result]:
    assert _runner is not None
    return number, _runner.run(_runner.plan.shards[number])
