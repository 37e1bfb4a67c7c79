"""Open a damaged log with a real system: in a sandbox, with limits of time and memory."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.process import Limits, OverLimit, Timeout, run_program
from conformance.sandbox import Sandbox, evidence
from lab.databases.model import Case, Item, databases_of, shortened

if TYPE_CHECKING:
    from lab.databases.systems import System

TIMEOUT_SECONDS = 60.0
LIMITS = Limits(memory_bytes=4 << 30, file_bytes=1 << 30)
#: Stored of each line that a system writes.
MAX_LINE_CHARACTERS = 300
_VARIES = re.compile(r"[^\s/=:,()\[\]{}]*\d[^\s/=,()\[\]{}]*")


@dataclass
class Opened:
    """The items and messages of a system.

    ``end`` is ``opened``, ``refused``, ``refused-again``, ``hangs`` or ``dies``. ``why`` is the
    message of a system that refused the log or crashed. ``later`` contains the items that the
    system returned after it had written one more item and opened the log again. ``log`` describes
    what the system did with the log before that: ``kept``, ``rewritten``, ``moved`` or ``deleted``.
    It is None if the program does not report this.
    """

    end: str
    items: list[Item] = field(default_factory=list)
    later: list[Item] = field(default_factory=list)
    is_reopened: bool = False
    messages: list[str] = field(default_factory=list)
    why: str = ""
    log: str | None = None


def shape(line: str) -> str:
    """Return a line without the parts that differ between runs: numbers, ids, the folder."""
    return _VARIES.sub("#", line)


def open_with(system: System, mode: str, case: Case, seconds: float = TIMEOUT_SECONDS) -> Opened:
    """Open a case with a system that is built. Raises ``OSError``."""
    databases = databases_of(system.format)
    assert databases is not None, system.name
    scratch = Path(tempfile.mkdtemp(prefix="walproof-databases-"))
    try:
        folder = scratch / "given"
        folder.mkdir()
        given = databases.place(case, folder)
        words = [*system.implementation.command, mode, str(scratch / "folder"), str(given)]
        try:
            # A system that mounts folders of its own cannot run in a sandbox.
            sandbox = Sandbox(scratch, hides=evidence()) if system.is_sandboxed else None
            done = run_program(words, seconds, sandbox, limits=LIMITS)
        except OverLimit as error:
            return Opened("dies", why=str(error))
        except Timeout:
            return Opened("hangs", why=f"no end within {seconds:g} s")
        return _parse_output(done.stdout, done.stderr, done.returncode, str(scratch))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _parse_output(out: str, errors: str, status: int, scratch: str) -> Opened:
    opened = Opened("opened")
    for line in out.splitlines():
        try:
            message = dict(json.loads(line))
        except (ValueError, TypeError):
            why = f"printed a line that is no answer: {line[:MAX_LINE_CHARACTERS]}"
            return Opened("dies", why=why)
        for kind, into in (("item", opened.items), ("later", opened.later)):
            if kind in message:
                name, value = (shortened(bytes.fromhex(each)) for each in message[kind])
                into.append((name, value))
        opened.is_reopened |= "again" in message
        opened.log = opened.log or message.get("log")
        if "said" in message:
            opened.messages.append(message["said"].replace(scratch, "")[:MAX_LINE_CHARACTERS])
        if "refused" in message:
            opened.end = "refused-again" if opened.is_reopened else "refused"
            opened.why = message["refused"].replace(scratch, "")[:MAX_LINE_CHARACTERS]
    if status and opened.end == "opened":
        last = (errors.strip().splitlines() or [f"exit status {status}"])[-1]
        opened.end, opened.why = "dies", last.replace(scratch, "")[:MAX_LINE_CHARACTERS]
    return opened
