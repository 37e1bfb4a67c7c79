"""Every command accepts logs that are compressed, piped or inside an archive."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from conformance import VECTORS
from walproof.cli import walproof

LOG = VECTORS / "leveldb-log" / "payload-flipped-in-second-record.log"
JOURNAL = VECTORS / "systemd-journal" / "five-entries.journal"

COMMANDS = {
    "summary": ["summary", "LOG"],
    "read": ["read", "LOG"],
    "read --json": ["read", "LOG", "--json"],
    "inspect": ["inspect", "LOG"],
    "read --each": ["read", "LOG", "--each", "OUT"],
    "recover": ["recover", "LOG", "--out", "OUT"],
    "damage": ["damage", "LOG", "truncate at 20", "--out", "OUT"],
    "export --parquet": ["export", "LOG", "--parquet", "OUT"],
    "export": ["export", "JOURNAL"],
    "verify": ["verify", "JOURNAL"],
    "systemd fields": ["systemd", "fields", "JOURNAL"],
    "diff": ["diff", "LOG", "PLAIN"],
}


def run(*arguments: str | Path, stdin: bytes = b"") -> Result:
    runner = CliRunner(env={"COLUMNS": "120"})
    return runner.invoke(walproof, list(map(str, arguments)), input=stdin, standalone_mode=False)


def packed(log: Path, folder: Path) -> Path:
    """Compress the log with gzip; ``tests/walproof/summary`` tests other compressions."""
    created = folder / f"{log.name}.gz"
    created.write_bytes(gzip.compress(log.read_bytes()))
    return created


def words(command: str, log: Path | str, journal: Path | str, out: Path) -> list[str]:
    stands_for = {"LOG": log, "JOURNAL": journal, "OUT": out, "PLAIN": LOG}
    return [str(stands_for.get(word, word)) for word in COMMANDS[command]]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_compressed_log_reads_like_the_log(command: str, tmp_path: Path) -> None:
    plain = run(*words(command, LOG, JOURNAL, tmp_path / "plain"))
    assert plain.exception is None, plain.output
    log, journal = packed(LOG, tmp_path), packed(JOURNAL, tmp_path)
    done = run(*words(command, log, journal, tmp_path / "out"))
    assert done.return_value == plain.return_value, done.output
    assert "Safe to append at" not in done.output
    assert not Path(tmp_path, "out").is_dir() or [*Path(tmp_path, "out").iterdir()]
    if "--json" in command:
        assert done.stdout == plain.stdout


@pytest.mark.parametrize("command", ["read", "inspect", "summary", "diff", "recover"])
def test_the_compression_is_reported(command: str, tmp_path: Path) -> None:
    log = packed(LOG, tmp_path)
    done = run(*words(command, log, log, tmp_path / "out"))
    assert "unpacked from gzip" in done.output


def test_the_table_of_a_compressed_log_has_the_name_of_its_file(tmp_path: Path) -> None:
    log, out = packed(LOG, tmp_path), tmp_path / "out"
    assert run("export", log, "--parquet", out).return_value == 3
    for table in ("records", "damage", "files"):
        assert set(pq.read_table(out / table)["file"].to_pylist()) == {str(log)}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_pipe(command: str, tmp_path: Path) -> None:
    given = words(command, "-", "-", tmp_path / "out")
    data = JOURNAL if "JOURNAL" in COMMANDS[command] else LOG
    plain = run(*words(command, LOG, JOURNAL, tmp_path / "plain"))
    done = run(*given, stdin=data.read_bytes())
    assert done.return_value == plain.return_value, done.output
    assert "Safe to append at" not in done.stdout


@pytest.mark.parametrize("command", [name for name in COMMANDS if "json" not in name])
def test_faults_of_the_compression_are_reported(command: str, tmp_path: Path) -> None:
    names = []
    for source in (LOG, JOURNAL):
        cut = tmp_path / f"{source.name}.gz"
        cut.write_bytes(gzip.compress(source.read_bytes() + os.urandom(400_000))[:300_000])
        names.append(cut)
    done = run(*words(command, *names, tmp_path / "out"))
    assert "up to a fault" in done.output, done.exception


def test_single_log_commands_name_a_command_for_folders(tmp_path: Path) -> None:
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_bytes(LOG.read_bytes())
    assert f"; walproof {tmp_path} summarises each log in it" in run("read", tmp_path).output


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("what", ["nothing there", "no log", "empty gzip"])
def test_errors_are_one_line_with_the_typed_path(command: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "what.gz"
    if what == "no log":
        path.write_bytes(gzip.compress(b"GIF89a" * 40_000))
    elif what == "empty gzip":
        path.write_bytes(gzip.compress(b"x" * 1000)[:10])
    done = run(*words(command, path, path, tmp_path / "out"))
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
    """The name decides if it fits exactly one format, because empty files and zeros fit several."""
    (tmp_path / name).write_bytes(bytes(size))
    statuses = set()
    for words in (["summary", "--json"], ["read"]):
        done = CliRunner().invoke(walproof, [*words, str(tmp_path / name)], standalone_mode=False)
        assert EMPTY_LOGS[name] in done.stdout, done.output
        statuses.add(done.return_value)
    assert len(statuses) == 1
