"""Entries are described by journalctl's line and further fields."""

from __future__ import annotations

import random

from tests.walproof.formats.systemd_journal.journals import START
from walproof import decode
from walproof.formats.systemd_journal.query import short

Entry = list[tuple[str, bytes]]
NAMED: Entry = [("_HOSTNAME", b"box"), ("SYSLOG_IDENTIFIER", b"app"), ("_PID", b"7")]


def fields_of(entry: Entry) -> dict[str, list[bytes]]:
    results: dict[str, list[bytes]] = {}
    for name, value in entry:
        results.setdefault(name, []).append(value)
    return results


def phrase(entry: Entry) -> str:
    return decode.phrase(
        "systemd-journal", {"fields": list(fields_of(entry).items())}, {"realtime": START}
    )


def test_the_phrase_has_priority_and_message_id() -> None:
    head = "2023-11-14T22:13:20+00:00 box app[7]:"
    error = [("PRIORITY", b"3"), ("MESSAGE_ID", b"0" * 32), ("MESSAGE", b"an error")]
    assert phrase([*NAMED, *error]) == f"{head} an error  (err, MESSAGE_ID {'0' * 32})"
    assert phrase([*NAMED, ("MESSAGE", b"hello\n  all")]) == f"{head} hello\n  all"
    assert phrase([*NAMED, ("MESSAGE", b"\1" * (3 << 19))]) == f"{head} [1.5M blob data]"
    assert phrase([*NAMED, ("PRIORITY", b"9"), ("MESSAGE", b"x")]) == f"{head} x"
    assert phrase([*NAMED, ("B", b"\xff\0")]).startswith(f'{head} _HOSTNAME="box" ')
    assert phrase([("B", b"\xff\0")]) == "2023-11-14T22:13:20+00:00 unknown: B=0xff00"
    assert len(phrase([*NAMED, ("MESSAGE", b"x" * 5000)])) < 260


def test_random_entries_raise_no_error() -> None:
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
