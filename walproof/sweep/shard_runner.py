"""Run shards: generate cases, read them, send them to programs, judge and count the replies."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance import cases
from conformance.contents import Contents, size
from conformance.describe import payload_key
from conformance.outcome import died
from conformance.runner import Worker, repeats_alone
from conformance.sandbox import isolation
from conformance.session import PROGRAM_FAILURES
from conformance.vectors import Vector
from reference_impl.answer import End, payload_to_json
from walproof.formats import plugin_for
from walproof.sweep import invariants, shares
from walproof.sweep.controls import Control, fingerprint, seed_of
from walproof.sweep.effects import NO_ANSWER, Difference, Signature, difference_of
from walproof.sweep.enumeration import Enumeration
from walproof.sweep.invariants import Written
from walproof.sweep.plan import Enumerations, Plan, Run
from walproof.sweep.programs import REFERENCE, Program
from walproof.sweep.settings import Setting, simplest
from walproof.sweep.shard import Occurrence, ShardResult
from walproof.sweep.specification import ReaderOutput, Reference
from walproof.sweep.writing import Request, Writer, records_for

#: Of this many cases, one is read again, and once more after a cut at its ``end``.
REREAD_INTERVAL = 32
#: Number of crashes in a shard after which a program gets no more of its cases.
MAX_FAILURES = 25
#: Number of crashes that a timeout counts as, since each takes seconds.
TIMEOUT_FAILURES = 5

_REFUSED = End("refused", None, None)
_NOTHING = ReaderOutput([], [], _REFUSED, [_REFUSED])


@dataclass(frozen=True, slots=True)
class PreparedControl:
    """A control in a setting, with the data for judging its cases.

    ``seed`` is the initial value of fingerprints. ``keys`` identifies the payloads that were
    written.
    """

    control: Control
    setting: Setting
    written: Written
    seed: int
    keys: frozenset[str]


@dataclass(slots=True, eq=False)
class Case:
    """A case: how to generate it again, and the expected answer.

    ``keys`` identifies all payloads that were written, or is None if the damage forged checksums.
    """

    run: Run
    family: int
    number: int
    enumeration: Enumeration
    prepared: PreparedControl
    contents: Contents
    keys: frozenset[str] | None
    expected: ReaderOutput = _NOTHING
    request: Request | None = None

    @property
    def operation(self) -> str:
        """Name of the damage."""
        return self.enumeration.operation(self.family)

    @property
    def size(self) -> int:
        """Bytes of the log, or of the payloads to write."""
        if self.prepared.setting.profile == "write" and self.request is not None:
            return sum(len(record.payload) for record in self.request.new)
        return size(self.contents)

    def for_harness(self, wall_ms: int) -> cases.Case:
        """Return the case for the harness, as a vector that exists only in memory."""
        control, profile = self.prepared.control, self.prepared.setting.profile
        limits = {"limits": {"wall_ms": wall_ms}}
        if self.request is not None:
            vector = self.request.vector
            return cases.Case(replace(vector, body={**vector.body, **limits}), profile)
        answer = self.expected.answer().to_json()
        body = {
            "id": control.id, "format": control.format, "operation": "read",
            "input": control.name, "context": dict(control.context), "expect": answer,
            "expect_strict": answer, **limits,
        }  # fmt: skip
        return cases.Case(Vector(control.path, body, self.contents), profile)


class ShardRunner:
    """Run shards of a plan; readers and programs keep running between shards.

    ``folder`` is an exclusive scratch folder, best in memory.
    """

    def __init__(self, plan: Plan, folder: Path, enumerations: Enumerations | None = None) -> None:
        self.plan = plan
        self.reference = Reference(plan.format, folder)
        self.writer = Writer(plan.format, folder)
        self.workers = {
            program.name: Worker(program.subject, plan.limits, parent=folder)
            for program in plan.programs
        }
        self.enumerations = enumerations or Enumerations(plan)
        self._prepared: dict[tuple[int, int], PreparedControl | None] = {}
        self._sound: dict[tuple[str, int, int], bool] = {}
        self._begin(0)

    def close(self) -> None:
        """Stop the programs."""
        for worker in self.workers.values():
            worker.close()

    def run(self, number: int) -> ShardResult:
        """Run one shard. Errors of a reader are findings; only errors of the machine are raised."""
        started, processor = time.monotonic(), time.process_time()
        self._begin(number)
        result = self.result
        if self.plan.programs:
            result.isolation = isolation(all(each.subject.isolated for each in self.plan.programs))
        for run in self.plan.shards[number]:
            self._run(run)
        result.count_outcomes()
        result.seconds["all"] = time.monotonic() - started
        result.seconds["processor"] = time.process_time() - processor
        return result

    def _begin(self, number: int) -> None:
        self.result = ShardResult(number, self.plan.columns)
        self._fingerprints: set[int] = set()
        self._failures: Counter[str] = Counter()

    def prepared(self, number: int, setting: int) -> PreparedControl | None:
        """Return a control in a setting; None if the specification rejects the context."""
        if (number, setting) not in self._prepared:
            self._prepared[number, setting] = self._prepare(number, setting)
        return self._prepared[number, setting]

    def _prepare(self, number: int, setting: int) -> PreparedControl | None:
        bare = self.plan.controls[number]
        chosen = bare.settings[setting]
        control, expected = replace(bare, context=chosen.context), bare.records
        if chosen.varied and not chosen.writes:
            try:
                answer = self.reference.read(control, control.contents, chosen.profile)
            except ValueError:
                return None
            expected = tuple(answer.records)
        selecting = set(plugin_for(self.plan.format).sweep.selecting)
        if selecting & {*bare.context, *chosen.context}:
            # The log holds more than the selection, so missing records cannot be determined.
            context = {key: value for key, value in bare.context.items() if key not in selecting}
            unselected = self.reference.read(replace(bare, context=context), bare.contents)
            bare, expected = replace(bare, records=tuple(unselected.records)), ()
        written = Written(bare, self.enumerations[number].imported, expected)
        keys = frozenset(payload_key(payload_to_json(payload)) for payload in written.written)
        return PreparedControl(control, chosen, written, seed_of(bare, chosen), keys)

    # -- cases ---------------------------------------------------------------------------------

    def _run(self, run: Run) -> None:
        prepared = self.prepared(run.control, run.setting)
        if prepared is None:
            self.result.counts["cases"]["void"] += run.stop - run.start
            return
        enumeration, setting = self.enumerations[run.control], prepared.setting
        programs = self._programs(run)
        first = len(self.result.rows)
        for family, number in numbers_of(run, enumeration):
            damaged = enumeration.make(family, number)
            if damaged is None:
                self.result.counts["cases"]["void"] += 1
                continue
            keys = None if damaged.forges else prepared.keys
            case = Case(run, family, number, enumeration, prepared, damaged.contents, keys)
            if setting.writes:
                is_case = self._make_write(case)
            else:
                is_case = self._make_read(case, damaged.shifts, damaged.forges)
            if is_case:
                for program in programs:
                    self._send(case, program)
        self.result.count_rows(first, self._group(run, setting), setting)

    def _group(self, run: Run, setting: Setting) -> str:
        if setting.writes:
            return shares.WRITES if setting.profile == "write" else shares.APPENDS
        return (
            shares.CONTEXTS if setting.varied else self.enumerations[run.control].group(run.family)
        )

    def _is_double(self, mark: int) -> bool:
        if mark in self._fingerprints:
            self.result.counts["cases"]["doubles"] += 1
            return True
        self._fingerprints.add(mark)
        return False

    def _make_read(self, case: Case, shifts: bool, forges: bool) -> bool:
        """Read a case with the executable specification; return False if void or duplicate."""
        prepared, contents = case.prepared, case.contents
        control, profile = prepared.control, prepared.setting.profile
        mark = fingerprint(contents, prepared.seed)
        if self._is_double(mark):
            return False
        text = ""
        try:
            case.expected = self.reference.read(control, contents, profile)
            faults = prepared.written.faults(case.expected, contents, shifts, forges)
            if len(self.result.rows) % REREAD_INTERVAL == 0:
                self.result.counts["cases"]["again"] += 1
                if not invariants.same_again(
                    self.reference, control, contents, case.expected, profile
                ):
                    faults.append(invariants.NOT_AGAIN)
        except Exception as error:  # a defect of the reader is a finding; the sweep continues
            if plugin_for(self.plan.format).sweep.owes_no_answer(error):
                self.result.counts["cases"]["void"] += 1
                return False
            case.expected, text = _NOTHING, f"{type(error).__name__}: {error}"
            faults = [invariants.RAISES]
        self._enter(case, mark, faults, text)
        return True

    def _make_write(self, case: Case) -> bool:
        """Write or append with the executable specification; return False if there is nothing to
        judge.
        """
        prepared, setting = case.prepared, case.prepared.setting
        new = records_for(case.enumeration, setting, case.family, case.number)
        mark = fingerprint(case.contents, prepared.seed)
        mark = fingerprint(repr([(r.payload, dict(r.fields)) for r in new]).encode(), mark)
        if self._is_double(mark):
            return False
        faults, text = [invariants.RAISES], ""
        try:
            case.request = self.writer.request(prepared.control, setting, case.contents, new)
            case.expected, faults = case.request.before, list(case.request.faults)
        except Exception as error:  # a defect of the writer is a finding; the sweep continues
            text = f"{type(error).__name__}: {error}"
        if case.request is not None and not case.request.is_judged:
            self.result.counts["cases"]["void"] += 1
            return False
        self._enter(case, mark, faults, text)
        if case.request is None:
            return False
        case.keys = _written_keys(prepared, case.request)
        return True

    def _enter(self, case: Case, mark: int, faults: list[str], text: str) -> None:
        """Add the row of a case, and the faults of the executable specification."""
        setting, end = case.prepared.setting, case.expected.end
        self.result.add_row(
            control=case.enumeration.control.id, operation=case.operation, family=case.family,
            number=case.number, setting=setting, size=case.size, fingerprint=_signed(mark),
            verdict=end.verdict, reason=end.reason, records=len(case.expected.records),
        )  # fmt: skip
        self.result.set_outcome(REFERENCE, "differs" if faults else "agrees")
        for fault in faults:
            self._find(case, REFERENCE, Difference(fault, text or invariants.MEANING[fault]))

    def _find(self, case: Case, name: str, difference: Difference, alone: bool = True) -> None:
        """Add a difference under its signature."""
        end, setting, enumeration = case.expected.end, case.prepared.setting, case.enumeration
        signature = Signature(
            name, case.operation, enumeration.field(case.family, case.number), difference.kind,
            end.verdict, end.reason or "", difference.verdict, difference.reason, setting.profile,
            ", ".join(setting.varied), enumeration.value(case.family, case.number),
        )  # fmt: skip
        self.result.add(
            Occurrence(
                signature, 1, enumeration.control.id, case.family, case.run.setting,
                case.number, case.size, difference.text, alone,
            )
        )  # fmt: skip

    # -- programs ------------------------------------------------------------------------------

    def _programs(self, run: Run) -> list[Program]:
        """Return the programs that get the cases of a run, those that pass the undamaged
        control."""
        setting = self.plan.controls[run.control].settings[run.setting]
        sound = []
        for program in self.plan.programs:
            if not program.supports(self.plan.format, setting):
                continue
            if self._is_sound(program, run):
                sound.append(program)
            else:
                self.result.counts["left"][program.name] += run.stop - run.start
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
                self.result.fails.setdefault(program.name, {})[control_name] = difference
        return self._sound[key]

    def _wrong_undamaged(self, program: Program, run: Run) -> str | None:
        """Return the difference for the undamaged control of a run; None if the program passes."""
        prepared, enumeration = (
            self.prepared(run.control, run.setting),
            self.enumerations[run.control],
        )
        intact = enumeration.make(0, 0)
        if prepared is None or intact is None:
            return None
        case = Case(run, 0, 0, enumeration, prepared, intact.contents, prepared.keys)
        setting = prepared.setting
        if setting.writes:
            new = records_for(enumeration, setting, 0, 0)
            case.request = self.writer.request(prepared.control, setting, intact.contents, new)
            case.expected = case.request.before
            case.keys = _written_keys(prepared, case.request)
        else:
            case.expected = self.reference.read(prepared.control, intact.contents, setting.profile)
        _, difference = self._run_case(case, program)
        return difference.text if difference is not None else None

    def _send(self, case: Case, program: Program) -> None:
        """Send a case to a program and add the outcome."""
        name = program.name
        if self._failures[name] >= MAX_FAILURES:
            reason = f"stopped after {MAX_FAILURES} crashes in a shard"
            self.result.counts[f"unsent {name}"][reason] += 1
            return
        self.result.counts[f"sent {name}"][case.operation] += 1
        result, difference = self._run_case(case, program)
        if result["class"] in NO_ANSWER:
            self._failures[name] += TIMEOUT_FAILURES if result["class"] == "timeout" else 1
        if result["class"] == "skipped":
            self.result.skipped.setdefault(name, str(result["difference"]))
        outcome = {"pass": "agrees", "fail": "differs"}.get(result["class"], result["class"])
        self.result.set_outcome(name, outcome)
        if difference is not None:
            alone = result["class"] == "fail" or repeats_alone(result)
            self._find(case, name, difference, alone)

    def _run_case(self, case: Case, program: Program) -> tuple[dict[str, Any], Difference | None]:
        worker, harness_case = self.workers[program.name], case.for_harness(self.plan.wall_ms)
        started, judgement = time.monotonic(), None
        try:
            hello = worker.open_session().hello
            if not program.subject.one_shot:
                self.result.versions[program.name] = f"{hello['name']} {hello['version']}"
            result = worker.run(harness_case)
            judgement = worker.judgement
        except PROGRAM_FAILURES as error:  # no hello: the next case restarts the program
            result = died(error, harness_case, worker.stderr)
            worker.close_session()
        self.result.seconds[f"waiting for {program.name}"] += time.monotonic() - started
        return result, difference_of(result, judgement, case.keys)


def _written_keys(prepared: PreparedControl, request: Request) -> frozenset[str]:
    """Return the keys of all payloads that a log may hold after a write or an append."""
    payloads = [record.payload for record in request.before.records]
    payloads += [record.payload for record in request.new]
    return prepared.keys | {payload_key(payload_to_json(payload)) for payload in payloads}


def _signed(mark: int) -> int:
    """Return a fingerprint as a signed 64-bit number, the type of its column."""
    return mark - (1 << 64) if mark >> 63 else mark


def numbers_of(run: Run, enumeration: Enumeration) -> Iterator[tuple[int, int]]:
    """Yield family and number of each damage of a run."""
    count = enumeration.count(run.family)
    for position in range(run.start, run.stop):
        number = position
        if run.spread and run.family == enumeration.pair:
            number = 2 * position + run.setting % 2  # the two profiles get different pairs
        elif run.spread:
            number = shares.spread(position, count, 7919 * run.setting)
        yield enumeration.resolved(run.family, number)
