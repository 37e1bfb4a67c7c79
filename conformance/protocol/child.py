"""A long-lived child process that speaks the protocol, under limits of time, memory and output."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
import subprocess
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from conformance.isolation import Box
from conformance.protocol import PROTOCOL
from conformance.protocol.family import Family, prepare_child
from conformance.protocol.messages import (
    Owed,
    ProtocolError,
    decode,
    encode,
    parse,
    proper,
    validate,
)
from conformance.scratch import in_memory_bytes

MEMORY_POLL_SECONDS = 0.02
EXIT_POLL_SECONDS = 0.002
STDERR_TAIL = 4096
LEAST = 19
"""The lowest priority that a program can have."""
SHARED_BYTES = 1 << 30
"""So much others may write into memory meanwhile: it is not laid to a child's charge."""


@dataclass(frozen=True)
class Limits:
    """What a child may use: seconds to say hello, bytes resident, bytes of one reply."""

    start_seconds: float = 30.0
    memory_bytes: int = 2 << 30
    output_bytes: int = 64 << 20

    def of_reply(self, request: dict[str, Any]) -> int:
        """Bytes that the reply to one request may have."""
        return int(request.get("limits", {}).get("reply_bytes", self.output_bytes))


class Crash(Exception):
    """The process ended although it owed a reply."""


class CannotStart(Crash):
    """The system could not start the program: it is missing, or its interpreter is."""


class OutOfTurn(ProtocolError):
    """The reply to another request that is outstanding; the process was killed."""


class Timeout(Exception):
    """No reply in time; the process was killed."""


class OverLimit(Exception):
    """Too much memory or output; the process was killed."""


class Child:
    """One running process of an implementation. Requests are asked one at a time, or some ahead.

    In a ``box`` it works in the folder of that, and ``cwd`` is only where files of the command are
    looked for. After any of :class:`Crash`, :class:`Timeout`, :class:`OverLimit` or
    :class:`~conformance.protocol.messages.ProtocolError` the process is gone: start another.
    """

    def __init__(
        self,
        command: Sequence[str],
        cwd: Path,
        limits: Limits | None = None,
        box: Box | None = None,
    ) -> None:
        self.command = command if box is None else box.command(command)
        self.cwd = cwd
        self.box = box
        self.limits = limits or Limits()
        self.stderr = b""
        self.asked = 0
        self.answered_several = False
        """Whether it has answered several requests that were outstanding at a time."""
        self.told: dict[str, str] = {}
        """What its environment holds besides."""
        self._over_memory: int | None = None
        self._family: Family | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._process: asyncio.subprocess.Process | None = None
        self._outstanding: set[int] = set()
        self._lines: deque[bytes] = deque()
        self._rest = bytearray()

    async def start(self) -> dict[str, Any]:
        """Start the process and say hello; returns its validated reply."""
        await self._spawn()
        hello = encode({"cmd": "hello", "protocol": PROTOCOL})
        reply = await self._receive(hello, self.limits.start_seconds)
        assert self._family is not None
        self._family.note()
        await self._checked("hello-reply", reply)
        return reply

    async def ask(
        self, request: dict[str, Any], wall_ms: int, owed: Owed | None = None
    ) -> dict[str, Any]:
        """Send a read, write or append request and return the validated reply.

        ``owed`` is an answer that needs no validation.
        """
        return await self._reply_to(request, encode(request), wall_ms, owed)

    def ask_ahead(self, requests: Sequence[dict[str, Any]]) -> None:
        """Send read requests without waiting; :meth:`hear` takes the replies, in this order.

        What has ended already is noticed there.
        """
        assert self._process is not None and self._process.stdin is not None
        self._outstanding = {request["seq"] for request in requests}
        self._process.stdin.write(b"".join(map(encode, requests)))

    async def hear(
        self, request: dict[str, Any], wall_ms: int, owed: Owed | None = None
    ) -> dict[str, Any]:
        """The reply to the oldest request that was asked ahead, within ``wall_ms`` from now."""
        self._outstanding.discard(seq := request["seq"])
        if owed is not None and self._lines:  # mostly so: there is nothing to wait for, or to parse
            line = self._lines[0]
            if owed.is_line(line, seq) and len(line) <= self.limits.of_reply(request):
                self._lines.popleft()
                self.asked += 1
                return {"seq": seq, "answer": owed.answer}
        return await self._reply_to(request, b"", wall_ms, owed)

    async def _reply_to(
        self, request: dict[str, Any], line: bytes, wall_ms: int, owed: Owed | None
    ) -> dict[str, Any]:
        most = self.limits.of_reply(request)
        told = await self._received(line, wall_ms / 1000, most)
        if owed is not None and owed.is_line(told, request["seq"]):
            self.asked += 1
            return {"seq": request["seq"], "answer": owed.answer}
        try:
            message = parse(told)
            if owed is not None and owed.is_reply(message, request["seq"]):
                self.asked += 1
                return dict(message)
            reply = proper(message, told)
        except ProtocolError:
            await self.kill()
            raise
        await self._checked("read-reply" if request["cmd"] == "read" else "done-reply", reply)
        if reply["seq"] != request["seq"]:
            await self.kill()
            kind = OutOfTurn if reply["seq"] in self._outstanding else ProtocolError
            raise kind(f"expected seq {request['seq']}, found {reply['seq']}")
        self.asked += 1
        return reply

    def step_back(self) -> None:
        """Let it work on only where nobody else would: with all its threads, and what it started.

        What left its process group goes on as it was.
        """
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PGRP, self._process.pid, LEAST)

    async def close(self) -> None:
        """Say bye, give the process a moment, then make sure that it is gone."""
        if self._process is not None and self._process.returncode is None:
            assert self._family is not None and self._process.stdin is not None
            self._family.note()
            with contextlib.suppress(OSError, TimeoutError):
                self._process.stdin.write(encode({"cmd": "bye"}))
                self._process.stdin.close()
                await asyncio.wait_for(self._exited(), 2)
        await self.kill()

    async def kill(self) -> None:
        """End the process and everything it started."""
        if self._process is None:
            return
        assert self._family is not None
        if self._process.returncode is None:
            self._family.end()
        else:
            self._family.end_noted()
        await self._exited()
        if self._tasks:
            # The memory watch would otherwise sleep on; stderr ends by itself.
            self._tasks[1].cancel()
            await asyncio.wait(self._tasks, timeout=1)
        # A daemon that the process started may hold the pipes open for ever.
        self._process._transport.close()  # type: ignore[attr-defined]

    @property
    def stderr_tail(self) -> str | None:
        """The last of what the process wrote to stderr, or ``None``."""
        return self.stderr.decode(errors="replace").strip() or None

    async def _checked(self, kind: str, reply: dict[str, Any]) -> None:
        try:
            validate(kind, reply)
        except ProtocolError:
            await self.kill()
            raise

    async def _spawn(self) -> None:
        try:
            if self.box is not None:
                self.box.prepare()
            self._process = await asyncio.create_subprocess_exec(
                *self.command,
                cwd=self.cwd if self.box is None else self.box.work,
                env=self._environment(),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
                preexec_fn=self._prepare,
            )
        except subprocess.SubprocessError:
            raise CannotStart(f"cannot isolate {self.command[0]} as this system offers") from None
        except OSError as error:
            raise CannotStart(f"cannot start {self.command[0]}: {error.strerror}") from None
        self._family = Family(self._process.pid)
        self._tasks = [
            asyncio.create_task(self._keep_stderr()),
            asyncio.create_task(self._watch_memory()),
        ]

    def _environment(self) -> dict[str, str]:
        """The caller's, or what the box leaves of it, and what the program is told by it."""
        own = os.environ if self.box is None else self.box.environment(self.command)
        return {**own, **self.told}

    def _prepare(self) -> None:
        """Runs in the child before exec."""
        if self.box is not None:
            self.box.enter()
        prepare_child()  # afterwards: new rights make the system forget with whom it is to die

    async def _receive(
        self, request: bytes | None, seconds: float, most: int | None = None
    ) -> dict[str, Any]:
        """The reply as :meth:`_received` takes it, decoded."""
        line = await self._received(request, seconds, most)
        try:
            return decode(line)
        except ProtocolError:
            await self.kill()
            raise

    async def _received(
        self, request: bytes | None, seconds: float, most: int | None = None
    ) -> bytes:
        """Send a line, or close the input, and take the reply within the limits.

        An empty line stands for one that was sent before.
        A reply of more than ``most`` bytes is not looked at: to judge it might take minutes.
        """
        assert self._process is not None
        try:
            if request == b"" and self._lines:  # a reply that came with an earlier one
                reply = self._lines.popleft()
            else:
                async with asyncio.timeout(seconds):  # wait_for would make a task for each request
                    reply = await self._send_and_receive(request)
        except TimeoutError:
            # It may have died unnoticed: what it started can hold its output open.
            status = self._process.returncode
            await self.kill()
            self._raise_if_over_memory()
            if status is not None:
                raise Crash(describe_exit(status)) from None
            raise Timeout(f"no reply within {seconds:g} s") from None
        except ValueError:
            await self.kill()
            raise OverLimit(f"a reply of more than {self.limits.output_bytes} bytes") from None
        status = self._process.returncode
        if request is None:
            # A one-shot program may exit as it likes, but only by itself.
            ended = not reply or (status is not None and status < 0)
        else:
            ended = not reply.endswith(b"\n")
        if ended:
            await self.kill()
            self._raise_if_over_memory()
            if reply and status == 0:
                raise ProtocolError(f"the output ends inside a line: {reply[:80]!r}")
            raise Crash(describe_exit(status))
        if most is not None and len(reply) > most:
            await self.kill()
            raise OverLimit(f"a reply of more than {most} bytes")
        return reply

    async def _send_and_receive(self, request: bytes | None) -> bytes:
        assert self._process is not None
        assert self._process.stdin is not None and self._process.stdout is not None
        if request is None:
            self._process.stdin.close()
            reply = b""
            while chunk := await self._process.stdout.read(1 << 20):
                reply += chunk
                if len(reply) > self.limits.output_bytes:
                    raise ValueError("too much output")
        else:
            # A process that died already answers with the end of its output, below.
            with contextlib.suppress(ConnectionError):
                self._process.stdin.write(request)
                await self._process.stdin.drain()
            reply = await self._line()
        if request is None or not reply.endswith(b"\n"):
            await self._exited()
        return reply

    async def _line(self) -> bytes:
        """The next line of output, or what is left at its end. Raises ``ValueError``: too long."""
        assert self._process is not None and self._process.stdout is not None
        while not self._lines:
            chunk = await self._process.stdout.read(1 << 20)
            if not chunk:
                rest = bytes(self._rest)
                self._rest.clear()
                return rest
            self._rest += chunk
            if b"\n" in chunk:
                *lines, rest = bytes(self._rest).split(b"\n")
                self._lines.extend(line + b"\n" for line in lines)
                self._rest[:] = rest
            if max(len(self._rest), *map(len, self._lines), 0) > self.limits.output_bytes:
                raise ValueError("too much output")
        return self._lines.popleft()

    async def _exited(self) -> None:
        """Wait for the process alone: ``Process.wait`` also waits for whoever holds its pipes."""
        assert self._process is not None
        while self._process.returncode is None:
            await asyncio.sleep(EXIT_POLL_SECONDS)

    async def _keep_stderr(self) -> None:
        assert self._process is not None and self._process.stderr is not None
        while chunk := await self._process.stderr.read(65536):
            self.stderr = (self.stderr + chunk)[-STDERR_TAIL:]

    async def _watch_memory(self) -> None:
        assert self._family is not None
        before = in_memory_bytes()
        with contextlib.suppress(psutil.Error):
            for poll in itertools.count():
                # Listing descendants reads all of /proc, so it is done less often.
                if poll % 10 == 0:
                    self._family.note()
                used = self._family.memory()
                # Scratch copies may lie in memory: what is written there takes it like any other.
                written = in_memory_bytes() - before
                if written > max(self.limits.memory_bytes, SHARED_BYTES):
                    used += written
                if used > self.limits.memory_bytes:
                    self._over_memory = used
                    self._family.end()
                    return
                await asyncio.sleep(MEMORY_POLL_SECONDS)

    def _raise_if_over_memory(self) -> None:
        if self._over_memory is not None:
            mib = self.limits.memory_bytes >> 20
            raise OverLimit(f"more than {mib} MiB of memory")


def describe_exit(status: int | None) -> str:
    """An exit status in words."""
    if status is None or status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:  # a real-time signal without a name
        return f"killed by signal {-status}"
