"""Read states of a crash back: by the executable specification, and by the system itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.scratch import Scratch
from conformance.session import PROGRAM_FAILURES, ProtocolSession
from conformance.subject import Subject
from lab.crash.format_crash import FormatCrash
from lab.crash.model import Crash as Candidate
from lab.crash.model import State
from reference_impl.answer import NewRecord, collect, payload_to_json
from reference_impl.formats import named

LOST = "loses an acknowledged record"
INVENTED = "returns a record that nobody wrote"
HOLE = "returns a later record without an earlier one"
FORGETS = "loses records when it goes on"
UNREAD = "appends what is not read"
DIED = "ends without an answer"
DAMAGE = "calls a crash damage"
STOPS = "refuses to go on"

#: Violations of a writer's guarantees.
VIOLATIONS = (LOST, INVENTED, HOLE, FORGETS, UNREAD, DIED)
#: No record is lost; an administrator has to act, or a new log has to be started.
NOTES = (DAMAGE, STOPS)

WALL_MS = 10_000
OURS = "the specification"

ALSO_OURS = "executable-spec"
"""The adapter of the executable specification: what it would say has been said."""

Found = list[str]
"""The payloads that a reader found, in order: in hexadecimal, or the SHA-256 of a long one."""


def after_a_crash(written: Sequence[str], acknowledged: int, found: Sequence[str]) -> list[str]:
    """Return the violations in the payloads that a reader returned.

    ``written`` are all payloads of the writer, in order. A reader must return the first
    ``acknowledged`` payloads, may return more of ``written`` in order, and must return nothing
    else.
    """
    if any(each not in written for each in found):
        return [INVENTED]
    if list(found[:acknowledged]) != list(written[:acknowledged]):
        return [LOST]
    return [] if list(found) == list(written[: len(found)]) else [HOLE]


def after_an_append(
    written: Sequence[str], acknowledged: int, appended: str, found: Sequence[str]
) -> list[str]:
    """Return the violations after one more record was appended to a log that a crash left.

    The appended record must be the last one. :func:`after_a_crash` checks the records before it.
    """
    if not found or found[-1] != appended:
        return [UNREAD]
    wrong = after_a_crash(written, acknowledged, found[:-1])
    return [FORGETS if each == LOST else each for each in wrong]


@dataclass
class Finding:
    """A type of violation: its description, the reader, the number of states, and the simplest
    state.

    ``found`` are the payloads that were read from ``state``, or None if the reader crashed.
    """

    what: str
    who: str
    state: State
    found: Found | None
    detail: str = ""
    count: int = 1


@dataclass
class Judgement:
    """The judgement of all states."""

    states: int = 0
    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)

    def note(
        self, what: str, who: str, state: State, found: Found | None, detail: str = ""
    ) -> None:
        """Count what a reader or writer does wrong, with its first state."""
        if (seen := self.findings.get((what, who))) is not None:
            seen.count += 1
        else:
            self.findings[what, who] = Finding(what, who, state, found, detail)

    def violations(self) -> list[Finding]:
        """Those by which a promise is broken."""
        return [each for each in self.findings.values() if each.what in VIOLATIONS]

    def notes(self) -> list[Finding]:
        """The others."""
        return [each for each in self.findings.values() if each.what in NOTES]


class _Refused(Exception):
    """A writer does not go on with a log."""


class _Died(Exception):
    """A reader or writer ended, hung, or raised what it may not."""


class Judge:
    """Run every reader on each state.

    ``records`` are the records that were written, and ``probe`` is the record to append. The
    program of ``subject`` runs in a sandbox until :meth:`close` is called.
    """

    def __init__(
        self,
        subject: Subject,
        hello: dict[str, Any],
        format: str,
        what: FormatCrash,
        records: Sequence[NewRecord],
        probe: NewRecord,
    ) -> None:
        self.subject, self.format, self.what, self.probe = subject, named(format), what, probe
        self.written = [payload_text(each.payload) for each in records]
        self.scratch = Scratch()
        self.sandbox = subject.sandbox(self.scratch.folder)
        self.name = hello["name"]
        self.profiles = set(() if self.name == ALSO_OURS else hello["profiles"])
        self.session: ProtocolSession | None = None
        self.judgement = Judgement()
        self._asked = 0

    def close(self) -> None:
        """End the program, and remove all copies."""
        if self.session is not None:
            self.session.close()
        self.scratch.close()

    def judge(self, candidate: Candidate) -> None:
        """Look at one state."""
        state = candidate.build()
        self.judgement.states += 1
        self._step(state, OURS, self._read_by_us, self._read_by_us, False)
        if self.what.name not in state.files:
            return
        program = self.name
        steps = [(f"{OURS} appends and reads", self._append_by_us, self._read_by_us)]
        if "recover" in self.profiles:
            self._step(state, program, self._read_by_it, self._read_by_it, False)
            steps.append((f"{OURS} appends, {program} reads", self._append_by_us, self._read_by_it))
        if "append" in self.profiles:
            steps.append((f"{program} appends, {OURS} reads", self._append_by_it, self._read_by_us))
        if {"append", "recover"} <= self.profiles:
            steps.append((f"{program} appends and reads", self._append_by_it, self._read_by_it))
        for who, append, read in steps:
            self._step(state, who, append, read, True)

    def _step(
        self,
        state: State,
        who: str,
        first: Callable[[Path, State, str], Found],
        read: Callable[[Path, State, str], Found],
        appends: bool,
    ) -> None:
        """Do one thing to a copy of a state, and note what is wrong."""
        place = self.scratch.new_path("root")
        result = None
        try:
            build(state, place)
            path = place / self.what.name
            result = first(path, state, who)
            if appends:
                result = read(path, state, who)
                wrong = after_an_append(
                    self.written, state.acknowledged, payload_text(self.probe.payload), result
                )
            else:
                wrong = after_a_crash(self.written, state.acknowledged, result)
            for each in wrong:
                self.judgement.note(each, who, state, result)
        except _Refused as refused:
            self.judgement.note(STOPS, who, state, result, str(refused))
        except _Died as error:
            self.judgement.note(DIED, who, state, result, str(error))
        finally:
            self.scratch.clear(place)

    def _read_by_us(self, path: Path, state: State, who: str) -> Found:
        if not path.exists():
            return []
        answer = collect(self.format.read(path, "recover", self.what.context))
        if answer.verdict == "damaged":
            self.judgement.note(DAMAGE, who, state, None, str(answer.reason))
        whole = [each.payload for each in answer.records if not self.what.is_part(each)]
        return written_payloads(self.what, whole)

    def _append_by_us(self, path: Path, state: State, who: str) -> Found:
        try:
            self.format.append(path, [self.probe], self.what.context)
        except ValueError as error:
            raise _Refused(str(error)) from None
        return []

    def _read_by_it(self, path: Path, state: State, who: str) -> Found:
        reply = self._ask({"cmd": "read", "path": str(path), "profile": "recover"})
        if "answer" not in reply:
            raise _Refused(reply.get("skipped", "skipped"))
        records = reply["answer"]["records"]
        result: Found = []
        for each in records:
            if "payload" in each:
                result += written_payloads(self.what, [bytes.fromhex(each["payload"])])
            else:  # a long one, of which nothing can be taken away
                result.append(each["payload_sha256"])
        return result

    def _append_by_it(self, path: Path, state: State, who: str) -> Found:
        record = {"payload": self.probe.payload.hex(), **self.probe.fields}
        reply = self._ask({"cmd": "append", "path": str(path), "records": [record]})
        if "done" not in reply:
            raise _Refused(str(reply.get("refused") or reply.get("skipped")))
        return []

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self.session is None:
            self.session = ProtocolSession(self.subject.command, sandbox=self.sandbox)
            self.session.start()
        self._asked += 1
        about = {"seq": self._asked, "format": self.format.id, "context": dict(self.what.context)}
        try:
            return self.session.request({**request, **about}, WALL_MS)
        except PROGRAM_FAILURES as error:
            self.session = None
            raise _Died(str(error)) from None


def payload_text(payload: bytes) -> str:
    """A payload as an answer tells it."""
    return next(iter(payload_to_json(payload).values()))


def written_payloads(what: FormatCrash, payloads: Sequence[bytes]) -> Found:
    """Return the payloads as the writer got them, without what the system added."""
    written = [what.written(each) for each in payloads]
    return [payload_text(each) for each in written if each is not None]


def build(state: State, place: Path) -> None:
    """Put the files of a state into a new folder."""
    place.mkdir(parents=True, exist_ok=True)
    for name, content in sorted(state.files.items()):
        path = place / name
        if content is None:
            path.mkdir()
        else:
            path.write_bytes(content)
