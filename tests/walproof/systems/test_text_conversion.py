"""Text conversion of a log (LF to CR LF) is detected and undone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.formats import named
from tests.real_files import read_journal
from walproof.systems.text_conversion import is_converted

Run = Callable[..., Result]


def leveldb(folder: Path) -> Path:
    path = folder / "000003.log"
    records = [NewRecord(b"line %d\n" % number * 9, {}) for number in range(300)]
    named("leveldb-log").write(path, records, {})
    return path


def systemd(folder: Path) -> Path:
    path = folder / "system.journal"
    path.write_bytes(read_journal("v257-compact-512k"))
    return path


LOGS = {"leveldb-log": leveldb, "systemd-journal": systemd}


def answer(format_id: str, path: Path) -> Answer:
    return collect(named(format_id).read(path, "recover", {}))


@pytest.mark.parametrize("format_id", LOGS)
def test_a_converted_log_is_found_and_recovered(format_id: str, tmp_path: Path, run: Run) -> None:
    log = LOGS[format_id](tmp_path)
    original = log.read_bytes()
    whole = answer(format_id, log)
    assert whole.verdict == "intact" and b"\n" in original
    log.write_bytes(original.replace(b"\n", b"\r\n"))
    about = run(log)
    assert about.return_value in (3, 4)
    text = " ".join(about.stdout.split())
    assert f"Before the conversion, the log had {len(whole.records)} records" in text
    done = run("recover", log, "--out", tmp_path / "new")
    assert (done.return_value, "undid a text conversion" in done.stderr) == (0, True), done.output
    recovered = answer(format_id, tmp_path / "new")
    assert [each.payload for each in recovered.records] == [each.payload for each in whole.records]
    assert log.read_bytes() != original


def test_a_converted_log_of_a_database(tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "db"
    folder.mkdir()
    log = leveldb(folder)
    (folder / "CURRENT").write_text("MANIFEST-000002\n")
    log.write_bytes(log.read_bytes().replace(b"\n", b"\r\n"))
    assert "Before the conversion, the log had 300 records" in " ".join(run(folder).stdout.split())
    done = run("recover", folder, "--out", tmp_path / "new")
    assert "000003.log: undid a text conversion: each LF had become CR LF" in done.stderr
    assert len(answer("leveldb-log", tmp_path / "new" / "000003.log").records) == 300
    assert (tmp_path / "new" / "000003.log.before-recovery").read_bytes() == log.read_bytes()


def test_text_with_crlf_is_not_a_converted_log(tmp_path: Path, run: Run) -> None:
    """The damage has another cause: without its carriage returns, no record could be read."""
    log = tmp_path / "000003.log"
    records = [NewRecord(b"GET / HTTP/1.1\r\n\r\n" * 20, {}) for _ in range(5)]
    named("leveldb-log").write(log, records, {})
    data = bytearray(log.read_bytes())
    data[-9] ^= 1
    log.write_bytes(data)
    assert is_converted(log)
    assert "conversion" not in run(log).stdout


@pytest.mark.parametrize(
    ("content", "is_one"),
    [(b"", False), (b"no line end", False), (b"a\r\nb\r\n", True), (b"a\r\nb\n", False),
     (b"x" * ((1 << 20) - 1) + b"\r\n", True), (b"\n", False)],
)  # fmt: skip
def test_conversion_is_detected(content: bytes, is_one: bool, tmp_path: Path) -> None:
    """A conversion is detected even if a piece of the file ends between CR and LF."""
    (tmp_path / "file").write_bytes(content)
    assert is_converted(tmp_path / "file") == is_one


def test_an_unrecognised_file(tmp_path: Path, run: Run) -> None:
    (tmp_path / "file").write_bytes(b"\0a\r\nb\0")
    done = run(tmp_path / "file")
    assert "a text conversion may have damaged the log" in done.stderr
