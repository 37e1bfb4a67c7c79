"""Test step by step whether an adapter follows the protocol, and find the cause of each fault.

The adapter is responsible for messages, pipes and processes. The implementation is responsible for
incorrect answers about undamaged logs, changes to the log, and crashes by a signal.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from conformance import contents
from conformance.compare import ANSWER_PARTS, differences, every_part, normalise
from conformance.process import Limits, OverLimit, ProgramCrash, describe_exit
from conformance.program_session import (
    PROGRAM_FAILURES,
    OneShotSession,
    ProtocolSession,
    reported_parts,
)
from conformance.protocol.messages import ProtocolError, encode, validate
from conformance.sandbox import Sandbox, evidence
from conformance.scratch import Scratch
from conformance.vector_cases import VectorCase, contents_at
from conformance.vectors import Vector
from reference_impl.formats import FORMATS

LONG = 1 << 20
BYE_SECONDS = 2.0
SHOWN = 160
EXPECTED_FOUND = re.compile("expected (.+?), found (.+)", re.DOTALL)
# Go and Rust print these messages before they exit. A stack trace may follow.
PANIC = re.compile(r"^(panic: .*|fatal error: .*|thread '.*' panicked at .*)$", re.MULTILINE)

Fault = Literal["adapter", "implementation"]
Reply = dict[str, Any]


@dataclass(frozen=True)
class SmokeStep:
    """The result of a step: ``right``, ``wrong`` (with the fault and evidence) or ``untested``."""

    step: str
    status: Literal["right", "wrong", "untested"]
    note: str = ""
    expected: str = ""
    actual: str = ""
    fault: Fault | None = None
    # The shortened raw line of output, if it contains more than ``actual``.
    line: str = ""
    stderr: str | None = None


class _Untested(Exception):
    """The step does not apply. The text states the reason."""


class _Wrong(Exception):
    def __init__(self, actual: str, fault: Fault = "adapter") -> None:
        super().__init__(actual)
        self.fault = fault


@dataclass
class _Step:
    expected: str
    note: str = ""


@dataclass
class AdapterSmoke:
    """The steps for one command; :meth:`run` performs them and fills ``findings``."""

    command: Sequence[str]
    vectors: Mapping[str, Vector]
    #: Ids of the formats to try, if the adapter supports them.
    formats: Sequence[str]
    #: Time limit for the hello message and for other slow steps.
    seconds: float = 10.0
    isolated: bool = True
    hello: Reply = field(default_factory=dict)
    findings: list[SmokeStep] = field(default_factory=list)
    # The reason that the adapter gave for skipping a request.
    skipped: str | None = None
    _answered: dict[str, Reply] = field(default_factory=dict)
    _session: ProtocolSession | None = None
    _seq: int = 0
    _surplus: bytes = b""
    _scratch: Scratch = field(default_factory=Scratch)
    _sandbox: Sandbox | None = None

    def run(self, one_shot: bool = False) -> None:
        """Perform every step. If ``one_shot`` is true, skip the protocol steps."""
        if self.isolated:
            self._sandbox = Sandbox(self._scratch.folder, hides=evidence())
        try:
            formats = [format for format in self.formats if self._undamaged(format)]
            if one_shot:
                for format in formats:
                    self._one_shot(format)
            elif self._greet():
                self._steps([id for id in formats if id in self.hello["formats"]])
        finally:
            if self._session is not None:
                self._session.kill()
            self._scratch.close()

    @property
    def wrong(self) -> list[SmokeStep]:
        """Return the failed steps."""
        return [finding for finding in self.findings if finding.status == "wrong"]

    def _steps(self, formats: Sequence[str]) -> None:
        if not formats:
            self.findings.append(
                SmokeStep("reads a log", "untested", "none of its formats is tested")
            )
        for format in formats:
            self._read(format)
        for format in formats[:1]:
            self._long_line(format)
            self._unknown_path(format)
        self._leave("exits on bye", encode({"cmd": "bye"}))
        self._leave("exits at the end of its input", b"")
        with self._step("prints nothing but replies", "one line for each request"):
            if self._surplus:
                raise _Wrong(f"also: {_short(self._surplus)}")
        for format in formats[:1]:
            self._one_shot(format)

    def _greet(self) -> bool:
        session = self._new_session()
        with self._step("starts", "a program that can be started"):
            session.spawn()
        if self.wrong:
            return False
        self._session = session
        hello: Reply = {}
        expected = f"a line of JSON within {self.seconds:g} s, flushed"
        with self._step("says hello in time", expected) as step:
            started = time.monotonic()
            hello = session.greet()
            step.note = f"{time.monotonic() - started:.2f} s"
        if self.wrong:
            return False
        with self._step("its hello is valid", "what hello-reply.schema.json asks for"):
            validate("hello-reply", hello)
            self.hello = hello
            for key, known in self._known_names().items():
                if unknown := [name for name in hello[key] if name not in known]:
                    names = f"{', '.join(unknown)} (there is {', '.join(sorted(known))})"
                    raise _Wrong(f"{key}: {names}")
        return bool(self.hello)

    def _known_names(self) -> dict[str, set[str]]:
        formats = [format for format in self.hello["formats"] if format in FORMATS]
        return {"formats": set(FORMATS), "reports": {*every_part(formats), *ANSWER_PARTS}}

    def _read(self, format: str) -> None:
        case = self._trivial(format)
        assert case.expect is not None
        path = self._copy(case)
        with self._step(f"reads {case.vector.id}", "the records of an undamaged log") as step:
            if case.profile not in self.hello["profiles"]:
                raise _Untested("the adapter does not read")
            reply = self._ask(case, path)
            self._answered[format] = reply
            self._judge(reply, case, self.hello["reports"], step)
        if format not in self._answered:
            return
        with self._step("gives the same answer again", _text(self._answered[format])):
            again = self._ask(case, path)
            if again != self._answered[format]:
                raise _Wrong(_text(again), "implementation")
        with self._step("leaves the log unchanged", f"{case.vector.body['size']} bytes, unchanged"):
            if (after := contents_at(path)) is None:
                raise _Wrong("the log is missing", "implementation")
            if after != case.vector.contents:
                raise _Wrong(f"{contents.size(after)} bytes, changed", "implementation")

    def _judge(self, reply: Reply, case: VectorCase, reports: Sequence[str], step: _Step) -> None:
        if "skipped" in reply:
            self.skipped = str(reply["skipped"])
            raise _Untested(f"skipped: {self.skipped}")
        assert case.expect is not None
        if wrong := differences(case.expect, normalise(reply["answer"]), reports):
            raise _Wrong("; ".join(wrong), "implementation")
        number = len(case.expect["records"])
        step.note = f"{number} record{'s' if number > 1 else ''}"

    def _long_line(self, format: str) -> None:
        """Send an unknown key with a value of one mebibyte, which exceeds usual line buffers."""
        case = self._trivial(format)
        name = "accepts a line of more than a mebibyte"
        with self._step(name, f"a reply within {self.seconds:g} s") as step:
            self._require_answer(format)
            reply = self._ask(case, self._copy(case), {"no-such-key": "x" * LONG})
            step.note = "ignores an unknown key"
            if reply != self._answered.get(format, reply):
                raise _Wrong(f"another reply than without an unknown key: {_text(reply)}")

    def _unknown_path(self, format: str) -> None:
        expected = 'a reply, best {"skipped":"nothing is at this path"}'
        with self._step("survives a path without a file", expected) as step:
            self._require_answer(format)
            case = self._trivial(format)
            reply = self._ask(case, self._scratch.new_path("there-is-no-such.log"))
            if reply.get("answer", {}).get("records"):
                raise _Wrong(_text(reply), "implementation")
            step.note = "skipped" if "skipped" in reply else "an answer without records"

    def _require_answer(self, format: str) -> None:
        if format not in self._answered:
            raise _Untested("no log could be read either")

    def _leave(self, name: str, last_word: bytes) -> None:
        with self._step(name, f"exit status 0 within {BYE_SECONDS:g} s"):
            process = self._alive().process
            assert process is not None
            if last_word:
                process.send(last_word)
            else:
                process.close_input()
            status, surplus = process.await_exit(BYE_SECONDS, LONG)
            self._surplus = self._surplus or surplus
            if status is None:
                raise _Wrong("it is still running")
            if status != 0:
                raise _Wrong(describe_exit(status))
        self._session = None

    def _one_shot(self, format: str) -> None:
        case = self._trivial(format)
        program = OneShotSession(self.command, sandbox=self._sandbox)
        with self._step(
            f"one-shot: read {format} PATH", "one answer, then the end of the output"
        ) as step:
            request = next(case.steps()).request(case, self._copy(case), 1)
            try:
                reply = program.request(request, round(self.seconds * 1000))
            except ProgramCrash as crash:
                last = (program.stderr or "nothing on stderr").splitlines()[-1]
                actual = f"no answer, {crash}: {_short(last)}"
                # A program that follows the protocol need not support the one-shot form.
                if self.hello and str(crash).startswith("exit status"):
                    raise _Untested(actual) from None
                raise _Wrong(actual, _fault(crash)) from None
            self._judge(reply, case, reported_parts(reply.get("answer", {"records": []})), step)

    def _undamaged(self, format: str) -> list[Vector]:
        return [
            vector
            for vector in self.vectors.values()
            if vector.body["format"] == format
            and (vector.operation, vector.body["kind"]) == ("read", "valid")
            and vector.body["expect"]["records"]
        ]

    def _trivial(self, format: str) -> VectorCase:
        vector = min(self._undamaged(format), key=lambda each: (each.body["size"], each.id))
        profiles = self.hello.get("profiles", [])
        return VectorCase(vector, "strict" if "recover" not in profiles and profiles else "recover")

    def _copy(self, case: VectorCase) -> Path:
        path = self._scratch.new_path(case.vector.neutral_name)
        contents.write_contents(case.vector.contents, path)
        return path

    def _ask(self, case: VectorCase, path: Path, more: Mapping[str, Any] | None = None) -> Reply:
        request = next(case.steps()).request(case, path, 0)
        return self._send({**request, **(more or {})}, case.wall_ms / 1000)

    def _send(self, request: Reply, seconds: float) -> Reply:
        session = self._alive()
        self._seq += 1
        reply = session.request({**request, "seq": self._seq}, round(seconds * 1000))
        return {key: value for key, value in reply.items() if key != "seq"}

    def _new_session(self) -> ProtocolSession:
        return ProtocolSession(self.command, Limits(start_seconds=self.seconds), self._sandbox)

    def _alive(self) -> ProtocolSession:
        if self._session is None:
            self._session = self._new_session()
            self._session.start()
        return self._session

    @contextlib.contextmanager
    def _step(self, name: str, expected: str) -> Iterator[_Step]:
        step = _Step(expected)
        try:
            yield step
        except _Untested as why:
            self.findings.append(SmokeStep(name, "untested", str(why)))
        except (_Wrong, *PROGRAM_FAILURES) as error:
            session, actual, line = self._session, str(error), ""
            if isinstance(error, ProtocolError):
                if match := EXPECTED_FOUND.fullmatch(actual):
                    expected, actual = match.groups()
                if session is not None and repr(session.last_line)[:20] not in actual:
                    line = _short(session.last_line)
            stderr = session.stderr if session else None
            if isinstance(error, ProgramCrash) and (panic := PANIC.search(stderr or "")):
                actual += f", {_short(panic[0])}"
            fault = _fault(error)
            self.findings.append(
                SmokeStep(name, "wrong", "", expected, actual, fault, line, stderr)
            )
            if session is not None and not isinstance(error, _Wrong):
                session.kill()
                self._session = None
        else:
            self.findings.append(SmokeStep(name, "right", step.note))


def _fault(error: Exception) -> Fault:
    if isinstance(error, _Wrong):
        return error.fault
    if isinstance(error, ProgramCrash) and str(error).startswith("killed by"):
        return "implementation"
    if isinstance(error, OverLimit) and "memory" in str(error):
        return "implementation"
    return "adapter"


def _text(reply: Reply) -> str:
    return _short(encode(reply).rstrip())


def _short(text: bytes | str) -> str:
    if isinstance(text, bytes):
        text = text.decode(errors="backslashreplace").rstrip("\n")
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
