"""Names and values from a log are printed to the terminal only as visible text."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from conformance import VECTORS
from lab.__main__ import lab
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from tests.conformance.reports.conftest import realistic
from walproof.cli import COMMANDS as COMMAND_NAMES
from walproof.cli import main
from walproof.cli.command_group import run as run_group

pytestmark = pytest.mark.slow

#: A name with a newline, colours, a title, a C1 control, a direction override, markup, and
#: invalid UTF-8.
WORST = "a\nforged  row\t\x1b[31m\x1b]0;title\x07\x9b2J\u202egol.\u2066[bold]\udcff"

#: ``WORST`` without its invalid UTF-8.
UTF8 = WORST.removesuffix("\udcff")

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
FORGED = re.compile(r"^forged", re.M)

LEVELDB = VECTORS / "leveldb-log" / "payload-flipped-in-second-record.log"
SYSTEMD = VECTORS / "systemd-journal" / "five-entries.journal"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]):
    def run(*arguments: str | Path) -> str:
        program, *words = map(str, arguments)
        is_lab = program == "lab"
        monkeypatch.setattr(
            sys, "argv", ["lab", *words] if is_lab else ["walproof", program, *words]
        )
        with pytest.raises(SystemExit):
            run_group(lab) if is_lab else main()
        return "\n".join(capfd.readouterr())

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Create a folder named ``WORST`` that contains two logs with the same worst name."""
    created = tmp_path / WORST
    created.mkdir()
    shutil.copy(LEVELDB, created / f"{WORST}.log")
    shutil.copy(SYSTEMD, created / f"{WORST}.journal")
    return created


#: The tested commands. Words in capitals are placeholders, for which
#: :func:`test_every_command_escapes_the_worst_name` has values.
COMMANDS = [
    tuple(shlex.split(line))
    for line in """
LOG
FOLDER
SAYS
WORST
summary SAYS --json
read LOG
read LOG --jsonl
read LOG --each OUT
read LOG --format WORST
read SAYS
read SAYS --jsonl --describe
read JOURNAL
inspect LOG
inspect SAYS
damage LOG --list
damage LOG "truncate at 3" --out OUT
export LOG --out OUT
export LAKE --out PLAIN
recover LOG --out OUT
recover LOG --out LOG
recover FOLDER --out PLAIN
audit NOTHING --out OUT
explain WORST
check --cmd WORST
check --smoke --cmd WORST
check --impl executable-spec --vector one-record --baseline REPORT
check --baseline LOG
ask --impl executable-spec --vector leveldb-log/one-record --keep OUT
sweep --format leveldb-log --impl fast --control one-record --cases 5 --out UTF8
sweep --flips --format leveldb-log SOUND --at-most 40
review --against WORST
parsers --grammar WORST
skeleton WORST
lab fuzz --repeat LOG
lab site --run LOG --out OUT
lab databases --case WORST
""".splitlines()
    if line
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_escapes_the_worst_name(command, run, folder: Path) -> None:
    locations = {
        "FOLDER": folder,
        "LOG": folder / f"{WORST}.log",
        "JOURNAL": folder / f"{WORST}.journal",
        "NOTHING": folder / f"no {WORST}",
        "OUT": folder / f"new {WORST}",
        "UTF8": folder.parent / f"new {UTF8}",
        "PLAIN": folder.parent / "new",
        "LAKE": _lake(folder.parent / "lake"),
        "SOUND": _sound(folder / f"sound {WORST}.log"),
        "SAYS": _broker(folder / f"db-1 {WORST}.log", UTF8),
        "REPORT": _report(folder / f"{WORST}.json", _worst(realistic())),
    }
    words = (word.replace("WORST", WORST) for word in command)
    message = run(*(locations.get(word, word) for word in words))
    assert message.strip(), "a command prints something"
    unseen = UNSEEN.findall(message)
    assert not unseen, ascii(message)
    assert not FORGED.search(message), message
    # The output must not contain a lone surrogate, which cannot be encoded.
    message.encode()


def _lake(folder: Path) -> Path:
    """Create a folder to audit. Its names are valid UTF-8, because tables store them as text."""
    folder.mkdir()
    shutil.copy(LEVELDB, folder / f"{UTF8}.log")
    return folder


def _sound(path: Path) -> Path:
    shutil.copy(VECTORS / "leveldb-log" / "one-record.log", path)
    return path


def _broker(path: Path, name: str) -> Path:
    """Create a journal with one command, which removes a queue with this name."""
    data = name.encode()
    queue = b"\x12" + bytes([len(data)]) + data
    command = b"\x0a" + bytes([len(queue)]) + queue
    payload = b"\x06" + bytes([len(command)]) + command
    named("kahadb-journal").write(path, [NewRecord(payload)], {})
    return path


def _report(path: Path, report: Mapping[str, Any]) -> Path:
    path.write_text(json.dumps(report))
    return path


#: Report fields whose text comes from the programs under test.
OF_PROGRAMS = frozenset({"name", "version", "language", "difference", "title", "unavailable"})


def _worst(value: Any) -> Any:
    """Return a report in which each program describes itself with the worst text."""
    if isinstance(value, dict):
        return {
            key: f"{inner} {UTF8}"
            if key in OF_PROGRAMS and isinstance(inner, str)
            else _worst(inner)
            for key, inner in value.items()
        }
    return [_worst(inner) for inner in value] if isinstance(value, list) else value


def test_every_command_is_tested() -> None:
    assert set(COMMAND_NAMES) - {command[0] for command in COMMANDS} == set()


def test_the_worst_name_can_be_created(folder: Path) -> None:
    """The file system must keep the worst name. Otherwise, the tests above would prove nothing."""
    assert {path.name[: len(WORST)] for path in folder.iterdir()} == {WORST}
