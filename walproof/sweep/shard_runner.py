"""Runs shards: cases are made, read, sent to the programs under test, judged and counted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance.contents import Contents, size
from conformance.describe import payload_key
from conformance.sandbox import isolation
from reference_impl.answer import End, payload_to_json
from walproof.formats import plugin_for
from walproof.sweep import invariants, judge, shares
from walproof.sweep.controls import Control, fingerprint, seed_of
from walproof.sweep.invariants import Written
from walproof.sweep.judge import Difference, Signature
from walproof.sweep.plan import Enumerations, Plan, Run
from walproof.sweep.programs import FAST, REFERENCE, TIMEOUT_WEIGHT, Client, Program, Reply
from walproof.sweep.readers import Fast, Reference, Seen
from walproof.sweep.recipes import Enumeration
from walproof.sweep.settings import Setting, simplest
from walproof.sweep.shard import Occurrence, Outcome, at
from walproof.sweep.writing import Request, Writer, records_for

REREAD_INTERVAL = 32
"""One case in so many is read again, and once more when cut at its ``end``."""

ALL_PARTS = ("records", "at", "size", "verdict", "reason", "end", "lost")
GAVE_UP = "anything more in a shard in which it had died {} times"

_REFUSED = End("refused", None, None)
_NOTHING = Seen([], [], _REFUSED, [_REFUSED])


@dataclass(frozen=True, slots=True)
class PreparedControl:
    """A control in a setting, with all that judging its cases takes.

    ``seed`` starts the fingerprints of its cases; ``keys`` name the payloads that were written.
    """

    control: Control
    setting: Setting
    written: Written
    seed: int
    keys: frozenset[str]


@dataclass(slots=True, eq=False)
class Case:
    """One case: where its row is, how to make it again, and the right answer.

    ``keys`` are those of all payloads that were written; None where checksums were forged.
    """

    row: int
    run: Run
    family: int
    number: int
    enumeration: Enumeration
    prepared: PreparedControl
    contents: Contents
    keys: frozenset[str] | None
    right: Seen = _NOTHING
    request: Request | None = None
    expected: dict[str, Any] | None = None

    @property
    def operation(self) -> str:
        """The name of the damage."""
        return self.enumeration.operation(self.family)

    @property
    def size(self) -> int:
        """Bytes of the log, or of the records to write."""
        if self.prepared.setting.profile == "write" and self.request is not None:
            return sum(len(record.payload) for record in self.request.new)
        return size(self.contents)


class ShardRunner:
    """Runs shards of a plan, with readers and programs that stay from shard to shard.

    ``folder`` is a scratch folder of its own, in memory at best.
    """

    def __init__(self, plan: Plan, folder: Path, enumerations: Enumerations | None = None) -> None:
        self.plan = plan
        here = folder / "here"
        here.mkdir()
        self.reference = Reference(plan.format, here)
        self.fast = Fast(plan.format, here) if plan.fast else None
        self.writer = Writer(plan.format, here)
        self.clients: dict[str, Client] = {}
        for program in plan.programs:
            place = folder / program.name.replace("/", "_")
            place.mkdir()
            self.clients[program.name] = Client(program, plan.format, place, plan.limits)
        self.enumerations = enumerations or Enumerations(plan)
        self._prepared: dict[tuple[int, int], PreparedControl | None] = {}
        self._sound: dict[tuple[str, int, int], bool] = {}
        self._begin(0)

    def close(self) -> None:
        """End the programs."""
        for client in self.clients.values():
            client.close()

    def run(self, number: int) -> Outcome:
        """Run one shard. Raises only for faults of the machine, never for those of a reader."""
        started, processor = time.monotonic(), time.process_time()
        self._begin(number)
        outcome = self.outcome
        if self.plan.programs:
            outcome.isolation = isolation(all(each.isolated for each in self.plan.programs))
        for run in self.plan.shards[number]:
            self._run(run)
        outcome.hello = {
            name: client.hello
            for name, client in self.clients.items()
            if not client.program.one_shot
        }
        outcome.count_outcomes(self.plan.columns)
        outcome.seconds["all"] = time.monotonic() - started
        outcome.seconds["processor"] = time.process_time() - processor
        return outcome

    def _begin(self, number: int) -> None:
        self.outcome = Outcome.empty(number, self.plan.columns)
        self._fingerprints: set[int] = set()
        self._failures: Counter[str] = Counter()

    def prepared(self, number: int, setting: int) -> PreparedControl | None:
        """Return a control in a setting; None where no reader accepts the context."""
        if (number, setting) not in self._prepared:
            self._prepared[number, setting] = self._prepare(number, setting)
        return self._prepared[number, setting]

    def _prepare(self, number: int, setting: int) -> PreparedControl | None:
        bare = self.plan.controls[number]
        chosen = bare.settings[setting]
        control, expected = replace(bare, context=chosen.context), bare.records
        if chosen.varied and not chosen.writes:
            try:
                right = self.reference.read(control, control.contents, chosen.profile)
            except ValueError:
                return None
            expected = tuple(right.records)
        selecting = set(plugin_for(self.plan.format).sweep.selecting)
        if selecting & {*bare.context, *chosen.context}:
            # The log holds more than is selected; what is missing, nobody can say.
            left = {key: value for key, value in bare.context.items() if key not in selecting}
            whole = self.reference.read(replace(bare, context=left), bare.contents)
            bare, expected = replace(bare, records=tuple(whole.records)), ()
        keys = frozenset(payload_key(payload_to_json(r.payload)) for r in bare.records)
        written = Written(bare, self.enumerations[number].others, expected)
        return PreparedControl(control, chosen, written, seed_of(bare, chosen), keys)

    # -- cases ---------------------------------------------------------------------------------

    def _run(self, run: Run) -> None:
        prepared = self.prepared(run.control, run.setting)
        if prepared is None:
            self.outcome.void += run.stop - run.start
            return
        enumeration, setting = self.enumerations[run.control], prepared.setting
        programs = self._programs(run)
        first = len(self.outcome.rows.number)
        for family, number in numbers_of(run, enumeration):
            damaged = enumeration.make(family, number)
            if damaged is None:
                self.outcome.void += 1
                continue
            keys = None if damaged.forges else prepared.keys
            row = len(self.outcome.rows.number)
            case = Case(row, run, family, number, enumeration, prepared, damaged.contents, keys)
            if setting.writes:
                is_case = self._make_write(case)
            else:
                is_case = self._make_read(case, damaged.shifts, damaged.forges)
            if is_case:
                for name in programs:
                    self._send(case, name)
        self.outcome.count_rows(first, self._group(run, setting), setting)

    def _group(self, run: Run, setting: Setting) -> str:
        if setting.writes:
            return shares.WRITES if setting.profile == "write" else shares.APPENDS
        return (
            shares.CONTEXTS if setting.varied else self.enumerations[run.control].group(run.family)
        )

    def _is_double(self, mark: int) -> bool:
        if mark in self._fingerprints:
            self.outcome.doubles += 1
            return True
        self._fingerprints.add(mark)
        return False

    def _make_read(self, case: Case, shifts: bool, forges: bool) -> bool:
        """Read a case with the executable specification and its fast twin; False if it is none."""
        prepared, contents = case.prepared, case.contents
        control, profile = prepared.control, prepared.setting.profile
        mark = fingerprint(contents, prepared.seed)
        if self._is_double(mark):
            return False
        text = ""
        try:
            case.right = self.reference.read(control, contents, profile)
            faults = prepared.written.faults(case.right, contents, shifts, forges)
            if case.row % REREAD_INTERVAL == 0:
                self.outcome.again += 1
                if not invariants.same_again(
                    self.reference, control, contents, case.right, profile
                ):
                    faults.append(invariants.NOT_AGAIN)
        except Exception as error:  # the reader's own fault: a finding, and the sweep goes on
            if plugin_for(self.plan.format).sweep.owes_no_answer(error):
                self.outcome.void += 1
                return False
            case.right, text = _NOTHING, f"{type(error).__name__}: {error}"
            faults = [invariants.RAISES]
        self._enter(case, mark, faults, text)
        if self.fast is not None and profile == "recover":
            self._read_fast(case)
        return True

    def _make_write(self, case: Case) -> bool:
        """Write or append with the executable specification; False where nothing is judged."""
        prepared, setting = case.prepared, case.prepared.setting
        new = records_for(case.enumeration, setting, case.family, case.number)
        mark = fingerprint(case.contents, prepared.seed)
        mark = fingerprint(repr([(r.payload, dict(r.fields)) for r in new]).encode(), mark)
        if self._is_double(mark):
            return False
        faults, text = [invariants.RAISES], ""
        try:
            case.request = self.writer.request(prepared.control, setting, case.contents, new)
            case.right, faults = case.request.before, list(case.request.faults)
        except Exception as error:  # its own fault: a finding, and the sweep goes on
            text = f"{type(error).__name__}: {error}"
        if case.request is not None and not case.request.is_judged:
            self.outcome.void += 1
            return False
        self._enter(case, mark, faults, text)
        if case.request is None:
            return False
        case.keys = _written_keys(prepared, case.request)
        return True

    def _enter(self, case: Case, mark: int, faults: list[str], text: str) -> None:
        """Enter the row of a case, and what is wrong with the executable specification."""
        rows, right = self.outcome.rows, case.right
        rows.control.append(case.run.control)
        rows.family.append(case.family)
        rows.setting.append(case.run.setting)
        rows.number.append(case.number)
        rows.operation.append(case.operation)
        rows.size.append(case.size)
        rows.fingerprint.append(mark)
        rows.verdict.append(right.end.verdict)
        rows.reason.append(right.end.reason)
        rows.records.append(len(right.records))
        for column in rows.outcomes.values():
            column.append(judge.NOT_SENT)
        rows.outcomes[REFERENCE][case.row] = judge.DIFFERS if faults else judge.AGREES
        for fault in faults:
            self._find(case, REFERENCE, Difference(fault, text or invariants.MEANING[fault]))

    def _find(self, case: Case, name: str, difference: Difference, alone: bool = True) -> None:
        """Enter a disagreement under its signature."""
        end, setting = case.right.end, case.prepared.setting
        field = case.enumeration.field(case.family, case.number)
        signature = Signature(
            name, case.operation, field, difference.kind, end.verdict, end.reason or "",
            difference.verdict, difference.reason, setting.profile, ", ".join(setting.varied),
        )  # fmt: skip
        self.outcome.add(
            Occurrence(
                signature, 1, case.enumeration.control.id, case.family, case.run.setting,
                case.number, case.size, difference.text, alone,
            )
        )  # fmt: skip

    def _read_fast(self, case: Case) -> None:
        assert self.fast is not None
        difference: Difference | None = None
        try:
            events = self.fast.read(case.prepared.control, case.contents)
            if not self.fast.agrees(events, case.right):
                answer = self.fast.answer(events).to_json()
                expected = case.right.answer().to_json()
                difference = judge.compare(expected, answer, ALL_PARTS, case.keys)
                difference = difference or Difference("columns", "a column differs from the answer")
        except Exception as error:
            difference = Difference(invariants.RAISES, f"{type(error).__name__}: {error}")
        code = judge.AGREES if difference is None else judge.DIFFERS
        self.outcome.rows.outcomes[FAST][case.row] = code
        if difference is not None:
            self._find(case, FAST, difference)

    # -- programs ------------------------------------------------------------------------------

    def _programs(self, run: Run) -> list[str]:
        """Return the programs that get the cases of a run: those right about the control itself."""
        setting = self.plan.controls[run.control].settings[run.setting]
        sound = []
        for program in self.plan.programs:
            if not program.takes(self.plan.format, setting):
                continue
            if self._is_sound(program, run):
                sound.append(program.name)
            else:
                self.outcome.left[program.name] += run.stop - run.start
        return sound

    def _is_sound(self, program: Program, run: Run) -> bool:
        """Return whether a program is right about an undamaged control, in its own context."""
        settings = self.plan.controls[run.control].settings
        simple = simplest(settings, settings[run.setting])[0]
        if settings[simple].profile == "write" or not program.takes(
            self.plan.format, settings[simple]
        ):
            return True
        key = (program.name, run.control, simple)
        if key not in self._sound:
            wrong = self._wrong_undamaged(program.name, run._replace(setting=simple, family=0))
            self._sound[key] = wrong is None
            if wrong is not None:
                where = at(self.plan.controls[run.control].id, settings[simple].profile)
                self.outcome.fails.setdefault(program.name, {})[where] = wrong
        return self._sound[key]

    def _wrong_undamaged(self, name: str, run: Run) -> str | None:
        prepared, enumeration = (
            self.prepared(run.control, run.setting),
            self.enumerations[run.control],
        )
        intact = enumeration.make(0, 0)
        if prepared is None or intact is None:
            return None
        case = Case(-1, run, 0, 0, enumeration, prepared, intact.contents, prepared.keys)
        setting = prepared.setting
        if setting.writes:
            new = records_for(enumeration, setting, 0, 0)
            case.request = self.writer.request(prepared.control, setting, intact.contents, new)
            case.right = case.request.before
            case.keys = _written_keys(prepared, case.request)
        else:
            case.right = self.reference.read(prepared.control, intact.contents, setting.profile)
        _, difference = self._judged(case, self._reply(case, name))
        return difference.text if difference is not None else None

    def _send(self, case: Case, name: str) -> None:
        """Send a case to a program and enter what its reply is worth."""
        if self._failures[name] >= self.plan.limits.max_failures:
            why = GAVE_UP.format(self.plan.limits.max_failures)
            self.outcome.unsent.setdefault(name, Counter())[why] += 1
            return
        self.outcome.sent.setdefault(name, Counter())[case.operation] += 1
        reply = self._reply(case, name)
        if reply.failed:
            self._failures[name] += TIMEOUT_WEIGHT if reply.outcome == judge.TIMEOUT else 1
        code, difference = self._judged(case, reply)
        if code == judge.SKIPPED:
            self.outcome.skipped.setdefault(name, reply.text)
        self.outcome.rows.outcomes[name][case.row] = code
        if difference is not None:
            self._find(case, name, difference, reply.alone)

    def _reply(self, case: Case, name: str) -> Reply:
        client, setting = self.clients[name], case.prepared.setting
        started = time.monotonic()
        try:
            if case.request is not None:
                return client.write(case.request.step)
            control = case.prepared.control
            return client.read(
                control.neutral_name, case.contents, setting.context, setting.profile
            )
        finally:
            key, spent = f"waiting for {name}", time.monotonic() - started
            self.outcome.seconds[key] = self.outcome.seconds.get(key, 0.0) + spent

    def _judged(self, case: Case, reply: Reply) -> tuple[int, Difference | None]:
        """Return the outcome of a reply, and what is wrong with it."""
        if reply.judgement is not None:
            difference = judge.of_writing(reply.judgement, self.plan.format, case.keys)
        elif reply.answer is not None:
            if case.expected is None:
                case.expected = case.right.answer().to_json()
            difference = judge.compare(case.expected, reply.answer, reply.reports, case.keys)
            if reply.changed:
                difference = Difference(judge.CHANGED_LOG, "the reader changed the log")
        elif reply.outcome == judge.SKIPPED:
            return judge.SKIPPED, None
        else:
            effect = judge.OUTCOMES[reply.outcome] or ""
            return reply.outcome, Difference(effect, reply.text, reason=reply.text)
        return (judge.AGREES if difference is None else judge.DIFFERS), difference


def _written_keys(prepared: PreparedControl, request: Request) -> frozenset[str]:
    """Return what a log may hold after a write or an append: what it held, and the new records."""
    payloads = [record.payload for record in request.before.records]
    payloads += [record.payload for record in request.new]
    return prepared.keys | {payload_key(payload_to_json(payload)) for payload in payloads}


def numbers_of(run: Run, enumeration: Enumeration) -> Iterator[tuple[int, int]]:
    """Yield the damages of a run: family and number of each."""
    count = enumeration.count(run.family)
    for place in range(run.start, run.stop):
        number = place
        if run.spread and run.family == enumeration.pair:
            number = 2 * place + run.setting % 2  # two profiles have other pairs
        elif run.spread:
            number = shares.spread(place, count, 7919 * run.setting)
        yield enumeration.resolved(run.family, number)
