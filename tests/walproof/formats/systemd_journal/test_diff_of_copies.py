"""``walproof diff`` compares a host's journal with a copy that a collector renumbered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.walproof.formats.systemd_journal.journals import Entry, run, write_journal

HOST = [(0, n, [b"MESSAGE=m%d" % n, b"_HOSTNAME=h", b"PRIORITY=6"]) for n in range(6)]
OTHER = "bb" * 16


def differences(log: Path, other: Path) -> list[str]:
    done = run("diff", log, other, "--all")
    lines = done.stdout.splitlines()[2:]
    assert (done.return_value == 0) == (lines[-1] == "no difference")
    return [f"{line[:2].strip()} {line.rpartition(': ')[2]}" for line in lines[:-1]]


def changed(number: int, *fields: bytes) -> list[Entry]:
    return [(boot, second, list(fields) if second == number else old) for boot, second, old in HOST]


WHOLE = "MESSAGE=m2  _HOSTNAME=h  PRIORITY=6"
COPIES: dict[str, tuple[list[Entry], list[str]]] = {
    "the same": (HOST, []),
    "without one": (HOST[:3] + HOST[4:], ["- MESSAGE=m3  _HOSTNAME=h  PRIORITY=6"]),
    "with another entry between": (
        [*HOST[:2], (1, 1, [b"MESSAGE=of another boot"]), *HOST[2:]], ["+ MESSAGE=of another boot"],
    ),
    "one field less": (
        changed(2, b"MESSAGE=m2", b"PRIORITY=6"), [f"~A {WHOLE}", "~B MESSAGE=m2  PRIORITY=6"],
    ),
    "another value": (
        changed(2, b"MESSAGE=mX", b"_HOSTNAME=h", b"PRIORITY=6"),
        [f"~A {WHOLE}", "~B MESSAGE=mX  _HOSTNAME=h  PRIORITY=6"],
    ),
    "fields in another order": (changed(2, b"PRIORITY=6", b"_HOSTNAME=h", b"MESSAGE=m2"), []),
}  # fmt: skip


@pytest.mark.parametrize("name", COPIES)
def test_a_renumbered_copy(name: str, tmp_path: Path) -> None:
    entries, expected = COPIES[name]
    host = write_journal(tmp_path / "host.journal", HOST)
    copy = write_journal(tmp_path / "copy.journal", entries, OTHER)
    assert differences(host, copy) == expected


def test_entries_with_the_same_time(tmp_path: Path) -> None:
    burst = [(0, 1, [b"MESSAGE=%d" % n]) for n in range(5)]
    host = write_journal(tmp_path / "host.journal", burst)
    copy = write_journal(tmp_path / "copy.journal", [*burst[3:], *burst[:2]], OTHER)
    assert differences(host, copy) == ["- MESSAGE=2"]


def test_a_file_with_its_own_numbers_among_copies(tmp_path: Path) -> None:
    """Entries are paired if only a part of a directory has the sequence numbers of the host."""
    host = write_journal(tmp_path / "host.journal", HOST)
    folder = tmp_path / "collected"
    write_journal(folder / "remote-a.journal", HOST[:3])
    write_journal(folder / "remote-b.journal", [*HOST[3:5], (0, 7, [b"MESSAGE=new"])], OTHER)
    expected = ["- MESSAGE=m5  _HOSTNAME=h  PRIORITY=6", "+ MESSAGE=new"]
    assert sorted(differences(host, folder)) == sorted(expected)
