"""Journals for query tests. ``golden.py`` has journalctl's output for them."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from reference_impl.answer import NewRecord
from reference_impl.formats import named
from reference_impl.systemd_journal.export_format import export_field
from walproof.cli import walproof

JOURNAL = named("systemd-journal")
SECOND = 1_000_000
START = 1_700_000_000 * SECOND
BOOTS = ("11" * 16, "22" * 16, "33" * 16)
COREDUMP = b"MESSAGE_ID=fc2e22bc6ee647b6b90729ab34a250b1"
MACHINE = "0123456789abcdef0123456789abcdef"
NUMBERS, OTHER_NUMBERS = "aa" * 16, "bb" * 16
FIRST_BOOT, SECOND_BOOT = BOOTS[:2]
MODES = ("short", "short-iso", "cat", "json", "export")

#: The index of the boot, the seconds after ``START``, and the fields.
Entry = tuple[int, int, list[bytes]]
#: The sequence number, boot id, monotonic time and wall-clock time in seconds, and message.
Numbered = tuple[int, str, int, int, str]

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

NAMED = [b"_HOSTNAME=box", b"SYSLOG_IDENTIFIER=app", b"_PID=7"]
#: journalctl prints these entries in unusual ways.
ODD: list[Entry] = [
    (0, second, fields)
    for second, fields in enumerate(
        [
            [b"MESSAGE=nobody said it"],
            [b"_COMM=cat", b"SYSLOG_PID=12", b"MESSAGE="],
            [*NAMED, b"_COMM=cat", b"SYSLOG_PID=12", "MESSAGE=größer 😀".encode()],
            [*NAMED, b"MESSAGE=a\nb\n  c"],
            [*NAMED, b"MESSAGE=\x1b[1;31mred\x1b[0m"],
            [*NAMED, b"MESSAGE=\x1b]8;;http://x\x07link\x1b]8;;\x07"],
            [*NAMED, b"MESSAGE=dos line\r\nnext\r"],
            [*NAMED, b"MESSAGE=a\rb"],
            [*NAMED, b"MESSAGE=" + b"\xff" * 1536],
            [*NAMED, b"MESSAGE=" + b"\x01" * 1023],
            [*NAMED, b"MESSAGE=\xc2\x85 a control of C1"],
            [*NAMED, b"MESSAGE=\x1b[ unfinished"],
            [b"_HOSTNAME=" + b"h" * 300, b"_COMM=" + b"c" * 299, b"_PID=\x01", b"MESSAGE=m"],
            [b"_HOSTNAME=bad\xff", b"SYSLOG_IDENTIFIER=\xfe", b"_COMM=c", b"MESSAGE=m"],
            [*NAMED, b"_SOURCE_REALTIME_TIMESTAMP=1600000000999999", b"MESSAGE=earlier"],
            [*NAMED, b"_SOURCE_REALTIME_TIMESTAMP=0", b"MESSAGE=no time"],
            [*NAMED, b"_SOURCE_REALTIME_TIMESTAMP=36028797018963968", b"MESSAGE=too late"],
            [*NAMED, b"_SOURCE_REALTIME_TIMESTAMP=yesterday", b"MESSAGE=no number"],
            [*NAMED, b"SYSLOG_IDENTIFIER=", b"MESSAGE=twice"],
        ]
    )
]

#: The arguments of each query, for journalctl and for walproof.
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
    "the first lines": ["--lines=+3"],
    "the last lines in a range": ["--since=@1700000005", "--lines=2"],
}


def new_record(
    fields: list[bytes], boot: str, monotonic: int, wall: int, seqnum: int = 0
) -> NewRecord:
    """Return an entry. Times are in seconds, and the wall-clock time counts from ``START``."""
    times = {"monotonic": str(monotonic * SECOND), "realtime": str(START + wall * SECOND)}
    address = {"boot_id": boot, "seqnum": str(seqnum), **times}
    return NewRecord(b"".join(map(export_field, fields)), address)


def save_journal(path: Path, records: list[NewRecord], **options: object) -> Path:
    """Write a journal file whose file id is derived from its name."""
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


def two_files(folder: Path) -> list[Path]:
    """Write the entries of ``VARIED`` to two files with separate sequence numbers."""
    each = write_journal(folder / "one.journal", VARIED[::2])
    return [each, write_journal(folder / "two.journal", VARIED[1::2], "bb" * 16)]


def run(*arguments: str | Path) -> Result:
    """Run a walproof command in a terminal of 160 columns."""
    runner = CliRunner(env={"COLUMNS": "160"})
    words = list(map(str, arguments))
    return runner.invoke(walproof, words, standalone_mode=False, catch_exceptions=False)


def refusal(*arguments: str | Path) -> str:
    """Run a walproof command that fails; return its message."""
    with pytest.raises(click.ClickException) as caught:
        run(*arguments)
    return caught.value.message


def cursors(exported: bytes) -> list[str]:
    """Return the cursors from output in the Journal Export Format."""
    lines = exported.decode("latin-1").splitlines()
    return [line.partition("=")[2] for line in lines if line.startswith("__CURSOR=")]


def file(
    path: Path, entries: list[Numbered], numbers: str = NUMBERS, machine: str = MACHINE
) -> None:
    """Write a journal file whose entries have these sequence numbers."""
    records = [
        new_record([b"MESSAGE=" + message.encode(), b"PRIORITY=6"], boot, monotonic, wall, number)
        for number, boot, monotonic, wall, message in entries
    ]
    save_journal(path, records, seqnum_id=numbers, machine_id=machine, keeps_numbers=True)


def host(folder: Path) -> Path:
    """Write a host's system and user journals, with two boots whose clocks overlap."""
    at = folder / MACHINE
    archived = f"system@{NUMBERS}-0000000000000001-00060a24181e4000.journal"
    file(at / archived, [(n, FIRST_BOOT, n, n, f"old {n}") for n in (1, 2, 4, 5)])
    file(at / "user-1000.journal", [(n, FIRST_BOOT, n, n, f"user {n}") for n in (3, 6)])
    second = [(n, SECOND_BOOT, n - 6, n + 60, f"new {n}") for n in (7, 8, 10)]
    file(at / "system.journal", second)
    file(at / "user-1001.journal", [(9, SECOND_BOOT, 3, 69, "user 9")])
    return folder


def two_hosts(folder: Path) -> Path:
    """Add another host's journal, with its own sequence numbers and with times in between."""
    host(folder)
    sent = [(n, "33" * 16, n, 2 * n + 1, f"sent {n}") for n in range(1, 40)]
    file(folder / ("99" * 16) / "system.journal", sent, OTHER_NUMBERS, "99" * 16)
    return folder


def copies(folder: Path) -> Path:
    """Write a journal, a copy of it, and a journal with some of its entries under new numbers."""
    entries = [(n, FIRST_BOOT, n, n, f"entry {n}") for n in range(1, 9)]
    file(folder / "system.journal", entries)
    shutil.copy(folder / "system.journal", folder / "copied.journal")
    anew = [(n + 100, *rest) for n, *rest in entries[2:6]]
    file(folder / "remote.journal", [(n, b, m, w, t) for n, b, m, w, t in anew], OTHER_NUMBERS)
    return folder


def without_a_clock(folder: Path, boots: int = 4) -> Path:
    """Write one file per boot of a machine whose clock starts in 1970 at each boot."""
    for boot in range(boots):
        boot_id = f"{boot + 1:x}" * 32
        times = [(n, boot_id, n, n - START // SECOND, f"{boot}.{n}") for n in range(1, 4)]
        # The clock was set before this entry.
        times.append((4, boot_id, 99, 100 * boot, f"{boot}.4"))
        name = f"system@{boot}.journal" if boot + 1 < boots else "system.journal"
        file(folder / MACHINE / name, times, f"{boot + 1:x}f" * 16)
    return folder


FOLDERS = {"a host": host, "two hosts": two_hosts, "copies": copies, "no clock": without_a_clock}
