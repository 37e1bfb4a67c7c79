"""Every command accepts a pipe, and its errors show the path as it was typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import VECTORS
from walproof.cli import walproof

LOG = VECTORS / "leveldb-log" / "payload-flipped-in-second-record.log"

COMMANDS = {
    "summary": ["summary", "LOG"],
    "read": ["read", "LOG"],
    "read --json": ["read", "LOG", "--json"],
    "inspect": ["inspect", "LOG"],
    "read --each": ["read", "LOG", "--each", "OUT"],
    "recover": ["recover", "LOG", "--out", "OUT"],
    "damage": ["damage", "LOG", "truncate at 20", "--out", "OUT"],
    "export": ["export", "LOG", "--out", "OUT"],
}


def run(*arguments: str | Path, stdin: bytes = b"") -> Result:
    runner = CliRunner(env={"COLUMNS": "120"})
    return runner.invoke(walproof, list(map(str, arguments)), input=stdin, standalone_mode=False)


def words(command: str, log: Path | str, out: Path) -> list[str]:
    stands_for = {"LOG": log, "OUT": out}
    return [str(stands_for.get(word, word)) for word in COMMANDS[command]]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_pipe_reads_like_the_log(command: str, tmp_path: Path) -> None:
    plain = run(*words(command, LOG, tmp_path / "plain"))
    done = run(*words(command, "-", tmp_path / "out"), stdin=LOG.read_bytes())
    assert plain.exception is None, plain.output
    assert done.return_value == plain.return_value, done.output
    assert "Safe to append at" not in done.output
    if "--json" in command:
        assert done.stdout == plain.stdout


def test_single_log_commands_name_a_command_for_directories(tmp_path: Path) -> None:
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_bytes(LOG.read_bytes())
    assert "; `walproof DIR` lists the logs in it" in run("read", tmp_path).output


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("what", ["nothing there", "no log"])
def test_errors_are_one_line_with_the_typed_path(command: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "what.gz"
    if what == "no log":
        path.write_bytes(b"GIF89a" * 40_000)
    done = run(*words(command, path, tmp_path / "out"))
    message = str(done.exception) if done.exception else done.output
    if isinstance(done.exception, Exception):
        message = getattr(done.exception, "message", message)
    assert len(message.strip().splitlines()) == 1, message
    assert str(path) in message
    assert "walproof-" not in message.replace(str(tmp_path), "")


EMPTY_LOGS = {
    "000003.log": "leveldb-log",
    "db-1.log": "kahadb-journal",
    "raft-partition-partition-1-2.log": "zeebe-journal",
    "system.journal": "systemd-journal",
    "00000000000001.rlog": "zmq-raft",
    "raft.pers": "zmq-raft",
}


@pytest.mark.parametrize("size", [0, 4096])
@pytest.mark.parametrize("name", EMPTY_LOGS)
def test_all_commands_detect_the_same_format_of_an_empty_file(
    name: str, size: int, tmp_path: Path
) -> None:
    """Empty files and zeros fit several formats, so the name decides if it fits exactly one."""
    (tmp_path / name).write_bytes(bytes(size))
    statuses = set()
    for words in (["summary", "--json"], ["read"]):
        done = CliRunner().invoke(walproof, [*words, str(tmp_path / name)], standalone_mode=False)
        assert EMPTY_LOGS[name] in done.stdout, done.output
        statuses.add(done.return_value)
    assert len(statuses) == 1
