"""Journals for query tests, and the output of the installed journalctl programs for these journals.

Run this module with a journalctl command as argument to regenerate ``journalctl_262.json.xz``.
"""

from __future__ import annotations

import json
import lzma
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from conformance import ROOT
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from reference_impl.systemd_journal.export_format import export_field
from tests.real_files import JOURNALS, read_journal
from walproof.cli import walproof

JOURNAL = named("systemd-journal")
GOLDEN = Path(__file__).with_name("journalctl_262.json.xz")
SECOND = 1_000_000
START = 1_700_000_000 * SECOND
BOOTS = ("11" * 16, "22" * 16, "33" * 16)
COREDUMP = b"MESSAGE_ID=fc2e22bc6ee647b6b90729ab34a250b1"
MODES = ("short", "short-iso", "cat", "json", "export")

#: Number of the boot, seconds after START, fields.
Entry = tuple[int, int, list[bytes]]

VARIED: list[Entry] = [
    (0, 0, [b"MESSAGE=Started", b"PRIORITY=6", b"_SYSTEMD_UNIT=ssh.service", b"_UID=0"]),
    (0, 1, [b"MESSAGE=Failed password", b"PRIORITY=3", b"_SYSTEMD_UNIT=ssh.service", b"_UID=0",
            b"SYSLOG_IDENTIFIER=sshd", b"_PID=71", b"_HOSTNAME=one"]),
    (0, 2, [b"MESSAGE=failed again", b"PRIORITY=4", b"_SYSTEMD_UNIT=cron.service", b"_UID=0",
            b"SYSLOG_IDENTIFIER=cron", b"_PID=72", b"_HOSTNAME=one"]),
    (0, 3, [b"MESSAGE=Starting", b"PRIORITY=6", b"UNIT=ssh.service", b"_PID=1", b"_UID=0",
            b"_SYSTEMD_UNIT=init.scope", b"_SYSTEMD_CGROUP=/init.scope",
            b"SYSLOG_IDENTIFIER=systemd"]),
    (0, 4, [b"MESSAGE=not from the manager", b"UNIT=ssh.service", b"_PID=9", b"_UID=1000"]),
    (0, 5, [b"MESSAGE=about it", b"OBJECT_SYSTEMD_UNIT=ssh.service", b"_UID=0"]),
    (0, 6, [b"MESSAGE=about it, of a user", b"OBJECT_SYSTEMD_UNIT=ssh.service", b"_UID=1000"]),
    (0, 7, [b"MESSAGE=dumped", COREDUMP, b"COREDUMP_UNIT=ssh.service", b"_UID=0", b"PRIORITY=2"]),
    (0, 8, [b"MESSAGE=in a slice", b"_SYSTEMD_SLICE=system.slice", b"_SYSTEMD_UNIT=a.service"]),
    (1, 9, [b"MESSAGE=two\nlines", b"PRIORITY=6", b"SYSLOG_IDENTIFIER=multi", b"_HOSTNAME=one"]),
    (1, 10, [b"MESSAGE=\xff\xfe no text", b"SYSLOG_IDENTIFIER=bin", b"BLOB=\x00\x01\xff"]),
    (1, 11, [b"MESSAGE=tab\there", b"SYSLOG_IDENTIFIER=tab", b"ESCAPE=\x1b[1mbold\x1b[0m"]),
    (1, 12, [b"MESSAGE=non\xef\xbf\xbecharacter", b"C1=\xc2\x85", b"DEL=a\x7fb"]),
    (1, 13, [b"SYSLOG_IDENTIFIER=silent", b"PRIORITY=5", b"EMPTY="]),
    (1, 14, [b"MESSAGE=first", b"MESSAGE=second", b"TAG=x", b"TAG=y", b"PRIORITY=7"]),
    (1, 15, [b"MESSAGE=of a user", b"_SYSTEMD_USER_UNIT=app.service", b"_UID=0"]),
    (1, 16, [b"MESSAGE=of the user's manager", b"USER_UNIT=app.service", b"_UID=0"]),
    (1, 17, [b"MESSAGE=dumped by a user", b"COREDUMP_USER_UNIT=app.service", b"_UID=0"]),
    (1, 18, [b"MESSAGE=" + b"x" * 5000, b"PRIORITY=1", b"SYSLOG_IDENTIFIER=long"]),
    (2, 19, [b"MESSAGE=earlier", b"_SOURCE_REALTIME_TIMESTAMP=1699999990123456", b"PRIORITY=0"]),
    (2, 20, [b"MESSAGE=\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 text", b"_SYSTEMD_UNIT=ssh.socket"]),
    (2, 21, [b"MESSAGE=quotes \" and \\ and /", b"_SYSTEMD_UNIT=home.mount", b"PRIORITY=3"]),
    (2, 22, [b"MESSAGE=mounted", b"_SYSTEMD_UNIT=dev-sda\\x2d1.device", b"PRIORITY=3"]),
    (2, 23, [b"MESSAGE=Started", b"PRIORITY=6", b"_SYSTEMD_UNIT=ssh.service", b"_UID=0"]),
]  # fmt: skip

#: Arguments of journalctl and walproof. Some releases support only a part of them.
QUERIES: dict[str, list[str]] = {
    "all": [],
    "a match": ["PRIORITY=6"],
    "two fields": ["PRIORITY=6", "_SYSTEMD_UNIT=ssh.service"],
    "alternatives": ["_UID=1000", "+", "SYSLOG_IDENTIFIER=cron", "PRIORITY=4"],
    "none": ["PRIORITY=6", "PRIORITY=9", "_UID=7"],
    "an empty value": ["EMPTY="],
    "a range": ["--since=@1700000005.5", "--until=@1700000015.0"],
    "since a date": ["--since=2023-11-14 22:13:30 UTC"],
    "the last boot": ["--boot=0"],
    "the boot before": ["--boot=-1"],
    "the first boot": ["--boot=1"],
    "a boot": [f"--boot={BOOTS[1]}"],
    "after a boot": [f"--boot={BOOTS[1]}+1"],
    "a unit": ["--unit=ssh"],
    "units of a pattern": ["--unit=ssh*"],
    "a mount": ["--unit=/home"],
    "a device": ["--unit=/dev/sda-1"],
    "a unit of root": ["--user-unit=app"],
    "a unit and a match": ["--unit=ssh", "PRIORITY=6", "+", "_UID=1000"],
    "a priority": ["--priority=warning"],
    "priorities": ["--priority=crit..4"],
    "an identifier": ["--identifier=sshd"],
    "a pattern": ["--grep=failed"],
    "a pattern with capitals": ["--grep=Failed"],
    "a pattern, case ignored": ["--grep=FAILED", "--case-sensitive=no"],
    "a pattern and lines": ["--grep=start", "--lines=2"],
    "the last lines": ["--lines=3"],
    "reverse": ["--reverse"],
}
#: Options added or changed after systemd 252.
ONLY_IN_NEW = {
    "the first lines": ["--lines=+3"],
    "the last lines in a range": ["--since=@1700000005", "--lines=2"],
}


def new_record(
    fields: list[bytes], boot: str, monotonic: int, wall: int, seqnum: int = 0
) -> NewRecord:
    """Return an entry; times are in seconds, and the wall clock counts from ``START``."""
    times = {"monotonic": str(monotonic * SECOND), "realtime": str(START + wall * SECOND)}
    address = {"boot_id": boot, "seqnum": str(seqnum), **times}
    return NewRecord(b"".join(map(export_field, fields)), address)


def save_journal(path: Path, records: list[NewRecord], **options: object) -> Path:
    """Write a journal file; its id is derived from its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file_id = path.name.encode().hex()[:32].ljust(32, "0")
    JOURNAL.write(path, records, {"file_id": file_id, **options})
    return path


def write_journal(path: Path, entries: list[Entry], seqnum_id: str = "aa" * 16, **options) -> Path:
    """Write a journal file with new sequence numbers."""
    records = [
        new_record(fields, BOOTS[boot], second + 1, second) for boot, second, fields in entries
    ]
    return save_journal(path, records, seqnum_id=seqnum_id, **options)


def run(*arguments: str | Path) -> Result:
    """Run a command of walproof in a terminal of 160 columns."""
    runner = CliRunner(env={"COLUMNS": "160"})
    words = list(map(str, arguments))
    return runner.invoke(walproof, words, standalone_mode=False, catch_exceptions=False)


def refusal(*arguments: str | Path) -> str:
    """Return the message of a command of walproof that fails."""
    with pytest.raises(click.ClickException) as caught:
        run(*arguments)
    return caught.value.message


def journalctls() -> Iterator[list[str]]:
    """Return the command of each installed journalctl."""
    if (result := shutil.which("journalctl")) is not None:
        yield [result]
    for root in sorted((ROOT / ".build" / "implementations").glob("systemd*/root")):
        for loader in root.glob("usr/lib/*/ld-linux*.so.*"):
            libraries = f"{loader.parent}:{loader.parent / 'systemd'}"
            yield [str(loader), "--library-path", libraries, str(root / "usr/bin/journalctl")]


COMMANDS = list(journalctls())


@cache
def release_of(command: tuple[str, ...]) -> int:
    """Return the systemd release of a journalctl."""
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[1])


def run_journalctl(command: list[str], *arguments: str) -> bytes:
    """Return the output of a journalctl."""
    done = subprocess.run(
        [*command, "--no-pager", "--utc", *arguments],
        capture_output=True, timeout=60, check=False, env=os.environ | {"LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    return done.stdout


def all_of_it(command: list[str], path: Path, mode: str) -> bytes:
    """Return all entries of a file; JSON includes values of any length."""
    every = ["--all"] if mode == "json" else []
    return run_journalctl(command, f"--file={path}", "-o", mode, *every)


def sorted_json(text: bytes) -> list[list[str]]:
    """Sort the members of each object, whose order in journalctl's output is random."""
    return [sorted(_members(line)) for line in text.decode().splitlines()]


def _members(line: str) -> Iterator[str]:
    at = 1
    decoder = json.JSONDecoder()
    while line[at] != "}":
        start = at
        _, at = decoder.raw_decode(line, at)
        assert line[at] == ":"
        _, at = decoder.raw_decode(line, at + 1)
        yield line[start:at]
        at += line[at] == ","
    assert at == len(line) - 1


def golden() -> dict[str, dict[str, object]]:
    """Return journalctl 262's output for the real journals and its selections from ``VARIED``."""
    return json.loads(lzma.decompress(GOLDEN.read_bytes()))


def _write_golden(command: list[str]) -> None:
    results: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "varied.journal"
        paths = {"varied": write_journal(path, VARIED)}
        for name in JOURNALS:
            paths[name] = Path(folder) / f"{name}.journal"
            paths[name].write_bytes(read_journal(name))
        for name, each in paths.items():
            printed = {mode: all_of_it(command, each, mode) for mode in MODES}
            results[name] = {
                mode: sorted_json(text) if mode == "json" else text.decode("latin-1")
                for mode, text in printed.items()
            }
        results["queries"] = {
            name: cursors(run_journalctl(command, f"--file={path}", "-o", "export", *arguments))
            for name, arguments in {**QUERIES, **ONLY_IN_NEW}.items()
        }
    GOLDEN.write_bytes(lzma.compress(json.dumps(results, indent=1).encode(), preset=9))


def cursors(exported: bytes) -> list[str]:
    """Return the cursors in a text of the Journal Export Format."""
    lines = exported.decode("latin-1").splitlines()
    return [line.partition("=")[2] for line in lines if line.startswith("__CURSOR=")]


if __name__ == "__main__":
    _write_golden(shlex.split(sys.argv[1]))
