"""Test the executable specification and the writer's system on states that a crash leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.checked_program import CheckedProgram
from conformance.program_session import PROGRAM_FAILURES, ProtocolSession
from conformance.scratch import Scratch
from lab.crash.disk_models import FileState
from lab.crash.format_crash import FormatCrash
from reference_impl.answer import NewRecord, Record, collect, payload_to_json
from reference_impl.formats import named

LOST = "loses an acknowledged record"
INVENTED = "returns a record that was never written"
HOLE = "returns a later record without an earlier one"
FORGETS = "loses records when it continues the log"
UNREAD = "appends records that are not read"
DIED = "ends without an answer"
DAMAGE = "reports a crash as damage"
STOPS = "refuses to continue the log"

#: These findings are not violations, because no record is lost. However, an administrator has to
#: act, or the system starts a new log.
NOTES = (DAMAGE, STOPS)

WALL_MS = 10_000
OURS = "the specification"

#: The adapter of the executable specification. It is skipped, because :data:`OURS` gives the same
#: results.
ALSO_OURS = "executable-spec"

#: The payloads that a reader returned, in order. A long payload is replaced with its SHA-256, and
#: any other payload is in hexadecimal.
Found = list[str]


def after_a_crash(written: Sequence[str], acknowledged: int, found: Sequence[str]) -> list[str]:
    """Return the violations in the payloads that a reader returned.

    ``written`` has all payloads of the writer, in order. A reader must return the first
    ``acknowledged`` payloads, may return the next payloads, and must return nothing else.
    """
    if any(each not in written for each in found):
        return [INVENTED]
    if list(found[:acknowledged]) != list(written[:acknowledged]):
        return [LOST]
    return [] if list(found) == list(written[: len(found)]) else [HOLE]


def after_an_append(
    written: Sequence[str], acknowledged: int, appended: str, found: Sequence[str]
) -> list[str]:
    """Return the violations in a log to which a record was appended after a crash."""
    if not found or found[-1] != appended:
        return [UNREAD]
    wrong = after_a_crash(written, acknowledged, found[:-1])
    return [FORGETS if each == LOST else each for each in wrong]


@dataclass
class CrashFinding:
    """A type of violation or note."""

    what: str
    #: Name of the reader, or names of the writer and the reader.
    who: str
    #: First state with this finding.
    state: FileState
    #: Payloads that were read from the state, or None after a failure, a refusal or reported
    #: damage.
    found: Found | None
    detail: str = ""
    #: Number of states with this finding.
    count: int = 1


@dataclass
class CrashJudgement:
    """The findings in a set of states."""

    states: int = 0
    #: Number of states in which a write was incomplete.
    torn: int = 0
    findings: dict[tuple[str, str], CrashFinding] = field(default_factory=dict)

    def note(
        self, what: str, who: str, state: FileState, found: Found | None, detail: str = ""
    ) -> None:
        """Count a fault of a reader or writer, and keep the first state that shows this fault."""
        if (seen := self.findings.get((what, who))) is not None:
            seen.count += 1
        else:
            self.findings[what, who] = CrashFinding(what, who, state, found, detail)

    def violations(self) -> list[CrashFinding]:
        """Return the findings in which a guarantee is broken."""
        return [each for each in self.findings.values() if each.what not in NOTES]

    def notes(self) -> list[CrashFinding]:
        """Return the findings in which no record is lost."""
        return [each for each in self.findings.values() if each.what in NOTES]


class _Refused(Exception):
    """A writer refused to append to a log."""


class CrashJudge:
    """Run every reader and writer on each state.

    ``records`` were written, and ``probe`` is the record to append.
    """

    def __init__(
        self,
        subject: CheckedProgram,
        hello: Mapping[str, Any],
        format: str,
        what: FormatCrash,
        records: Sequence[NewRecord],
        probe: NewRecord,
    ) -> None:
        self.format, self.what, self.probe = named(format), what, probe
        self.written = [payload_text(each.payload) for each in records]
        self.name = hello["name"]
        self.profiles = set(() if self.name == ALSO_OURS else hello["profiles"])
        self.scratch = Scratch()
        self._command, self._sandbox = subject.command, subject.sandbox(self.scratch.folder)
        self._session: ProtocolSession | None = None
        self._seq = 0
        self.judgement = CrashJudgement()

    def close(self) -> None:
        """End the program, and remove the scratch files."""
        if self._session is not None:
            self._session.close()
        self.scratch.close()

    def judge(self, state: FileState) -> None:
        """Read a state, and append to it."""
        self.judgement.states += 1
        readers = {OURS: self._read_by_us}
        writers = {OURS: self._append_by_us}
        if "recover" in self.profiles:
            readers[self.name] = self._read_by_it
        if "append" in self.profiles:
            writers[self.name] = self._append_by_it
        for reader, read in readers.items():
            if reader == OURS or self.what.name in state.files:
                self._judge_step(state, reader, None, read)
        for writer, append in writers.items() if self.what.name in state.files else ():
            for reader, read in readers.items():
                who = f"{writer} appends{' and' if reader == writer else f', {reader}'} reads"
                self._judge_step(state, who, append, read)

    def _judge_step(
        self,
        state: FileState,
        who: str,
        append: Callable[[Path], None] | None,
        read: Callable[[Path, FileState, str], Found],
    ) -> None:
        place = self.scratch.new_path("root")
        found = None
        try:
            build(state, place)
            path = place / self.what.name
            if append is None:
                found = read(path, state, who)
                wrong = after_a_crash(self.written, state.acknowledged, found)
            else:
                append(path)
                found = read(path, state, who)
                appended = payload_text(self.probe.payload)
                wrong = after_an_append(self.written, state.acknowledged, appended, found)
            for each in wrong:
                self.judgement.note(each, who, state, found)
        except _Refused as refused:
            self.judgement.note(STOPS, who, state, found, str(refused))
        except PROGRAM_FAILURES as error:
            self.judgement.note(DIED, who, state, found, str(error))
        finally:
            self.scratch.clear(place)

    def _read_by_us(self, path: Path, state: FileState, who: str) -> Found:
        if not path.exists():
            return []
        answer = collect(self.format.read(path, "recover", self.what.context))
        if answer.verdict == "damaged":
            self.judgement.note(DAMAGE, who, state, None, str(answer.reason))
        return written_payloads(self.what, answer.records)

    def _append_by_us(self, path: Path) -> None:
        try:
            self.format.append(path, [self.probe], self.what.context)
        except ValueError as error:
            raise _Refused(str(error)) from None

    def _read_by_it(self, path: Path, state: FileState, who: str) -> Found:
        reply = self._request({"cmd": "read", "path": str(path), "profile": "recover"})
        if "answer" not in reply:
            raise _Refused(reply.get("skipped", "skipped"))
        result: Found = []
        for each in reply["answer"]["records"]:
            if "payload" not in each:
                # A long payload is given as its digest, which cannot be converted.
                result.append(each["payload_sha256"])
            elif (payload := self.what.written(bytes.fromhex(each["payload"]))) is not None:
                result.append(payload_text(payload))
        return result

    def _append_by_it(self, path: Path) -> None:
        record = {"payload": self.probe.payload.hex(), **self.probe.fields}
        reply = self._request({"cmd": "append", "path": str(path), "records": [record]})
        if "done" not in reply:
            raise _Refused(str(reply.get("refused") or reply.get("skipped")))

    def _request(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to a request. Start the program if it is not running."""
        self._seq += 1
        about = {"seq": self._seq, "format": self.format.id, "context": dict(self.what.context)}
        try:
            if self._session is None:
                self._session = ProtocolSession(self._command, sandbox=self._sandbox)
                self._session.start()
            return self._session.request({**request, **about}, WALL_MS)
        except PROGRAM_FAILURES:
            self._session = None
            raise


def payload_text(payload: bytes) -> str:
    """Return a payload as an answer shows it: in hexadecimal, or as its SHA-256 if it is long."""
    return next(iter(payload_to_json(payload).values()))


def written_payloads(what: FormatCrash, records: Sequence[Record]) -> Found:
    """Convert records to the payloads sent to the writer; skip incomplete and added records."""
    written = [what.written(each.payload) for each in records if not what.is_part(each)]
    return [payload_text(each) for each in written if each is not None]


def build(state: FileState, place: Path) -> None:
    """Create the files of a state in a new folder."""
    place.mkdir(parents=True, exist_ok=True)
    for name, content in sorted(state.files.items()):
        path = place / name
        if content is None:
            path.mkdir()
        else:
            path.write_bytes(content)
