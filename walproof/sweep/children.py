"""Programs under test, long-lived, asked many cases at a time; the culprit is found alone."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from conformance.cases import Case, Judgement, WritingStep, found_at
from conformance.contents import Contents
from conformance.protocol import PROTOCOL
from conformance.protocol.messages import ProtocolError, decode, encode, validate
from conformance.sandbox import Sandbox
from conformance.scratch import remove
from walproof.sweep.judge import (
    CRASH,
    NOT_ASKED,
    OVER_LIMIT,
    PROTOCOL_ERROR,
    SKIPPED,
    TIMEOUT,
)
from walproof.sweep.process import Ended, Process
from walproof.sweep.readers import put

VALIDATED = 16
"""Replies of each process that are checked against the protocol's schema; later ones are when
they differ from what is expected."""


@dataclass(frozen=True)
class Limits:
    """The limits of a program, and how it is asked.

    ``window`` cases are outstanding at a time. After ``give_up`` crashes or timeouts in one shard,
    it is asked no more in that shard: what was not asked is counted as such.
    """

    wall_ms: int = 2000
    start_seconds: float = 30.0
    memory: int = 2 << 30
    output: int = 64 << 20
    window: int = 64
    give_up: int = 25


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to one case: an answer, or an outcome and words about it.

    ``alone`` says of a crash or timeout whether it happened again when the case was run alone, in
    a fresh process. ``reports`` are the parts that this answer gives, where they vary. A write or
    an append has a ``judgement`` in place of an answer.
    """

    token: Any
    answer: Mapping[str, Any] | None
    outcome: int = 0
    text: str = ""
    changed: bool = False
    alone: bool = True
    reports: Sequence[str] | None = None
    judgement: Judgement | None = None


@dataclass(slots=True)
class _Slot:
    """A place for a scratch copy; the file of a log of one file stays open."""

    path: Path
    json_path: str
    fd: int = -1
    inode: int = 0


@dataclass(slots=True)
class _Asked:
    token: Any
    contents: Contents
    context: str
    profile: str
    slot: _Slot
    seq: int = 0
    step: WritingStep | None = None


class Patience(Protocol):
    """What is known of the cases that a program does not answer in time."""

    def timed_out(self, name: str, token: Any) -> None:
        """Take note of one."""

    def answered(self, name: str, token: Any) -> None:
        """Take note of one that it does answer, after it had died."""

    def refuses(self, name: str, token: Any) -> str | None:
        """Why a case is better not asked; None if it may be."""


GAVE_UP = "anything more in a shard in which it had died {} times"


class Asker:
    """Asks one implementation. ``scratch`` is a folder of its own, on tmpfs when there is one.

    A ``box`` around the program has this folder.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        format: str,
        scratch: Path,
        limits: Limits,
        patience: Patience | None = None,
        box: Sandbox | None = None,
    ) -> None:
        self.name = name
        self.patience = patience
        self.box = box
        self.command = command if box is None else box.absolute_command(command)
        self.format = format
        self.limits = limits
        self.hello: dict[str, Any] = {}
        self.replies: deque[Reply] = deque()
        self.deaths = 0
        self.busy_seconds = 0.0
        self._scratch = scratch
        self._process: Process | None = None
        self._waiting: deque[_Asked] = deque()
        self._free: dict[tuple[str, bool], list[_Slot]] = {}
        self._places = 0
        self._seq = 0
        self._checked = 0
        self._since = 0.0
        self._unsent: list[bytes] = []

    @property
    def reports(self) -> Sequence[str]:
        """The parts of the answer that it says it gives."""
        return list(self.hello.get("reports", ["records"]))

    def start(self) -> None:
        """Start the program, unless it runs. Raises :class:`Ended`, :class:`ProtocolError`."""
        if self._process is not None:
            return
        process = Process(self.command, self._scratch, self.limits.memory, self.box)
        try:
            process.send(encode({"cmd": "hello", "protocol": PROTOCOL}))
            found = process.lines(self.limits.start_seconds, self.limits.output)
            if not found:
                raise Ended(f"no hello within {self.limits.start_seconds:g} s")
            hello = decode(found[0])
            validate("hello-reply", hello)
        except (Ended, ProtocolError):
            process.kill()
            raise
        self.hello, self._process, self._checked = hello, process, 0

    def ask(
        self, token: Any, name: str, contents: Contents, context: str, profile: str = "recover"
    ) -> None:
        """Ask about a log that must be called ``name``; ``context`` is JSON text.

        Replies appear in ``replies`` in the order of asking, some of them during later calls.
        """
        if not self._may_ask(token):
            return
        while len(self._waiting) >= self.limits.window:
            self._receive()
        slot = self._slot(name)
        self._fill(slot, contents)
        self._send(_Asked(token, contents, context, profile, slot))

    def ask_step(self, token: Any, step: WritingStep) -> None:
        """Ask for a write or an append, which is judged before anything else is put there."""
        if not self._may_ask(token):
            return
        while len(self._waiting) >= self.limits.window:
            self._receive()
        slot = self._slot(step.vector.neutral_name, writing=True)
        asked = _Asked(token, b"", "", step.vector.operation, slot, step=step)
        self._put(asked)
        self._send(asked)

    def _may_ask(self, token: Any) -> bool:
        """Whether a case may be asked; else it has its reply."""
        why = None
        if self.deaths >= self.limits.give_up:
            why = GAVE_UP.format(self.limits.give_up)
        elif self.patience is not None:
            why = self.patience.refuses(self.name, token)
        if why is not None:
            self.replies.append(Reply(token, None, NOT_ASKED, why))
        return why is None

    def drain(self) -> None:
        """Wait for all replies."""
        while self._waiting:
            self._receive()

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _send(self, asked: _Asked) -> None:
        self._seq += 1
        asked.seq = self._seq
        self._waiting.append(asked)
        try:
            self.start()
        except (Ended, ProtocolError) as error:
            self._died(CRASH, f"hello: {error}")
            return
        # Each write wakes the program up, which takes the processor from us: send a few at once.
        self._unsent.append(self._request(asked))
        if len(self._unsent) >= self.limits.window // 2:
            self._flush()

    def _flush(self) -> None:
        if self._unsent:
            assert self._process is not None
            if len(self._unsent) == len(self._waiting):
                self._since = time.monotonic()
            self._process.send(b"".join(self._unsent))
            self._unsent.clear()

    def _request(self, asked: _Asked) -> bytes:
        if asked.step is not None:
            case = Case(asked.step.vector, asked.profile)
            return encode(asked.step.request(case, asked.slot.path, asked.seq))
        # By hand: the same message as json.dumps would make, several times as fast.
        return (
            f'{{"cmd":"read","seq":{asked.seq},"format":"{self.format}",'
            f'"path":{asked.slot.json_path},"profile":"{asked.profile}","context":{asked.context},'
            f'"limits":{{"wall_ms":{self.limits.wall_ms}}}}}\n'
        ).encode()

    def _receive(self) -> None:
        """Take the replies that are there, waiting for the oldest one as long as it may take."""
        assert self._process is not None
        self._flush()
        left = self._since + self.limits.wall_ms / 1000 - time.monotonic()
        started = time.monotonic()
        try:
            lines = self._process.lines(max(0.001, left), self.limits.output)
        except Ended as ended:
            self._died(OVER_LIMIT if ended.over else CRASH, str(ended))
            return
        finally:
            self.busy_seconds += time.monotonic() - started
        if not lines:
            self._process.kill()
            self._died(TIMEOUT, f"no reply within {self.limits.wall_ms / 1000:g} s")
            return
        for line in lines:
            if not self._waiting:
                self._process.kill()
                self._process = None
                return
            try:
                reply = self._understood(line, self._waiting[0])
            except ProtocolError as error:
                self._process.kill()
                self._died(PROTOCOL_ERROR, str(error))
                return
            self.replies.append(reply)
            self._release(self._waiting.popleft())
        self._since = time.monotonic()

    def _understood(self, line: bytes, asked: _Asked) -> Reply:
        message = decode(line)
        if self._checked < VALIDATED:
            self._checked += 1
            validate("read-reply" if asked.step is None else "done-reply", message)
        if message.get("seq") != asked.seq:
            raise ProtocolError(f"expected seq {asked.seq}, found {message.get('seq')}")
        if "skipped" in message:
            return Reply(asked.token, None, SKIPPED, str(message["skipped"]))
        if asked.step is not None:
            validate("done-reply", message)
            judgement = asked.step.judge(message, asked.slot.path, self.reports)
            return Reply(asked.token, None, judgement=judgement)
        answer = message.get("answer")
        if not isinstance(answer, dict) or not isinstance(answer.get("records"), list):
            validate("read-reply", message)
            raise ProtocolError("expected an answer with records")
        return Reply(asked.token, answer, changed=self._changed(asked))

    def _died(self, outcome: int, text: str) -> None:
        """The oldest outstanding case is to blame: run it alone. The others are asked again."""
        self._process = None
        culprit, *others = self._waiting
        self._waiting.clear()
        self._unsent.clear()
        self.deaths += 1
        reply = self._alone(culprit)
        if reply.outcome == TIMEOUT and self.patience is not None:
            self.patience.timed_out(self.name, culprit.token)
        if reply.outcome in (CRASH, TIMEOUT, OVER_LIMIT, PROTOCOL_ERROR):
            self.replies.append(reply)
        elif outcome == TIMEOUT:
            # Slow once and in time alone: the machine was busy.
            self.replies.append(reply)
        else:
            self.replies.append(Reply(culprit.token, None, outcome, text, alone=False))
        self._release(culprit)
        for asked in others:
            if self._may_ask(asked.token):
                self._put(asked)
                self._send(asked)
            else:
                self._release(asked)

    def _alone(self, asked: _Asked) -> Reply:
        """Run one case in a fresh process, which serves the next ones if it survives."""
        self._put(asked)
        self._seq += 1
        asked.seq = self._seq
        try:
            self.start()
            assert self._process is not None
            self._process.send(self._request(asked))
            lines = self._process.lines(self.limits.wall_ms / 1000, self.limits.output)
            if not lines:
                raise TimeoutError
            return self._understood(lines[0], asked)
        except Ended as ended:
            outcome, text = OVER_LIMIT if ended.over else CRASH, str(ended)
        except ProtocolError as error:
            outcome, text = PROTOCOL_ERROR, str(error)
        except TimeoutError:
            outcome, text = TIMEOUT, f"no reply within {self.limits.wall_ms / 1000:g} s"
        if self._process is not None:
            self._process.kill()
            self._process = None
        return Reply(asked.token, None, outcome, text)

    def _slot(self, name: str, writing: bool = False) -> _Slot:
        if free := self._free.setdefault((name, writing), []):
            return free.pop()
        self._places += 1
        path = self._scratch / str(self._places) / name
        return _Slot(path, json.dumps(str(path)))

    def _put(self, asked: _Asked) -> None:
        """Put the log in place, for whatever is asked."""
        if asked.step is None:
            self._let_go_of(asked.slot)  # who died may have removed it
            self._fill(asked.slot, asked.contents)
            return
        self._renew(asked.slot)  # with all that an earlier writer left there
        asked.step.prepare(asked.slot.path)

    def _fill(self, slot: _Slot, contents: Contents) -> None:
        """Put the log in place: into the open file, which is quick."""
        if not isinstance(contents, bytes):
            self._renew(slot)  # it is not known what an earlier reader left there
            put(contents, slot.path)
            return
        if slot.fd < 0:
            self._renew(slot)
            slot.fd = os.open(slot.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC)
            slot.inode = os.fstat(slot.fd).st_ino
        else:
            os.ftruncate(slot.fd, 0)
        os.pwrite(slot.fd, contents, 0)

    def _renew(self, slot: _Slot) -> None:
        """An empty folder for a copy, whatever a program made of the one before."""
        parent = slot.path.parent
        if parent.is_symlink():
            parent.unlink()
        remove(parent)
        parent.mkdir(parents=True)

    def _changed(self, asked: _Asked) -> bool:
        """Whether the log was changed: a reader never writes."""
        slot, contents = asked.slot, asked.contents
        if not isinstance(contents, bytes):
            return found_at(slot.path) != contents
        try:
            same = slot.path.stat().st_ino == slot.inode
        except OSError:
            same = False
        if same and os.pread(slot.fd, len(contents) + 1, 0) == contents:
            return False
        self._let_go_of(slot)
        return True

    def _let_go_of(self, slot: _Slot) -> None:
        """Make the next copy there anew."""
        if slot.fd >= 0:
            os.close(slot.fd)
            slot.fd = -1

    def _release(self, asked: _Asked) -> None:
        key = asked.slot.path.name, asked.step is not None
        self._free.setdefault(key, []).append(asked.slot)
