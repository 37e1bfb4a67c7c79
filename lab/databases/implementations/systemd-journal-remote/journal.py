"""Shared code of the programs that run systemd: print items and parse journalctl's output."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ENVIRONMENT = os.environ | {"SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": "", "LC_ALL": "C.UTF-8"}
_MACHINE_ID = slice(40, 56)


def say(line: dict[str, object]) -> None:
    """Print a line of output in the format of ``../opener``."""
    print(json.dumps(line), flush=True)


def machine_id() -> str:
    """Return the id of this machine, in hexadecimal."""
    return Path("/etc/machine-id").read_text().strip()


def of_this_machine(log: Path) -> bytes:
    """Return a journal file with the id of this machine, so that systemd appends to it."""
    data = bytearray(log.read_bytes())
    if len(data) >= _MACHINE_ID.stop:
        data[_MACHINE_ID] = bytes.fromhex(machine_id())
    return bytes(data)


def messages(
    lines: bytes, counts: Callable[[dict[str, Any]], bool] = lambda entry: True
) -> Iterator[list[str]]:
    """Return the sequence number and the message of each entry in ``journalctl -o json`` output.

    Both are in hexadecimal. Entries without a message are left out, and so are entries for which
    ``counts`` returns false.
    """
    for line in lines.splitlines():
        entry = json.loads(line)
        if "MESSAGE" not in entry or not counts(entry):
            continue
        numbers = dict(part.split("=") for part in entry["__CURSOR"].split(";"))
        message = entry["MESSAGE"] or ""
        text = bytes(message) if isinstance(message, list) else str(message).encode()
        yield [str(int(numbers["i"], 16)).encode().hex(), text.hex()]
