"""Queries on intact and damaged journals return the entries and bytes that journalctl returns."""

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

from tests.real_files import JOURNALS
from tests.walproof.formats.systemd_journal.golden import (
    FIELDS,
    load_golden,
    make_journal,
    sorted_json,
)
from tests.walproof.formats.systemd_journal.journals import (
    MODES,
    QUERIES,
    VARIED,
    cursors,
    refusal,
    run,
    two_files,
    write_journal,
)

GOLDEN = load_golden()


@pytest.mark.parametrize("name", ["varied", "odd", *JOURNALS])
def test_the_same_bytes_as_journalctl_printed(name: str, tmp_path: Path) -> None:
    path = make_journal(name, tmp_path)
    for mode in MODES:
        ours = run("systemd", "read", path, "-o", mode).stdout_bytes
        expected = GOLDEN[name][mode]
        assert (sorted_json(ours) if mode == "json" else ours.decode("latin-1")) == expected, mode
    assert run("export", path).stdout_bytes.decode("latin-1") == GOLDEN[name]["export"]


@pytest.mark.parametrize("query", QUERIES)
def test_the_same_entries_as_journalctl_printed(query: str, tmp_path: Path) -> None:
    path = make_journal("varied", tmp_path)
    expected = GOLDEN["queries"][query]
    assert cursors(run("export", path, *QUERIES[query]).stdout_bytes) == expected
    assert len(expected) < len(VARIED) or query in ("all", "reverse")
    assert expected or query == "none"


def test_a_damaged_file_is_queried_in_the_same_way(tmp_path: Path) -> None:
    path = make_journal("varied", tmp_path)
    data = bytearray(path.read_bytes())
    table = int.from_bytes(data[104:112], "little")
    data[table - 16 : table + 160] = bytes(176)  # without a DATA hash table, journalctl refuses it
    path.write_bytes(data)
    done = run("export", path, *QUERIES["a unit"])
    assert done.return_value == 3
    assert cursors(done.stdout_bytes) == GOLDEN["queries"]["a unit"]


def messages(*arguments: str | Path) -> list[str]:
    return run("systemd", "read", *arguments, "-o", "cat").stdout.splitlines()


OURS = {
    "an identifier of a pattern": (["-t", "s*d"], ["Failed password", "Starting"]),
    "a unit of any user": (
        ["--user-unit", "app"],
        ["of a user", "of the user's manager", "dumped by a user", "of user 1000"],
    ),
    "not a match": (["-p", "3", "--not", "PRIORITY=3"], ["dumped", "x" * 5000, "earlier"]),
    "not an entry without the field": (["_UID=1000", "--not", "PRIORITY=6"],
        ["not from the manager", "about it, of a user", "of user 1000"]),
    "the first lines in reverse": (["-n", "+1", "-r"], ["of user 1000"]),
    "a class of characters": (["-u", "[!a-r]*.socket"], ["\xe4\u20ac\U0001f600 text"]),
    "an escaped star": (["-t", "s\\*d"], []),
}  # fmt: skip


@pytest.mark.parametrize("query", OURS)
def test_options_that_journalctl_lacks(query: str, tmp_path: Path) -> None:
    arguments, expected = OURS[query]
    more = (2, 24, [b"MESSAGE=of user 1000", b"_SYSTEMD_USER_UNIT=app.service", b"_UID=1000"])
    path = write_journal(tmp_path / "a.journal", [*VARIED, more])
    assert messages(path, *arguments) == expected


@pytest.mark.parametrize("arguments", GOLDEN["two files"])
def test_several_paths_are_merged(arguments: str, tmp_path: Path) -> None:
    one, two = two_files(tmp_path)
    expected = GOLDEN["two files"][arguments]
    assert cursors(run("export", two, one, *arguments.split()).stdout_bytes) == expected
    assert cursors(run("export", tmp_path, *arguments.split()).stdout_bytes) == expected


def test_entries_after_a_cursor(tmp_path: Path) -> None:
    paths = two_files(tmp_path)
    for arguments, expected in GOLDEN["after cursor"].items():
        place, *more = arguments.split()
        option = f"--after-cursor={GOLDEN['two files'][''][int(place)]}"
        assert cursors(run("export", *paths, option, *more).stdout_bytes) == expected, arguments


def test_a_cursor_of_a_missing_entry(tmp_path: Path) -> None:
    path = write_journal(tmp_path / "a.journal", VARIED)
    every = cursors(run("export", path).stdout_bytes)
    some = write_journal(tmp_path / "b.journal", [*VARIED[:8], *VARIED[9:]], keeps_numbers=False)
    gone = every[8].replace("i=9;", "i=8;")  # the number in the file that lacks the entry
    after = cursors(run("export", some, "--after-cursor", gone).stdout_bytes)
    assert [each.partition(";m=")[2] for each in after] == [
        each.partition(";m=")[2] for each in every[9:]
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--since", "soon"], "--since: expected a time such as 2023-11-14"),
        (["--priority", "urgent"], "--priority: expected a priority (0 to 7, or emerg"),
        (["--grep", "("], "--grep: expected a regular expression, found '('"),
        (["--not", "PRIORITY"], "--not: expected FIELD=VALUE, found 'PRIORITY'"),
        (["--lines", "-3"], "--lines: expected a number, +N or all, found '-3'"),
        (["--after-cursor", "s=1"], "--after-cursor: expected a cursor"),
        (["--boot", "5"], "--boot: no boot 5: there are entries of 3"),
        (["--unit", ""], "--unit: expected a unit name"),
        (["PRIORITY=1", "+"], "expected FIELD=VALUE before and after +"),
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


def test_control_sequences_are_not_printed_to_a_terminal(tmp_path: Path) -> None:
    fields = [b"MESSAGE=red \x1b[31m and\ttab \xe2\x80\xae", b"SYSLOG_IDENTIFIER=\xe2\x80\xaex"]
    path = write_journal(tmp_path / "a.journal", [(0, 0, fields)])
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "walproof", "systemd", "read", str(path)]
    subprocess.run(command, stdout=theirs, check=True)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:  # the other end is closed
        os.close(ours)
    assert b"red" in shown
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


def test_fields_agree_with_journalctl(tmp_path: Path) -> None:
    path = make_journal("few", tmp_path)
    for name in FIELDS:
        ours = run("systemd", "fields", path, name).stdout_bytes.decode("latin-1")
        assert ours == GOLDEN["fields"][name]
    assert run("systemd", "fields", path).stdout.split() == GOLDEN["names"]["all"]


@pytest.mark.parametrize("command", ["systemd fields", "verify", "export"])
def test_files_that_end_in_the_header(command: str, tmp_path: Path) -> None:
    path = write_journal(tmp_path / "a.journal", VARIED)
    for size in (250, 208, 207, 4, 0):
        os.truncate(path, size)
        assert run(*command.split(), path).return_value in (3, 4), size
