"""Tests of queries on intact and damaged journals: same entries and bytes as journalctl."""

from __future__ import annotations

import lzma
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.real_files import JOURNALS, read_journal
from tests.walproof.formats.systemd_journal.journals import (
    COMMANDS,
    MODES,
    ONLY_IN_NEW,
    QUERIES,
    VARIED,
    cursors,
    golden,
    refusal,
    release_of,
    run,
    run_journalctl,
    sorted_json,
    write_journal,
)

needs_one = pytest.mark.skipif(not COMMANDS, reason="no journalctl")
each_command = pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda command: Path(command[0]).name
)
GOLDEN = golden()
EVERY_QUERY = {**QUERIES, **ONLY_IN_NEW}


def journal(name: str, folder: Path) -> Path:
    path = folder / f"{name}.journal"
    if name == "varied":
        return write_journal(path, VARIED)
    path.write_bytes(read_journal(name))
    return path


@pytest.mark.parametrize("name", ["varied", *JOURNALS])
def test_the_same_bytes_as_journalctl_printed(name: str, tmp_path: Path) -> None:
    path = journal(name, tmp_path)
    for mode in MODES:
        ours = run("systemd", "read", path, "-o", mode).stdout_bytes
        expected = GOLDEN[name][mode]
        assert (sorted_json(ours) if mode == "json" else ours.decode("latin-1")) == expected, mode
    assert run("export", path).stdout_bytes.decode("latin-1") == GOLDEN[name]["export"]


@pytest.mark.parametrize("query", EVERY_QUERY)
def test_the_same_entries_as_journalctl_printed(query: str, tmp_path: Path) -> None:
    path = journal("varied", tmp_path)
    expected = GOLDEN["queries"][query]
    assert cursors(run("export", path, *EVERY_QUERY[query]).stdout_bytes) == expected
    assert len(expected) < len(VARIED) or query in ("all", "reverse")
    assert expected or query == "none"


@pytest.mark.parametrize("query", ["all", "a boot", "a unit", "a pattern", "the last lines"])
def test_a_damaged_file_is_queried_in_the_same_way(query: str, tmp_path: Path) -> None:
    whole = journal("varied", tmp_path)
    broken = tmp_path / "broken.journal"
    data = bytearray(whole.read_bytes())
    table = int.from_bytes(data[104:112], "little")
    data[table - 16 : table + 160] = bytes(176)  # no DATA table: journalctl does not open it
    broken.write_bytes(data)
    done = run("export", broken, *EVERY_QUERY[query])
    assert done.return_value == 3
    assert cursors(done.stdout_bytes) == GOLDEN["queries"][query]


def messages(*arguments: str | Path) -> list[str]:
    return run("systemd", "read", *arguments, "-o", "cat").stdout.splitlines()


OURS = {
    "an identifier of a pattern": (["-t", "s*d"], ["Failed password", "Starting"]),
    "a unit of any user": (
        ["--user-unit", "app"],
        ["of a user", "of the user's manager", "dumped by a user", "of user 1000"],
    ),
    "not a match": (["-p", "3", "--not", "PRIORITY=3"], ["dumped", "x" * 5000, "earlier"]),
    "not two matches": (
        ["_UID=0", "--not", "_SYSTEMD_UNIT=ssh.service", "--not", "USER_UNIT=app.service"],
        ["failed again", "Starting", "about it", "dumped", "of a user", "dumped by a user"],
    ),
    "not an entry without the field": (["_UID=1000", "--not", "PRIORITY=6"],
        ["not from the manager", "about it, of a user", "of user 1000"]),
    "from a number": (["--from-seqnum", "24"], ["Started", "of user 1000"]),
    "the first lines in reverse": (["-n", "+1", "-r"], ["of user 1000"]),
    "any number of lines": (["_UID=1000", "-n", "all", "-p", "7"], []),
    "no lines": (["-n", "0"], []),
    "a class of characters": (["-u", "[!a-r]*.socket"], ["\xe4\u20ac\U0001f600 text"]),
    "an escaped star": (["-t", "s\\*d"], []),
}  # fmt: skip


@pytest.mark.parametrize("query", OURS)
def test_options_that_journalctl_lacks(query: str, tmp_path: Path) -> None:
    arguments, expected = OURS[query]
    more = (2, 24, [b"MESSAGE=of user 1000", b"_SYSTEMD_USER_UNIT=app.service", b"_UID=1000"])
    path = write_journal(tmp_path / "a.journal", [*VARIED, more])
    assert messages(path, *arguments) == expected


def two_files(folder: Path) -> list[Path]:
    """Write the entries of ``VARIED`` to two files with their own sequence numbers."""
    each = write_journal(folder / "one.journal", VARIED[::2])
    return [each, write_journal(folder / "two.journal", VARIED[1::2], "bb" * 16)]


@needs_one
@each_command
@pytest.mark.parametrize("query", ["all", "the boot before", "a unit", "reverse", "the last lines"])
def test_several_paths_are_merged(query: str, command: list[str], tmp_path: Path) -> None:
    each, two = two_files(tmp_path)
    options = [f"--file={each}", f"--file={two}", "-o", "export"]
    theirs = cursors(run_journalctl(command, *options, *QUERIES[query]))
    assert cursors(run("export", two, each, *QUERIES[query]).stdout_bytes) == theirs
    assert cursors(run("export", tmp_path, *QUERIES[query]).stdout_bytes) == theirs


@needs_one
@each_command
@pytest.mark.parametrize("place", [0, 5, 12, 22, 23])
def test_entries_after_a_cursor(place: int, command: list[str], tmp_path: Path) -> None:
    paths = two_files(tmp_path)
    files = [f"--file={path}" for path in paths]
    every = cursors(run_journalctl(command, *files, "-o", "export"))
    assert len(every) == len(VARIED)
    # Up to systemd 253, a filter made journalctl pass over the entry after the cursor.
    filtered = [["_UID=0"]] if release_of(tuple(command)) >= 254 else []
    for more in ([], ["--lines=2"], ["--reverse"], *filtered):
        options = [f"--after-cursor={every[place]}", *more]
        theirs = cursors(run_journalctl(command, *files, "-o", "export", *options))
        assert cursors(run("export", *paths, *options).stdout_bytes) == theirs, more


def test_a_cursor_of_a_missing_entry(tmp_path: Path) -> None:
    path = write_journal(tmp_path / "a.journal", VARIED)
    every = cursors(run("export", path).stdout_bytes)
    some = write_journal(tmp_path / "b.journal", [*VARIED[:8], *VARIED[9:]], keeps_numbers=False)
    gone = every[8].replace("i=9;", "i=8;")  # numbered as in the file that lacks it
    after = cursors(run("export", some, "--after-cursor", gone).stdout_bytes)
    assert [each.partition(";m=")[2] for each in after] == [
        each.partition(";m=")[2] for each in every[9:]
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--since", "soon"], "--since: expected a time such as 2023-11-14"),
        (["--until", "2023-02-30"], "--until: expected a time"),
        (["--priority", "urgent"], "--priority: expected a priority (0 to 7, or emerg"),
        (["--priority", "3..x"], "found 'x'"),
        (["--grep", "("], "--grep: expected a regular expression, found '('"),
        (["--not", "PRIORITY"], "--not: expected FIELD=VALUE, found 'PRIORITY'"),
        (["--lines", "-3"], "--lines: expected a number, +N or all, found '-3'"),
        (["--after-cursor", "s=1"], "--after-cursor: expected a cursor"),
        (["--boot", "5"], "--boot: no boot 5: there are entries of 3"),
        (["--boot", "last"], "--boot: expected 0, -1, 1 or the id of a boot, found 'last'"),
        (["--boot", "ab" * 16 + "-1"], "--boot: no entry of boot abab"),
        (["--unit", ""], "--unit: expected a unit name"),
        (["PRIORITY=1", "+"], "expected FIELD=VALUE before and after +"),
        (["+", "PRIORITY=1"], "expected FIELD=VALUE before and after +"),
        (["priority=1"], "expected FIELD=VALUE, found 'priority=1'"),
        (["PRIORITY"], "expected FIELD=VALUE or a path, found 'PRIORITY'"),
    ],
)
def test_invalid_arguments(arguments: list[str], expected: str, tmp_path: Path) -> None:
    path = write_journal(tmp_path / "a.journal", VARIED)
    assert expected in refusal("systemd", "read", path, *arguments)


def test_binary_values_are_matched(tmp_path: Path) -> None:
    path = write_journal(
        tmp_path / "a.journal",
        [(0, 0, [b"MESSAGE=\xe9", b"TAG=\xff"]), (0, 1, [b"MESSAGE=\xc3\xa9"])],
    )
    for words, count in (
        (["MESSAGE=\udce9"], 1), (["MESSAGE=\xe9"], 1), (["--not", "MESSAGE=\udce9"], 1),
        (["TAG=\udcff"], 1), (["MESSAGE=\udce8"], 0), (["--identifier", "\udce9"], 0),
        (["--grep", "\udce9"], 1), (["--unit", "\udce9"], 0), (["--unit", "\udce9*"], 0),
    ):  # fmt: skip
        done = run("export", path, *words)
        assert (done.return_value, len(cursors(done.stdout_bytes))) == (0, count), words
    assert run("systemd", "fields", path, "\udce9").stdout == ""
    done = run("read", path, "--json", "--context", "match=MESSAGE=\udce9")
    assert done.stdout.count('"seqnum"') == 1


def test_a_large_intact_file_is_queried_by_the_scanner(tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("numba")
    from walproof.formats.systemd_journal.query import journal_file

    path = write_journal(tmp_path / "a.journal", VARIED, compression="zstd")

    def results() -> list[Any]:
        file = journal_file.JournalFile("a", path)
        printed = [run("systemd", "read", path, "-o", mode, "-u", "ssh").output for mode in MODES]
        return [*printed, list(file.names()), list(file.values(b"PRIORITY"))]

    small = results()
    monkeypatch.setattr(journal_file, "WORTH_A_KERNEL", 0)
    monkeypatch.setattr(journal_file, "examine", None)
    assert results() == small


@pytest.mark.parametrize("mode", MODES)
def test_control_sequences_are_not_printed_to_a_terminal(mode: str, tmp_path: Path) -> None:
    fields = [b"MESSAGE=red \x1b[31m and\ttab \xe2\x80\xae", b"SYSLOG_IDENTIFIER=\xe2\x80\xaex"]
    path = write_journal(tmp_path / "a.journal", [(0, 0, fields)])
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "walproof", "systemd", "read", str(path), "-o", mode]
    subprocess.run(command, stdout=theirs, check=True)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:  # the other end is closed
        os.close(ours)
    assert b"red" in shown or b"114,101,100" in shown
    assert b"\x1b" not in shown and b"\xe2\x80\xae" not in shown


def test_an_entry_without_its_message_is_shown(tmp_path: Path) -> None:
    path = write_journal(tmp_path / "a.journal", VARIED[:4])
    data = bytearray(path.read_bytes())
    data[data.index(b"MESSAGE=failed again") + 9] ^= 1
    path.write_bytes(data)
    done = run("systemd", "read", path)
    assert done.return_value == 3
    assert done.stdout.splitlines()[2] == "Nov 14 22:13:22 one cron[72]: [fields are lost]"
    assert "failed again" not in run("systemd", "read", path, "-o", "cat").stdout


def test_an_empty_selection(tmp_path: Path) -> None:
    path = write_journal(tmp_path / "a.journal", VARIED)
    done = run("systemd", "read", path, "NOTHING=1")
    assert (done.stdout, done.stderr, done.return_value) == ("", "-- No entries --\n", 0)
    assert run("export", path, "NOTHING=1").output == ""


def test_compressed_files_and_directories_are_merged(tmp_path: Path) -> None:
    each = write_journal(tmp_path / "one.journal", VARIED[::3])
    packed = tmp_path / "packed.journal.xz"
    packed.write_bytes(
        lzma.compress(write_journal(tmp_path / "two", VARIED[1::3], "bb" * 16).read_bytes())
    )
    folder = tmp_path / "folder" / "deep"
    write_journal(folder / "system.journal", VARIED[2::3], "cc" * 16)
    done = run("systemd", "read", each, packed, folder.parent, "-o", "json")
    times = re.findall(r'"__REALTIME_TIMESTAMP":"(\d+)"', done.stdout)
    assert len(times) == len(VARIED)
    assert times == sorted(times)


@needs_one
@pytest.mark.parametrize("name", ["PRIORITY", "MESSAGE", "_BOOT_ID", "NOTHING"])
def test_fields_agree_with_journalctl(name: str, tmp_path: Path) -> None:
    path = write_journal(tmp_path / "a.journal", VARIED[:9])
    theirs = run_journalctl(COMMANDS[0], f"--file={path}", f"--field={name}")
    assert run("systemd", "fields", path, name).stdout_bytes == theirs
    names = run_journalctl(COMMANDS[0], f"--file={path}", "--fields").decode().split()
    assert run("systemd", "fields", path).stdout.split() == sorted(names)


@pytest.mark.parametrize("command", ["systemd fields", "verify", "export"])
def test_files_that_end_in_the_header(command: str, tmp_path: Path) -> None:
    path = write_journal(tmp_path / "a.journal", VARIED)
    for size in (250, 208, 207, 4, 0):
        os.truncate(path, size)
        assert run(*command.split(), path).return_value in (3, 4), size
