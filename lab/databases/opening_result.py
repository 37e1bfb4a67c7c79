"""The result of opening a damaged log with a real system, parsed from the program's output."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from lab.databases.damaged_logs import Item, shortened

#: Lines of a system's output are cut to this length.
MAX_LINE_CHARACTERS = 300
_VARIES = re.compile(r"[^\s/=:,()\[\]{}]*\d[^\s/=,()\[\]{}]*")


@dataclass
class OpeningResult:
    """The outcome of opening a log, with the items and messages of the system."""

    #: The outcome: ``opened``, ``refused``, ``refused-again``, ``hangs`` or ``dies``.
    end: str
    items: list[Item] = field(default_factory=list)
    #: Items that the system returned after one more write and a restart.
    later: list[Item] = field(default_factory=list)
    is_reopened: bool = False
    messages: list[str] = field(default_factory=list)
    #: The last message of a system that refused the log, hung or crashed.
    why: str = ""
    #: State of the log after the system opened or refused it: ``kept``, ``rewritten``, ``moved`` or
    #: ``deleted``. None if the program does not report it.
    log: str | None = None


def shape(line: str) -> str:
    """Replace the parts of a line that differ between runs, such as numbers, ids and folders."""
    return _VARIES.sub("#", line)


def parse_output(out: str, errors: str, status: int, scratch: str) -> OpeningResult:
    """Parse the output of a program that opened a database below ``scratch``."""
    opened = OpeningResult("opened")
    for line in out.splitlines():
        try:
            message = dict(json.loads(line))
        except (ValueError, TypeError):
            why = f"printed a line that is no answer: {line[:MAX_LINE_CHARACTERS]}"
            return OpeningResult("dies", why=why)
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
