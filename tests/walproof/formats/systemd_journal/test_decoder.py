"""Compare the line of an entry with journalctl."""

from __future__ import annotations

import random
import re
from pathlib import Path

from tests.conftest import unavailable
from tests.walproof.formats.systemd_journal.journals import (
    COMMANDS,
    START,
    run_journalctl,
    write_journal,
)
from walproof import decode
from walproof.formats.systemd_journal.query import short

LIMIT = 1 << 20
Entry = list[tuple[str, bytes]]
NAMED: Entry = [("_HOSTNAME", b"box"), ("SYSLOG_IDENTIFIER", b"app"), ("_PID", b"7")]
ENTRIES: list[Entry] = [
    [*NAMED, ("MESSAGE", b"hello")],
    [("MESSAGE", b"nobody said it")],
    [("_COMM", b"cat"), ("SYSLOG_PID", b"12"), ("MESSAGE", b"")],
    [*NAMED, ("_COMM", b"cat"), ("SYSLOG_PID", b"12"), ("MESSAGE", "größer 😀".encode())],
    [*NAMED, ("MESSAGE", b"a\nb\n  c")],
    [*NAMED, ("MESSAGE", b"with\ttab")],
    [*NAMED, ("MESSAGE", b"\x1b[1;31mred\x1b[0m")],
    [*NAMED, ("MESSAGE", b"\x1b]8;;http://x\x07link\x1b]8;;\x07")],
    [*NAMED, ("MESSAGE", b"dos line\r\nnext\r")],
    [*NAMED, ("MESSAGE", b"a\rb")],
    [*NAMED, ("MESSAGE", b"\x00\x01binary\xff")],
    [*NAMED, ("MESSAGE", b"\xff" * 1536)],
    [*NAMED, ("MESSAGE", b"\x01" * 1023)],
    [*NAMED, ("MESSAGE", b"\x01" * 1024)],
    [*NAMED, ("MESSAGE", b"\x01" * (LIMIT + LIMIT // 2 + 9))],
    [*NAMED, ("MESSAGE", b"\xc2\x85 a control of C1")],
    [*NAMED, ("MESSAGE", b"\x1b[ unfinished")],
    [*NAMED, ("MESSAGE", b"x" * 5000)],
    [("_HOSTNAME", b"h" * 300), ("_COMM", b"c" * 299), ("_PID", b"\x01"), ("MESSAGE", b"m")],
    [("_HOSTNAME", b"bad\xff"), ("SYSLOG_IDENTIFIER", b"\xfe"), ("_COMM", b"c"), ("MESSAGE", b"m")],
    [*NAMED, ("_SOURCE_REALTIME_TIMESTAMP", b"1600000000999999"), ("MESSAGE", b"earlier")],
    [*NAMED, ("_SOURCE_REALTIME_TIMESTAMP", b"0"), ("MESSAGE", b"no time")],
    [*NAMED, ("_SOURCE_REALTIME_TIMESTAMP", b"36028797018963968"), ("MESSAGE", b"too late")],
    [*NAMED, ("_SOURCE_REALTIME_TIMESTAMP", b"yesterday"), ("MESSAGE", b"no number")],
    [*NAMED, ("SYSLOG_IDENTIFIER", b""), ("MESSAGE", b"twice")],
    [*NAMED, ("PRIORITY", b"3"), ("MESSAGE_ID", b"0" * 32), ("MESSAGE", b"an error")],
]


def fields_of(entry: Entry) -> dict[str, list[bytes]]:
    results: dict[str, list[bytes]] = {}
    for name, value in entry:
        results.setdefault(name, []).append(value)
    return results


def journalctl(entries: list[Entry], path: Path) -> list[str]:
    """Return the output of the real program for each entry of a journal."""
    if not COMMANDS:
        unavailable("unavailable, because there is no journalctl")
    texts = []
    for number, entry in enumerate(entries):
        fields = [name.encode() + b"=" + value for name, value in entry]
        log = write_journal(path / f"{number}.journal", [(0, 0, fields)])
        texts.append(run_journalctl(COMMANDS[0], f"--file={log}", "--output=short-iso").decode())
    return texts


def as_printed(line: str) -> str:
    """Return the text with further lines indented."""
    first, *more = line.split("\n")
    at = first.index(": ") + 2
    return "\n".join([first, *(" " * at + each for each in more)]) + "\n"


def test_the_line_is_that_of_journalctl(tmp_path: Path) -> None:
    for entry, theirs in zip(ENTRIES, journalctl(ENTRIES, tmp_path), strict=True):
        ours = short.line(fields_of(entry), START)
        if re.match(r"\S+\+0000 ", theirs):  # before systemd 255
            ours = ours.replace("+00:00", "+0000", 1)
        assert as_printed(ours) == theirs, entry[-1][1][:40]


def phrase(entry: Entry) -> str:
    return decode.phrase(
        "systemd-journal", {"fields": list(fields_of(entry).items())}, {"realtime": START}
    )


def test_the_phrase_has_priority_and_message_id() -> None:
    head = "2023-11-14T22:13:20+00:00 box app[7]:"
    assert phrase(ENTRIES[-1]) == f"{head} an error  (err, MESSAGE_ID {'0' * 32})"
    assert phrase(ENTRIES[0]) == f"{head} hello"
    assert phrase([*NAMED, ("PRIORITY", b"9"), ("MESSAGE", b"x")]) == f"{head} x"
    assert phrase([*NAMED, ("B", b"\xff\0")]).startswith(f'{head} _HOSTNAME="box" ')
    assert phrase([("B", b"\xff\0")]) == "2023-11-14T22:13:20+00:00 unknown: B=0xff00"
    assert len(phrase([*NAMED, ("MESSAGE", b"x" * 5000)])) < 260


def test_nothing_raises() -> None:
    chance = random.Random(3)
    names = ["MESSAGE", "_HOSTNAME", "_PID", "PRIORITY", "MESSAGE_ID", "_SOURCE_REALTIME_TIMESTAMP"]
    pieces = [b"\x1b[", b"\x1b]", b"\x07", b"\r", b"\n", b"9" * 30, b"\xff", b"", "ä".encode()]
    for _ in range(3000):
        entry = [
            (name, b"".join(chance.choices(pieces, k=chance.randrange(4))))
            for name in chance.choices(names, k=3)
        ]
        value = {"fields": list(fields_of(entry).items())}
        assert decode.phrase("systemd-journal", value, {"realtime": chance.choice((0, 2**64 - 1))})
    assert short.message(b"\x1b]" * 200_000).endswith("blob data]")
    assert short.message(b"\x1b[" + b"1" * 400_000).endswith("blob data]")
