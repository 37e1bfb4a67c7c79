"""Programs under test: started, sent one case at a time, and restarted after a failure."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance import process
from conformance.cases import Case, Judgement, WritingStep, found_at
from conformance.contents import Contents, write_contents
from conformance.one_shot import takes_strict
from conformance.process import Crash, OverLimit, Timeout
from conformance.protocol.messages import ProtocolError
from conformance.sandbox import Sandbox, evidence
from conformance.scratch import Held, remove
from conformance.session import (
    PROGRAM_FAILURES,
    OneShotSession,
    ProtocolSession,
    Session,
    file_name,
)
from conformance.subject import Subject
from conformance.vectors import Vector
from walproof.sweep.judge import CRASH, OVER_LIMIT, PROTOCOL_ERROR, SKIPPED, TIMEOUT
from walproof.sweep.settings import PROFILES, READING, Setting, reads_any

REFERENCE, FAST = "reference", "fast"
"""The readers that run inside a worker, beside the programs."""

HELLO_SECONDS = 10.0
"""Time for the first hello, after which a program is taken for one-shot."""

TIMEOUT_WEIGHT = 5
"""Crashes that a timeout counts as."""

_FAILURES = {
    Crash: CRASH,
    Timeout: TIMEOUT,
    OverLimit: OVER_LIMIT,
    ProtocolError: PROTOCOL_ERROR,
}


@dataclass(frozen=True)
class Limits:
    """The limits of a program under test.

    After ``max_failures`` crashes in one shard it gets no more cases of that shard. A timeout takes
    seconds, and counts as :data:`TIMEOUT_WEIGHT` crashes.
    """

    wall_ms: int = 2000
    start_seconds: float = 30.0
    memory_bytes: int = 2 << 30
    output_bytes: int = 64 << 20
    max_failures: int = 25


@dataclass(frozen=True)
class Program:
    """A program under test: its command, and what makes it another one.

    It takes the ``profiles``; a ``one_shot`` program cannot be told a context. It runs in a sandbox
    if it is ``isolated``, and may change the folders ``writes`` besides its own.
    """

    name: str
    command: tuple[str, ...]
    one_shot: bool = False
    version: str = ""
    profiles: tuple[str, ...] = READING
    isolated: bool = True
    writes: tuple[str, ...] = ()

    def sandbox(self, folder: Path) -> Sandbox | None:
        """Return the sandbox around it on this machine, with this folder; or None."""
        if not self.isolated:
            return None
        return Sandbox(folder, hides=evidence(), writes=map(Path, self.writes))

    def takes(self, format: str, setting: Setting) -> bool:
        """Return whether it can be run in this setting."""
        blind = self.one_shot and reads_any(format, setting.context)
        return setting.profile in self.profiles and not blind


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to one case: an answer, a judgement of a write or append, or a failure.

    A failure has an ``outcome`` and a ``text``; ``alone`` is False if it did not happen again in a
    fresh process. ``reports`` are the parts that the answer gives. ``changed`` says that a reader
    changed the log.
    """

    answer: Mapping[str, Any] | None = None
    judgement: Judgement | None = None
    outcome: int = 0
    text: str = ""
    alone: bool = True
    reports: Sequence[str] = ()
    changed: bool = False

    @property
    def failed(self) -> bool:
        """Return whether the program crashed, hung, or broke a limit or the protocol."""
        return self.outcome in _FAILURES.values()


class Client:
    """Sends cases to one program, one at a time; starts it when needed and after each failure.

    ``folder`` is a scratch folder of its own.
    """

    def __init__(self, program: Program, format: str, folder: Path, limits: Limits) -> None:
        self.program = program
        self.format = format
        self.limits = limits
        self.hello: dict[str, Any] = {}
        self._folder = folder
        self._sandbox = program.sandbox(folder)
        self._session: Session | None = None
        self._seq = 0

    def start(self) -> None:
        """Start the program, unless it runs.

        Raises :data:`~conformance.session.PROGRAM_FAILURES`.
        """
        if self._session is not None:
            return
        form = OneShotSession if self.program.one_shot else ProtocolSession
        limits = process.Limits(
            self.limits.start_seconds, self.limits.memory_bytes, self.limits.output_bytes
        )
        session = form(self.program.command, limits, self._sandbox)
        try:
            self.hello = session.start()
        except BaseException:
            session.close()
            raise
        self._session = session

    def read(
        self, name: str, contents: Contents, context: Mapping[str, Any], profile: str = "recover"
    ) -> Reply:
        """Send a read of a log that is called ``name``; return the reply.

        A failure is confirmed in a fresh process first: a timeout may be a busy machine.
        """
        reply = self._read(name, contents, context, profile)
        return self._confirmed(reply, lambda: self._read(name, contents, context, profile))

    def write(self, step: WritingStep) -> Reply:
        """Send a write or an append, and judge what it leaves; likewise."""
        reply = self._write(step)
        return self._confirmed(reply, lambda: self._write(step))

    def close(self) -> None:
        """End the program."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _read(
        self, name: str, contents: Contents, context: Mapping[str, Any], profile: str
    ) -> Reply:
        place = self._place(name)
        write_contents(contents, place)
        message = self._send(
            {
                "cmd": "read",
                "format": self.format,
                "path": str(place),
                "profile": profile,
                "context": dict(context),
                "limits": {"wall_ms": self.limits.wall_ms},
            }
        )
        if isinstance(message, Reply):
            return message
        assert self._session is not None
        reports = self._session.reports(message)
        return Reply(message["answer"], reports=reports, changed=found_at(place) != contents)

    def _write(self, step: WritingStep) -> Reply:
        place = self._place(step.vector.neutral_name)
        step.prepare(place)
        message = self._send(step.request(Case(step.vector, step.vector.operation), place, 0))
        if isinstance(message, Reply):
            return message
        return Reply(judgement=step.judge(message, place, self.hello["reports"]))

    def _send(self, request: dict[str, Any]) -> dict[str, Any] | Reply:
        self._seq += 1
        try:
            self.start()
            assert self._session is not None
            message = self._session.request({**request, "seq": self._seq}, self.limits.wall_ms)
        except PROGRAM_FAILURES as error:
            self._session = None
            outcome = next(n for kind, n in _FAILURES.items() if isinstance(error, kind))
            return Reply(outcome=outcome, text=str(error))
        if "skipped" in message:
            return Reply(outcome=SKIPPED, text=str(message["skipped"]))
        return message

    def _confirmed(self, reply: Reply, again: Any) -> Reply:
        if not reply.failed:
            return reply
        second: Reply = again()
        if second.failed or reply.outcome == TIMEOUT:
            return second
        return replace(reply, alone=False)

    def _place(self, name: str) -> Path:
        """Return an empty place for a log, whatever the program made of the last one."""
        parent = self._folder / "log"
        if parent.is_symlink():
            parent.unlink()
        remove(parent)
        parent.mkdir(parents=True)
        return parent / name


class NoProgram(ValueError):
    """A program that cannot be tested with a format."""


def introduced(
    program: Program, format: str, limits: Limits, vectors: Iterable[Vector] = ()
) -> tuple[Program, str | None]:
    """Return a program as its hello describes it, and why it must be one-shot if it sends none.

    The ``vectors`` show whether a one-shot program takes the profile ``strict``. Raises
    :class:`NoProgram` if it does not read the format, or has no profile.
    """
    try:
        hello = _hello(program, replace(limits, start_seconds=HELLO_SECONDS))
    except PROGRAM_FAILURES as error:
        of_format = [vector for vector in vectors if vector.body["format"] == format]
        subject = Subject(program.name, program.name, program.command, isolated=program.isolated)
        strict = takes_strict(subject, of_format)
        known = READING if strict else READING[:1]
        return replace(program, one_shot=True, profiles=known), str(error)
    if format not in hello["formats"] and "*" not in hello["formats"]:
        raise NoProgram(f"{program.name} reads {', '.join(hello['formats'])}, and not {format}")
    profiles = tuple(profile for profile in PROFILES if profile in hello["profiles"])
    if not profiles:
        raise NoProgram(f"{program.name} has no profile: {', '.join(hello['profiles'])}")
    return replace(program, profiles=profiles), None


def _hello(program: Program, limits: Limits) -> Mapping[str, Any]:
    held = Held()
    client = Client(program, "", held.folder, limits)
    try:
        client.start()
        return client.hello
    finally:
        client.close()
        held.close()


def stamp(words: Sequence[str]) -> str:
    """Return a digest of the files that a command names: another program has another one."""
    digest = hashlib.sha256()
    for word in words:
        path = Path(shutil.which(word) or word) if word == words[0] else Path(word)
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def name_of(words: Sequence[str], others: Sequence[Program]) -> str:
    """Return a short name for a command: the program's own file, not its interpreter."""
    base = file_name(words)
    taken = {program.name for program in others} | {REFERENCE, FAST}
    return base if base not in taken else f"{base}-{len(others)}"
