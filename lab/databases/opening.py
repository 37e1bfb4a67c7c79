"""Opening a damaged log with a real system: in a box, with limits of time and memory."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.process import Limits, OverLimit, Timeout, run_program
from conformance.sandbox import Sandbox, evidence
from lab.databases.model import Case, Item, databases_of, shortened
from lab.databases.systems import System

SECONDS = 60.0
LIMITS = Limits(memory_bytes=4 << 30, file_bytes=1 << 30)
MOST_TEXT = 300
"""Characters of a line that a system wrote."""
_VARIES = re.compile(r"[^\s/=:,()\[\]{}]*\d[^\s/=,()\[\]{}]*")


@dataclass
class Opened:
    """What a system returned and said.

    ``end`` is ``opened``, ``refused``, ``refused-again``, ``hangs`` or ``dies``.
    """

    end: str
    items: list[Item] = field(default_factory=list)
    later: list[Item] = field(default_factory=list)
    """What it returned when one more had been written and it was opened again."""
    is_asked_again: bool = False
    said: list[str] = field(default_factory=list)
    why: str = ""
    """What it said when it refused or died."""


def shape(line: str) -> str:
    """A line without what differs from one run to the next: numbers, ids, the folder."""
    return _VARIES.sub("#", line)


def open_with(system: System, mode: str, case: Case, seconds: float = SECONDS) -> Opened:
    """Let a system that is built open a case. Raises ``OSError``."""
    databases = databases_of(system.format)
    assert databases is not None, system.name
    scratch = Path(tempfile.mkdtemp(prefix="walproof-databases-"))
    try:
        folder = scratch / "given"
        folder.mkdir()
        given = databases.place(case, folder)
        words = [*system.implementation.command, mode, str(scratch / "folder"), str(given)]
        try:
            # What mounts folders of its own fits in no sandbox.
            sandbox = Sandbox(scratch, hides=evidence()) if system.boxed else None
            done = run_program(words, seconds, sandbox, limits=LIMITS)
        except OverLimit as error:
            return Opened("dies", why=str(error))
        except Timeout:
            return Opened("hangs", why=f"no end within {seconds:g} s")
        return _understood(done.stdout, done.stderr, done.returncode, str(scratch))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _understood(out: str, errors: str, status: int, scratch: str) -> Opened:
    opened = Opened("opened")
    for line in out.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            return Opened("dies", why=f"printed what is no answer: {line[:MOST_TEXT]}")
        _add(message, opened, scratch)
    if status and opened.end == "opened":
        last = (errors.strip().splitlines() or [f"exit status {status}"])[-1]
        opened.end, opened.why = "dies", last.replace(scratch, "")[:MOST_TEXT]
    return opened


def _add(message: Mapping[str, Any], opened: Opened, scratch: str) -> None:
    for kind, into in (("item", opened.items), ("later", opened.later)):
        if kind in message:
            name, value = (shortened(bytes.fromhex(each)) for each in message[kind])
            into.append((name, value))
    opened.is_asked_again |= "again" in message
    if "said" in message:
        opened.said.append(message["said"].replace(scratch, "")[:MOST_TEXT])
    if "refused" in message:
        opened.end = "refused-again" if opened.is_asked_again else "refused"
        opened.why = message["refused"].replace(scratch, "")[:MOST_TEXT]
