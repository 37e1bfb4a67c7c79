"""``walproof PATH`` summarises logs, folders, pipes and other files."""

from __future__ import annotations

import contextlib
import gzip
import importlib
import json
import os
import shlex
import shutil
import socket
import tarfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conformance import VECTORS
from reference_impl.answer import NewRecord
from reference_impl.formats import named
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


def test_a_folder_lists_its_logs_worst_first(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "journals").mkdir()
    shutil.copy(JOURNAL, tmp_path / "journals" / "a.journal")
    shutil.copy(DAMAGED, tmp_path / "deep" / "er" / "000003.log")
    (tmp_path / "notes.txt").write_text("nothing of ours")
    done = run(tmp_path)
    assert done.return_value == 3
    lines = [line for line in done.stdout.splitlines() if "-log  " in line or "-journal  " in line]
    assert "000003.log" in lines[0]
    assert "checksum-mismatch" in lines[0]
    assert "a.journal" in lines[1]
    assert "2 logs" in done.stdout
    assert "1 not intact" in done.stdout
    assert "skipped 1 other file" in done.stdout
    bodies = [json.loads(line) for line in run(tmp_path, "--json").stdout.splitlines()]
    assert {body["format"] for body in bodies if "format" in body} == {
        "leveldb-log",
        "systemd-journal",
    }


def test_an_unreadable_log_does_not_end_the_list(tmp_path: Path) -> None:
    shutil.copy(JOURNAL, tmp_path / "b.journal")
    (tmp_path / "a.journal").symlink_to("nowhere")
    done = run(tmp_path)
    assert "b.journal" in done.stdout
    assert "a.journal" in done.stderr
    assert done.return_value == 1


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """Make a folder with two logs, a compressed log, and entries that are not files."""
    folder = tmp_path / "crowded"
    (folder / "deep").mkdir(parents=True)
    shutil.copy(DAMAGED, folder / "000003.log")
    shutil.copy(DAMAGED, folder / "deep" / "000003.log")
    (folder / "deep" / "000004.log.gz").write_bytes(gzip.compress(DAMAGED.read_bytes()))
    (folder / "notes.gz").write_bytes(gzip.compress(b"nothing of ours"))
    with tarfile.open(folder / "old.tar.gz", "w:gz") as archive:
        archive.add(DAMAGED, "000001.log")
    os.mkfifo(folder / "pipe")
    (folder / "deep" / "up").symlink_to("..")
    return folder


def test_log_names_start_with_the_typed_path(crowded: Path) -> None:
    (crowded.parent / "link").symlink_to(crowded)
    above = crowded.parent
    for here, typed in ((crowded, "."), (above, "crowded"), (above, "./link/"), (crowded, "..")):
        with contextlib.chdir(here):
            bodies = [json.loads(line) for line in run(typed, "--json").stdout.splitlines()]
            names = [body["log"] for body in bodies if "log" in body]
            start = str(Path(typed) / "x")[:-1]
            assert names and all(name.startswith(start) for name in names), names
            assert not any(Path(name).is_absolute() for name in names)
            assert all(Path(name).exists() for name in names)


def test_other_files_of_a_folder_are_listed(crowded: Path) -> None:
    done = run(crowded)
    assert done.return_value == 3
    assert done.stderr == ""
    assert "2 logs" in done.stdout
    assert "skipped 1 other file" in done.stdout
    given = [line for line in done.stdout.splitlines() if "not read" in line]
    others = {
        "deep/000004.log.gz": "a gzip file; give it as PATH to read it",
        "old.tar.gz": "an archive; give it as PATH to search it",
        "pipe": "a socket, pipe or device",
    }
    assert given == [f"  not read: {crowded}/{name}, {what}" for name, what in others.items()]
    bodies = [json.loads(line) for line in run(crowded, "--json").stdout.splitlines()]
    assert [body["not_read"] for body in bodies if "file" in body] == list(others.values())


def test_a_log_with_the_signature_of_an_archive_is_not_unpacked(tmp_path: Path) -> None:
    """A log is not unpacked if its byte 257 happens to have the signature of a tar archive."""
    record = NewRecord(bytes(250) + b"ustar\x0000" + bytes(300), {})
    named("leveldb-log").write(tmp_path / "000003.log", [record], {})
    assert "  intact; 1 record\n" in run(tmp_path / "000003.log").stdout
    (tmp_path / "MANIFEST-000002").touch()
    (tmp_path / "CURRENT").write_text("MANIFEST-000002\n")
    assert "LevelDB database: 1 log, 1 record" in run(tmp_path).stdout


def test_the_fault_of_a_truncated_archive_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "logs.tar"
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name in ("000003.log", "000004.log", "000005.log"):
            archive.add(DAMAGED, name)
    path.write_bytes(path.read_bytes()[:2560])  # cuts off the content of the third member
    fault = "tar: unexpected end of data"
    assert f"\n  unpacked only up to a fault: {fault}\n" in run(path).stdout
    rows = [json.loads(line) for line in run(path, "--json").stdout.splitlines()]
    assert [row["faults"] for row in rows if "log" in row] == [[fault]] * 3


def test_a_file_deleted_during_the_walk_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("000003.log", "000004.log"):
        shutil.copy(DAMAGED, tmp_path / name)
    summary_command = importlib.import_module("walproof.cli.summary")
    read = summary_command.summarise

    def vanishing(format_id: str, path: Path, *more: Any) -> Any:
        (tmp_path / "000003.log").unlink(missing_ok=True)
        return read(format_id, path, *more)

    monkeypatch.setattr(summary_command, "summarise", vanishing)
    done = run(tmp_path)
    assert done.return_value == 3
    assert f"not read: {tmp_path}/000003.log, deleted" in done.stdout
    assert "1 log," in done.stdout


def test_a_system_lists_its_unread_files(tmp_path: Path) -> None:
    shutil.copy(JOURNAL, tmp_path / "system.journal")
    os.mkfifo(tmp_path / "user-1000.journal")
    os.mkfifo(tmp_path / "fss")
    done = run(tmp_path)
    assert done.return_value == 0
    assert "systemd, journals of one host: 1 log, 5 records" in done.stdout
    assert "note    user-1000.journal: a socket, pipe or device; not part" in done.stdout
    assert run("recover", tmp_path, "--out", tmp_path.parent / "new").return_value == 0


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("000009.log", bytes(100_000), "all zeros"),
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
    assert f"walproof carve {tmp_path}/system.journal searches it for logs" in done.stderr


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


def test_a_folder_without_logs_lists_its_files(tmp_path: Path) -> None:
    assert "found no file" in run(tmp_path).stderr
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n")
    assert "found no log among 1 file" in run(tmp_path).stderr


def test_a_log_recognised_only_by_name_has_a_warning(tmp_path: Path) -> None:
    log = tmp_path / "000003.log"
    log.write_bytes(b"\xff" * 3000)
    message = run(log).stdout
    assert "recognised only by its name" in message
    assert "may be encrypted, or not a log" in message
    assert "recover" not in message, "there is nothing that could be"


@pytest.mark.parametrize("kind", ["socket", "character device"])
def test_endless_devices_are_refused(kind: str, tmp_path: Path) -> None:
    path = Path("/dev/zero")
    if kind == "socket":
        path = tmp_path / "s"
        with socket.socket(socket.AF_UNIX) as created:
            created.bind(str(path))
    done = run(path)
    assert f"{path}: expected a log, found a {kind}" in str(done.exception)
