"""``walproof PATH`` summarises a log."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import VECTORS
from walproof.cli import walproof

DAMAGED = VECTORS / "leveldb-log" / "payload-flipped-in-second-record.log"
JOURNAL = VECTORS / "systemd-journal" / "five-entries.journal"


def run(*arguments: str | Path, stdin: bytes = b"") -> Result:
    runner = CliRunner(env={"COLUMNS": "80"})
    return runner.invoke(walproof, list(map(str, arguments)), input=stdin, standalone_mode=False)


def test_a_damaged_log_on_one_screen(tmp_path: Path) -> None:
    log = tmp_path / "000003.log"
    shutil.copy(DAMAGED, log)
    done = run(log)
    assert done.return_value == 3
    lines = done.stdout.splitlines()
    assert lines[0] == str(log)
    assert "LevelDB log, recognised by its content" in lines[1]
    assert "a checksum that does not match (checksum-mismatch)" in done.stdout
    assert f"walproof recover {log} --out NEW" in done.stdout
    assert len(lines) < 24
    assert done.stdout == run("summary", log).stdout


def test_the_commands_it_names_can_be_typed(tmp_path: Path) -> None:
    log = tmp_path / "a log with spaces.log"
    shutil.copy(DAMAGED, log)
    given = [line.strip() for line in run(log).stdout.splitlines() if "  walproof " in line]
    assert len(given) == 4
    for line in given:
        command = line.partition("   ")[0] if "   " in line else line.rpartition("  ")[0]
        command = command.strip().replace("NEW", str(tmp_path / "new"))
        done = run(*shlex.split(command)[1:])
        assert done.return_value in (0, 3), (command, done.output)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("000009.log", bytes(100_000), "all bytes are zero"),
        ("000009.log", b"", "empty"),
        ("raft-partition-partition-1-1.log", b"", "Zeebe journal, recognised only by its name"),
        ("000010.log", b"hello there\n", "recognised only by its name"),
    ],
)
def test_a_name_is_not_mistaken_for_content(
    name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    assert said in run(tmp_path / name).stdout


def test_the_error_for_other_files_mentions_their_name(tmp_path: Path) -> None:
    (tmp_path / "system.journal").write_bytes(b"hello there\n")
    done = run(tmp_path / "system.journal")
    assert done.return_value == 4
    assert "the name is that of a systemd-journal, the content is not" in done.stderr


def test_read_prints_the_rows_that_fit_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    all_rows = run("read", JOURNAL).stdout.splitlines()
    stream = "click.testing._NamedTextIOWrapper"
    monkeypatch.setattr(f"{stream}.isatty", lambda self: True, raising=False)
    monkeypatch.setattr("walproof.cli.read.terminal_size", lambda: os.terminal_size((80, 6)))
    head = run("read", JOURNAL).stdout.splitlines()
    assert "… and 3 more" in head[3]
    assert len(all_rows) - len(head) == 2


def test_read_prints_the_lost_ranges() -> None:
    lost = run("read", DAMAGED, "--lost-only").stdout.splitlines()
    assert [line.split()[0] for line in lost[1:2]] == ["lost"]
    assert len(lost) == 4
    assert "exclude each other" in str(run("read", JOURNAL, "--lost-only", "--json").exception)


def test_a_mistyped_path_is_reported_as_missing() -> None:
    done = run("000003.log")
    assert "000003.log: no such file, folder or command" in str(done.exception)


def test_a_log_of_several_files_is_one_log() -> None:
    folder = VECTORS / "zeebe-journal" / "two-segments"
    done = run(folder)
    assert done.return_value == 0
    assert "Zeebe journal" in done.stdout.splitlines()[1]
    assert json.loads(run(folder, "--json").stdout)["verdict"] == "intact"


@pytest.mark.parametrize("kind", ["socket", "character device"])
def test_endless_devices_are_refused(kind: str, tmp_path: Path) -> None:
    path = Path("/dev/zero")
    if kind == "socket":
        path = tmp_path / "s"
        with socket.socket(socket.AF_UNIX) as created:
            created.bind(str(path))
    done = run(path)
    assert f"{path}: expected a log, found a {kind}" in str(done.exception)
