"""What is asked in a shard: cases are made, read, judged and counted, wherever that is."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from conformance.describe import payload_key
from conformance.protocol.messages import ProtocolError, validate
from conformance.sandbox import isolation
from reference_impl.answer import End, payload_to_json
from walproof.sweep import invariants, judge, shares
from walproof.sweep.cases import Asked, Case, Now
from walproof.sweep.children import Asker, Reply
from walproof.sweep.controls import fingerprint, seed_of
from walproof.sweep.formats import kind
from walproof.sweep.invariants import Written
from walproof.sweep.judge import Difference
from walproof.sweep.plan import FAST, REFERENCE, Enumerations, Plan, Program, Run
from walproof.sweep.readers import Fast, Reference, Seen
from walproof.sweep.recipes import Enumeration
from walproof.sweep.settings import simplest
from walproof.sweep.shard import Outcome, Rows, at
from walproof.sweep.writing import Request, Writer, records_for

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
        self.writer = Writer(plan.format, reference.folder)
        self._sound: dict[tuple[str, int, int], bool] = {}
        self._valid: set[tuple[str, str]] = set()
        self.enumerations = enumerations or Enumerations(plan)
        self._asked: dict[tuple[int, int], Asked | None] = {}

    def run(self, number: int) -> Outcome:
        """Run one shard. Raises only for faults of the machine, never for those of a reader."""
        started, processor = time.monotonic(), time.process_time()
        self._valid.clear()
        outcome = Outcome(number, Rows(outcomes=[bytearray() for _ in self.plan.columns]))
        for asker in self.askers.values():
            asker.deaths, asker.busy_seconds = 0, 0.0
        if self.plan.programs:
            isolated = all(program.isolated for program in self.plan.programs)
            outcome.isolation = isolation(isolated)
        now = Now(self.plan, outcome)
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

    def asked(self, number: int, setting: int) -> Asked | None:
        """A control as it is asked about in a setting, with all that judging its cases takes.

        None where the context is none that a reader accepts.
        """
        if (number, setting) not in self._asked:
            self._asked[number, setting] = self._prepared(number, setting)
        return self._asked[number, setting]

    def _prepared(self, number: int, setting: int) -> Asked | None:
        own = self.plan.controls[number]
        chosen = own.settings[setting]
        control, expected = replace(own, context=chosen.context), own.records
        if chosen.varied and not chosen.writes:
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
        return Asked(control, chosen, written, seed_of(own, chosen), keys, told)

    def _run(self, run: Run, now: Now, seen_before: set[int]) -> None:
        asked = self.asked(run.control, run.setting)
        outcome, rows = now.outcome, now.outcome.rows
        if asked is None:
            outcome.void += run.stop - run.start
            return
        enumeration = self.enumerations[run.control]
        if asked.setting.writes:
            self._run_writing(run, asked, now, seen_before)
            return
        control, setting, written = asked.control, asked.setting, asked.written
        fast_column = self.plan.columns.index(FAST) if self.fast else None
        programs = self._programs(run, now)
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
            case = Case(
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
                if kind(self.plan.format).owes_no_answer(error):
                    outcome.void += 1
                    continue
                owed, text = _NOTHING, f"{type(error).__name__}: {error}"
                faults = [invariants.RAISES]
            t1 = clock()
            reference_seconds += t1 - t0
            case.owed = owed
            now.enter(case, mark, not faults)
            for fault in faults:
                found = Difference(fault, text or invariants.MEANING[fault])
                now.find(case, REFERENCE, found, owed)
            if self.fast is not None and fast_column is not None and setting.profile == "recover":
                rows.outcomes[fast_column][row] = self._ask_fast(case, now, owed)
                fast_seconds += clock() - t1
            if programs:
                for name in programs:
                    self.askers[name].ask(
                        case, control.neutral_name, contents, asked.told, setting.profile
                    )
                    now.asked(name, operation)
                if row & 63 == 0:
                    self._take_replies(now)
        group = shares.CONTEXTS if setting.varied else enumeration.group(run.family)
        now.count(first, group, setting)
        outcome.seconds[REFERENCE] = outcome.seconds.get(REFERENCE, 0.0) + reference_seconds
        outcome.seconds[FAST] = outcome.seconds.get(FAST, 0.0) + fast_seconds

    def _run_writing(self, run: Run, asked: Asked, now: Now, seen_before: set[int]) -> None:
        """The same for writes and appends: each is judged by what it leaves."""
        enumeration, setting = self.enumerations[run.control], asked.setting
        programs = self._programs(run, now)
        rows = now.outcome.rows
        first, started = len(rows.number), time.perf_counter()
        for family, number in _numbers(run, enumeration):
            made = enumeration.make(family, number)
            if made is None:
                now.outcome.void += 1
                continue
            new = records_for(enumeration, setting, family, number)
            mark = fingerprint(made.contents, asked.seed)
            mark = fingerprint(repr([(r.payload, dict(r.fields)) for r in new]).encode(), mark)
            if mark in seen_before:
                now.outcome.doubles += 1
                continue
            seen_before.add(mark)
            case = Case(
                len(rows.number), run, family, number, enumeration.operation(family), enumeration,
                asked, None, made.contents,
            )  # fmt: skip
            faults, text = [invariants.RAISES], ""
            try:
                case.request = self.writer.request(asked.control, setting, made.contents, new)
                case.owed, faults = case.request.before, list(case.request.faults)
            except Exception as error:  # its own fault: a finding, and the sweep goes on
                case.owed, text = _NOTHING, f"{type(error).__name__}: {error}"
            if case.request is not None and not case.request.is_judged:
                now.outcome.void += 1
                continue
            now.enter(case, mark, not faults)
            for fault in faults:
                found = Difference(fault, text or invariants.MEANING[fault])
                now.find(case, REFERENCE, found, case.owed)
            if case.request is None:
                continue
            case.keys = self._written_keys(asked, case.request)
            for name in programs:
                self.askers[name].ask_step(case, case.request.step)
                now.asked(name, case.operation)
            self._take_replies(now)
        now.count(first, shares.WRITES if setting.profile == "write" else shares.APPENDS, setting)
        spent = now.outcome.seconds.get("writing", 0.0) + time.perf_counter() - started
        now.outcome.seconds["writing"] = spent

    def _programs(self, run: Run, now: Now) -> list[str]:
        """Who is asked the cases of a run: not those that fail the control when it is undamaged."""
        setting = self.plan.controls[run.control].settings[run.setting]
        taking = [p for p in self.plan.programs if p.takes(self.plan.format, setting)]
        sound = []
        for program in taking:
            if self._is_sound(program, run, now):
                sound.append(program.name)
            else:
                now.outcome.left[program.name] += run.stop - run.start
        return sound

    def _is_sound(self, program: Program, run: Run, now: Now) -> bool:
        """Whether a program is right about a control that is not damaged, in its own context."""
        settings = self.plan.controls[run.control].settings
        own = simplest(settings, settings[run.setting])[0]
        if settings[own].profile == "write" or not program.takes(self.plan.format, settings[own]):
            return True
        key = (program.name, run.control, own)
        if key not in self._sound:
            wrong = self._wrong_undamaged(program.name, run._replace(setting=own, family=0), now)
            self._sound[key] = wrong is None
            if wrong is not None:
                where = at(self.plan.controls[run.control].id, settings[own].profile)
                now.outcome.fails.setdefault(program.name, {})[where] = wrong
        return self._sound[key]

    def _wrong_undamaged(self, name: str, run: Run, now: Now) -> str | None:
        asked, enumeration = self.asked(run.control, run.setting), self.enumerations[run.control]
        made = enumeration.make(0, 0)
        if asked is None or made is None:
            return None
        control, profile = asked.control, asked.setting.profile
        case = Case(-1, run, 0, 0, "none", enumeration, asked, asked.keys, made.contents)
        asker = self.askers[name]
        self._take_replies(now)
        if asked.setting.writes:
            new = records_for(enumeration, asked.setting, 0, 0)
            case.request = self.writer.request(control, asked.setting, made.contents, new)
            case.owed = case.request.before
            case.keys = self._written_keys(asked, case.request)
            asker.ask_step(case, case.request.step)
        else:
            case.owed = self.reference.read(control, made.contents, profile)
            asker.ask(case, control.neutral_name, made.contents, asked.told, profile)
        asker.drain()
        reply = asker.replies.pop()
        self._take_replies(now)
        _, found = self._found(name, asker, reply)
        return found.text if found is not None else None

    def _written_keys(self, asked: Asked, request: Request) -> frozenset[str]:
        """What a log may hold after a write or an append: what it held, and what was written."""
        told = [record.payload for record in request.before.records]
        told += [record.payload for record in request.new]
        return asked.keys | {payload_key(payload_to_json(payload)) for payload in told}

    def _ask_fast(self, case: Case, now: Now, owed: Seen) -> int:
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

    def _take_replies(self, now: Now) -> None:
        for name, asker in self.askers.items():
            while asker.replies:
                self._judge(name, asker, asker.replies.popleft(), now)

    def _judge(self, name: str, asker: Asker, reply: Reply, now: Now) -> None:
        case: Case = reply.token
        assert case.owed is not None
        code, found = self._found(name, asker, reply)
        if code == judge.SKIPPED:
            now.outcome.skipped.setdefault(name, reply.text)
        elif code == judge.NOT_ASKED:
            now.unasked(name, case.operation, reply.text)
        now.outcome.rows.outcomes[now.columns[name]][case.row] = code
        if found is not None:
            now.find(case, name, found, case.owed, reply.alone)

    def _found(self, name: str, asker: Asker, reply: Reply) -> tuple[int, Difference | None]:
        """What a reply is worth, and what is wrong with it."""
        case: Case = reply.token
        owed = case.owed
        assert owed is not None
        code: int = reply.outcome
        found: Difference | None = None
        if reply.judgement is not None:
            found = judge.of_writing(reply.judgement, self.plan.format, case.keys)
            code = judge.AGREES if found is None else judge.DIFFERS
        elif reply.answer is not None:
            if asker.deaths and asker.patience is not None:
                asker.patience.answered(name, case)
            code, found = self._compared(case, reply, asker, owed)
            if reply.changed:
                code = judge.DIFFERS
                found = Difference(judge.CHANGED_LOG, "the reader changed the log")
        elif code not in (judge.SKIPPED, judge.NOT_ASKED):
            found = Difference(judge.OUTCOMES[code] or "", reply.text, reason=reply.text)
        return code, found

    def _compared(
        self, case: Case, reply: Reply, asker: Asker, owed: Seen
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
