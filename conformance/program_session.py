"""Sessions with an implementation: a long-running program, a program per request, or a baseline."""

from __future__ import annotations

import functools
import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.baselines import Baseline
from conformance.case_results import with_stderr
from conformance.process import CannotStart, Limits, OverLimit, Process, ProgramCrash, Timeout
from conformance.protocol import PROTOCOL
from conformance.protocol.messages import ProtocolError, decode, encode, validate
from conformance.sandbox import Sandbox

# Programs cause these exceptions. The program has then ended, so the caller must start another
# session.
PROGRAM_FAILURES = (ProgramCrash, Timeout, OverLimit, ProtocolError)
PROBE_SECONDS = 10
ONE_SHOT_PARTS = ("verdict", "reason", "lost", "end", "signals")
_REPLY_SCHEMAS = {"hello": "hello-reply", "read": "read-reply"}

Message = Mapping[str, Any]
Reply = dict[str, Any]


class ProgramSession:
    """The session interface that the runner uses, with default behaviour."""

    def __init__(self, hello: Reply | None = None) -> None:
        self.hello: Reply = hello or {}
        # The number of answered requests.
        self.replies = 0

    @property
    def stderr(self) -> str | None:
        """Return the last output to standard error."""
        return None

    def start(self) -> Reply:
        """Start the session and return its hello. Raises :data:`PROGRAM_FAILURES`."""
        return self.hello

    def request(self, message: Message, wall_ms: int) -> Reply:
        """Send a message and return the reply. Raises :data:`PROGRAM_FAILURES`."""
        raise NotImplementedError

    def reports(self, reply: Reply) -> list[str]:
        """Return the parts of a reply to compare. These are the parts that the hello lists."""
        reports: list[str] = self.hello["reports"]
        return reports

    def close(self) -> None:
        """End the session, by force if necessary."""


class ProtocolSession(ProgramSession):
    """A running process that follows the protocol."""

    def __init__(
        self,
        command: Sequence[str],
        limits: Limits | None = None,
        sandbox: Sandbox | None = None,
        variables: Mapping[str, str] | None = None,
        cancelled: threading.Event | None = None,
    ) -> None:
        super().__init__()
        # The last line of output, before it is parsed.
        self.last_line = b""
        self.process: Process | None = None
        self.limits = limits or Limits()
        self._new_process = functools.partial(
            Process, command, limits, sandbox, variables, cancelled
        )

    @property
    def stderr(self) -> str | None:
        """Return the last output of the process to standard error."""
        return None if self.process is None else self.process.stderr

    def start(self) -> Reply:
        """Start the process, send hello, and return its validated reply."""
        hello = self.greet()
        self._check("hello-reply", hello)
        self.hello = hello
        return hello

    def spawn(self) -> None:
        """Start the process without sending anything."""
        self.process = self._new_process()

    def greet(self) -> Reply:
        """Start the process unless it is running, and return its reply to hello, valid or not."""
        if self.process is None:
            self.spawn()
        seconds = self.limits.start_seconds
        return self.exchange({"cmd": "hello", "protocol": PROTOCOL}, seconds)

    def request(self, message: Message, wall_ms: int) -> Reply:
        """Send a read, write or append message and return the validated reply."""
        reply = self.exchange(message, wall_ms / 1000)
        self._check(_REPLY_SCHEMAS.get(message["cmd"], "done-reply"), reply)
        if reply["seq"] != message["seq"]:
            self.kill()
            raise ProtocolError(f"expected seq {message['seq']}, found {reply['seq']}")
        self.replies += 1
        return reply

    def exchange(self, message: Message, seconds: float) -> Reply:
        """Send any message and return the reply, which is any JSON object."""
        assert self.process is not None
        self.last_line = b""
        self.process.send(encode(message))
        try:
            self.last_line = self.process.read_line(seconds, _reply_bytes(message))
            return decode(self.last_line)
        except ProgramCrash as crash:
            self.last_line = crash.output
            if crash.output and crash.status == 0:
                text = f"the output ends inside a line: {crash.output[:80]!r}"
                raise ProtocolError(text) from None
            raise
        except ProtocolError:
            self.kill()
            raise

    def close(self) -> None:
        """Send bye, wait a moment for the exit, then kill the remaining processes."""
        if self.process is not None:
            self.process.send(encode({"cmd": "bye"}))
            self.process.close()

    def kill(self) -> None:
        """End the process and all its children."""
        if self.process is not None:
            self.process.kill()

    def _check(self, schema: str, reply: Reply) -> None:
        try:
            validate(schema, reply)
        except ProtocolError:
            self.kill()
            raise


class OneShotSession(ProgramSession):
    """A program that runs once per request: ``PROGRAM read FORMAT PATH [strict]``.

    The program prints the answer. The variable ``WALPROOF_PROFILE`` contains the profile, and
    ``WALPROOF_CONTEXT`` the context as JSON. If ``strict`` is true, the profile is also the last
    argument.
    """

    def __init__(
        self,
        command: Sequence[str],
        limits: Limits | None = None,
        sandbox: Sandbox | None = None,
        strict: bool = False,
        cancelled: threading.Event | None = None,
    ) -> None:
        profiles = ["recover", "strict"] if strict else ["recover"]
        super().__init__(
            {"name": program_file_name(command), "version": "", "language": "", "formats": ["*"],
             "profiles": profiles, "reports": ["records"]}
        )  # fmt: skip
        self.command = command
        self.limits = limits or Limits()
        self.sandbox = sandbox
        self._cancelled = cancelled
        self._stderr: str | None = None

    @property
    def stderr(self) -> str | None:
        """Return the last output of the last process to standard error."""
        return self._stderr

    def request(self, message: Message, wall_ms: int) -> Reply:
        """Run the program for one read message.

        The standard output of the program is the answer.
        """
        argv = [*self.command, "read", message["format"], message["path"]]
        argv += ["strict"] * (message.get("profile") == "strict")
        variables = one_shot_variables(message)
        process = Process(argv, self.limits, self.sandbox, variables, self._cancelled)
        try:
            process.close_input()
            answer = decode(process.read_all(wall_ms / 1000, _reply_bytes(message)))
        finally:
            process.kill()
            self._stderr = process.stderr
        try:
            if "skipped" in answer:
                validate("read-reply", {"seq": 0, **answer})
            else:
                validate("answer", answer)
        except ProtocolError as error:
            raise ProtocolError(f"one-shot {error}") from None
        self.replies += 1
        if "skipped" in answer:
            return {"seq": message["seq"], **answer}
        return {"seq": message["seq"], "answer": answer}

    def reports(self, reply: Reply) -> list[str]:
        """Return the parts in a reply, and add new parts to the hello."""
        known: list[str] = self.hello["reports"]
        if "answer" not in reply:
            return known
        parts = reported_parts(reply["answer"])
        known += [part for part in parts if part not in known]
        return parts


class BaselineSession(ProgramSession):
    """A baseline, which answers without a process."""

    def __init__(self, baseline: Baseline) -> None:
        super().__init__(baseline.hello())
        self.baseline = baseline

    def request(self, message: Message, wall_ms: int) -> Reply:
        """Return the baseline's reply."""
        self.replies += 1
        return self.baseline.reply(message)


def _reply_bytes(message: Message) -> int | None:
    limit: int | None = message.get("limits", {}).get("reply_bytes")
    return limit


def program_file_name(command: Sequence[str]) -> str:
    """Return the file name of a command's program (not of its interpreter) as a short name."""
    named = next((word for word in reversed(command) if "/" in word or "." in word), command[0])
    return Path(named).name


def one_shot_variables(message: Message) -> dict[str, str]:
    """Return environment variables for the parts of a request that are not arguments."""
    return {
        "WALPROOF_PROFILE": str(message.get("profile", "recover")),
        "WALPROOF_CONTEXT": json.dumps(message.get("context", {}), separators=(",", ":")),
    }


def reported_parts(answer: Mapping[str, Any]) -> list[str]:
    """Return the parts and record fields in a one-shot answer."""
    parts = ["records", *(part for part in ONE_SHOT_PARTS if part in answer)]
    records = answer["records"]
    fields = set.intersection(*(set(record) for record in records)) if records else set()
    return [*parts, *sorted(fields - {"payload", "payload_sha256"})]


def probe_hello(command: Sequence[str], sandbox: Sandbox | None = None) -> tuple[Reply, str | None]:
    """Return the hello of a command, or an empty hello and the error if there is none.

    Raises :class:`CannotStart`.
    """
    session = ProtocolSession(command, Limits(start_seconds=PROBE_SECONDS), sandbox)
    try:
        return session.start(), None
    except CannotStart:
        raise
    except PROGRAM_FAILURES as error:
        return {}, with_stderr(str(error), session.stderr)
    finally:
        session.kill()
