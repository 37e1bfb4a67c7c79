"""Compare merged directories of systemd journals with the real journalctl."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from conformance import VECTORS
from reference_impl.answer import NewRecord, Record
from reference_impl.formats import named
from tests.walproof.formats.systemd_journal.journals import (
    COMMANDS,
    JOURNAL,
    SECOND,
    START,
    new_record,
    release_of,
    run_journalctl,
    save_journal,
)
from walproof.systems import System, recognise

JOURNAL_FILE = VECTORS / "systemd-journal" / "five-entries.journal"
MACHINE = "0123456789abcdef0123456789abcdef"
NUMBERS, OTHER_NUMBERS = "aa" * 16, "bb" * 16
FIRST_BOOT, SECOND_BOOT = "11" * 16, "22" * 16

#: Number, boot, monotonic and wall clock in seconds, message.
Entry = tuple[int, str, int, int, str]


needs_one = pytest.mark.skipif(not COMMANDS, reason="no journalctl")


def file(path: Path, entries: list[Entry], numbers: str = NUMBERS, machine: str = MACHINE) -> None:
    """Write a journal file that keeps the sequence numbers of its entries."""
    records = [
        new_record([b"MESSAGE=" + message.encode(), b"PRIORITY=6"], boot, monotonic, wall, number)
        for number, boot, monotonic, wall, message in entries
    ]
    save_journal(path, records, seqnum_id=numbers, machine_id=machine, keeps_numbers=True)


def host(folder: Path) -> Path:
    """Write a host's journals: archived, in use, of a user, and two boots whose clocks overlap."""
    at = folder / MACHINE
    archived = f"system@{NUMBERS}-0000000000000001-00060a24181e4000.journal"
    file(at / archived, [(n, FIRST_BOOT, n, n, f"old {n}") for n in (1, 2, 4, 5)])
    file(at / "user-1000.journal", [(n, FIRST_BOOT, n, n, f"user {n}") for n in (3, 6)])
    second = [(n, SECOND_BOOT, n - 6, n + 60, f"new {n}") for n in (7, 8, 10)]
    file(at / "system.journal", second)
    file(at / "user-1001.journal", [(9, SECOND_BOOT, 3, 69, "user 9")])
    return folder


def two_hosts(folder: Path) -> Path:
    """Add the journal of another host: its own numbers, times in between."""
    host(folder)
    sent = [(n, "33" * 16, n, 2 * n + 1, f"sent {n}") for n in range(1, 40)]
    file(folder / ("99" * 16) / "system.journal", sent, OTHER_NUMBERS, "99" * 16)
    return folder


def copies(folder: Path) -> Path:
    """Write the same entries in two copies, and in a third one that was renumbered."""
    entries = [(n, FIRST_BOOT, n, n, f"entry {n}") for n in range(1, 9)]
    file(folder / "system.journal", entries)
    shutil.copy(folder / "system.journal", folder / "copied.journal")
    anew = [(n + 100, *rest) for n, *rest in entries[2:6]]
    file(folder / "remote.journal", [(n, b, m, w, t) for n, b, m, w, t in anew], OTHER_NUMBERS)
    return folder


FOLDERS = {"a host": host, "two hosts": two_hosts, "copies": copies}


def theirs(command: list[str], folder: Path, field: str) -> list[str]:
    """Return a field of each entry in the order of the real journalctl."""
    lines = run_journalctl(command, "-D", str(folder), "-o", "export", "--all").decode()
    return [line.partition("=")[2] for line in lines.splitlines() if line.startswith(f"{field}=")]


def ours(folder: Path) -> list[Record]:
    system = recognise(folder)
    assert system is not None
    events = system.folder_type.read(system, "recover", {})
    return [event for event in events if isinstance(event, Record)]


@needs_one
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: Path(command[0]).name)
@pytest.mark.parametrize("make", FOLDERS.values(), ids=FOLDERS)
def test_it_merges_as_journalctl_does(make, command: list[str], tmp_path: Path) -> None:
    folder = make(tmp_path / "journal")
    expected = theirs(command, folder, "__CURSOR")
    assert len(expected) >= 8
    results = [record.fields["cursor"] for record in ours(folder)]
    if make is copies:  # which of two copies is shown depends on the order of the files
        expected = [cursor.partition(";b=")[2] for cursor in expected]
        results = [cursor.partition(";b=")[2] for cursor in results]
    assert results == expected


def test_the_order_is_that_of_the_numbers_and_clocks(tmp_path: Path) -> None:
    messages = [dict(r.fields["fields"])["MESSAGE"] for r in ours(host(tmp_path / "journal"))]
    message = "old 1, old 2, user 3, old 4, old 5, user 6, new 7, new 8, user 9, new 10"
    assert ", ".join(messages) == message


def test_copies_are_shown_once(tmp_path: Path) -> None:
    assert len(ours(copies(tmp_path / "journal"))) == 8


def test_boots_and_files_are_listed(tmp_path: Path, run) -> None:
    done = run(host(tmp_path / "journal"))
    assert done.return_value == 0, done.output
    boots = [line for line in done.stdout.splitlines() if "UTC" in line]
    assert [line.split()[-2] for line in boots] == ["6", "4"]
    assert f" -1  {FIRST_BOOT}" in boots[0]
    assert f"  0  {SECOND_BOOT}" in boots[1]
    assert "the system, archived" in done.stdout
    assert "user 1000" in done.stdout


def test_a_missing_file_is_a_gap_in_the_numbers(tmp_path: Path, run) -> None:
    folder = host(tmp_path / "journal")
    for archived in (folder / MACHINE).glob("system@*"):
        archived.unlink()
    assert "are missing" not in run(folder).output
    (folder / MACHINE / "user-1000.journal").unlink()
    file(folder / MACHINE / "user-7.journal", [(1, FIRST_BOOT, 1, 1, "one")])
    done = run(folder)
    assert "5 entries, numbers 2 to 6, are missing" in " ".join(done.output.split())


def test_a_damaged_file_among_others(tmp_path: Path, run) -> None:
    folder = host(tmp_path / "journal")
    path = folder / MACHINE / "user-1000.journal"
    data = path.read_bytes()
    at = data.index(b"MESSAGE=user 3")
    path.write_bytes(data[:at] + b"m" + data[at + 1 :])
    done = run("read", folder, "--json")
    assert done.return_value == 3
    assert '"file": "' + f"{MACHINE}/user-1000.journal" in done.stdout
    assert run("verify", folder).return_value == 3
    assert run("export", folder).return_value == 3


def test_recovered_journals_keep_names_ids_and_cursors(tmp_path: Path, run) -> None:
    folder = two_hosts(tmp_path / "journal")
    out = tmp_path / "new"
    done = run("recover", folder, "--out", out)
    assert done.return_value == 0, done.output
    names = sorted(path.relative_to(out) for path in out.rglob("*.journal"))
    assert names == sorted(path.relative_to(folder) for path in folder.rglob("*.journal"))
    cursors = [record.fields["cursor"] for record in ours(folder)]
    assert [record.fields["cursor"] for record in ours(out)] == cursors
    for command in COMMANDS:
        assert theirs(command, out, "__CURSOR") == cursors


def seen(folder: Path) -> System:
    system = recognise(folder)
    assert system is not None
    return system


def losses(folder: Path) -> dict[str | None, str]:
    return {each.file: each.text for each in seen(folder).findings if each.harm == "lost"}


def test_other_files_in_the_directory_are_listed(tmp_path: Path) -> None:
    folder = host(tmp_path / "journal")
    copy = (folder / MACHINE / "system.journal").read_bytes()
    others = {
        "README": (b"text\n", "not a systemd file"),
        "notes.txt": (b"", "not a systemd file"),
        "old.journal.gz": (gzip.compress(copy), "a compressed journal, not read with the others"),
        "old.bak": (copy, "a journal under a name that journalctl does not read"),
        f"{MACHINE}/000003.log": (b"", "not a systemd file"),
    }
    for name, (data, _) in others.items():
        (folder / name).write_bytes(data)
    system = seen(folder)
    assert {other.name: other.role for other in system.others} == {
        name: role for name, (_, role) in others.items()
    }
    assert len(system.logs) == 4 and not system.findings


def test_logs_of_other_formats_next_to_journals_of_other_names(tmp_path: Path) -> None:
    """Such a directory does not belong to journald: each log is read separately."""
    file(tmp_path / "a.journal", [(1, FIRST_BOOT, 1, 1, "one")])
    (tmp_path / "README").write_text("text")
    assert recognise(tmp_path) is not None
    named("leveldb-log").write(tmp_path / "000003.log", [NewRecord(b"one")], {})
    assert recognise(tmp_path) is None
    file(tmp_path / "system.journal", [(1, FIRST_BOOT, 1, 1, "one")])
    assert recognise(tmp_path) is not None


HEAD = JOURNAL_FILE.read_bytes()
LOSSES = [
    (b"", "a journal (LPKSHHRH) at 0, found an empty file"),
    (bytes(8192), "a journal (LPKSHHRH) at 0, found 8,192 zeros"),
    (b"text\n" * 3, 'a journal (LPKSHHRH) at 0, found "text"'),
    (b"\r\n" + HEAD, "a journal (LPKSHHRH) at 0, found 0x0d"),
    (HEAD[:100], "a header of 208 bytes at 0, found 100 bytes"),
    (b"M" + HEAD[1:], "a journal (LPKSHHRH) at 0, found 0x4d504b5348485248"),
]
NAMES = [
    "system.journal",
    f"system@{NUMBERS}-0000000000000001-00060a24181e4000.journal",
    "system@00060a24181e4000-0123456789abcdef.journal~",
    "user-1000.journal",
    "remote-10.0.0.1.journal",
]


@pytest.mark.parametrize(("data", "found"), LOSSES, ids=range(len(LOSSES)))
def test_a_journal_with_the_wrong_content_is_a_loss(
    data: bytes, found: str, tmp_path: Path
) -> None:
    for name in NAMES:
        (tmp_path / name).write_bytes(data)
    result = losses(tmp_path)
    assert result.keys() == set(NAMES)
    for text in result.values():
        assert text.startswith(f"expected {found}")
        assert text.endswith(": its entries are lost")


def test_files_of_another_name_need_a_header(tmp_path: Path) -> None:
    (tmp_path / "lisp.journal").write_bytes(bytes(64))
    assert recognise(tmp_path) is None


def test_zeros_after_the_last_object_are_not_a_loss(tmp_path: Path, run) -> None:
    """Journald extends a file before writing to it."""
    file(tmp_path / "system.journal", [(1, FIRST_BOOT, 1, 1, "one")])
    with (tmp_path / "system.journal").open("r+b") as log:
        size = log.seek(0, 2)
        log.truncate(8 << 20)
        log.seek(96)  # arena_size
        log.write(((8 << 20) - 272).to_bytes(8, "little"))
    assert size < 1 << 20
    assert not seen(tmp_path).findings
    assert run(tmp_path).return_value == 0


@pytest.mark.parametrize(
    ("place", "is_packed"), [("remote", False), (f"{MACHINE}/archive", True), ("a/b", False)]
)
def test_unmerged_directories_are_reported(
    place: str, is_packed: bool, tmp_path: Path, run
) -> None:
    folder = host(tmp_path / "journal")
    separate = folder / place / "remote-10.0.0.1.journal"
    file(separate, [(1, FIRST_BOOT, 1, 1, "apart")], "cc" * 16)
    if is_packed:
        separate.with_name(f"{separate.name}.gz").write_bytes(gzip.compress(separate.read_bytes()))
        separate.unlink()
    (finding,) = seen(folder).findings
    top = place.partition("/")[0] if place == "a/b" else place
    assert (finding.file, finding.harm) == (top, "look")
    text = "1 journal file in this folder: journalctl does not merge it with the others"
    assert finding.text.startswith(text)
    assert len(ours(folder)) == 10
    for command in ("read", "export"):
        done = run(command, folder)
        assert f"{folder}: {top}: {text}" in done.stderr, command
        assert (done.return_value, "apart" in done.stdout) == (0, False)
    assert f"check   {top}: " in run(folder).stdout


def test_a_link_to_a_folder_of_journals_does_not_double_them(tmp_path: Path) -> None:
    folder = host(tmp_path / "journal")
    (folder / "latest").symlink_to(folder / MACHINE)
    assert len(seen(folder).logs) == 4
    assert len(ours(folder)) == 10
    assert not seen(folder).findings


def test_a_folder_of_broken_journals_is_verified(tmp_path: Path, run) -> None:
    folder = host(tmp_path / "journal")
    (folder / MACHINE / "user-1000.journal").write_bytes(bytes(4096))
    done = run("verify", folder)
    assert done.return_value == 3
    assert f"{MACHINE}/user-1000.journal: expected a journal" in done.stdout
    assert done.stdout.count("no findings") == 3
    for path in (folder / MACHINE).iterdir():
        path.write_bytes(b"")
    assert run("verify", folder).return_value == 3


def test_two_folders_are_compared(tmp_path: Path, run) -> None:
    each, other = host(tmp_path / "one"), host(tmp_path / "other")
    assert run("diff", each, other).return_value == 0
    (other / MACHINE / "user-1001.journal").unlink()
    done = run("diff", each, other)
    assert done.return_value == 3
    assert "1 only in the first" in done.output


def test_entries_in_a_truncated_part_are_counted(tmp_path: Path, run) -> None:
    """The count equals journalctl's for the intact file; journalctl ignores the truncated file."""
    entries = [(n, FIRST_BOOT, n, n, f"message {n}") for n in range(1, 201)]
    file(tmp_path / "system.journal", entries)
    log = tmp_path / "system.journal"
    log.write_bytes(log.read_bytes()[: log.stat().st_size * 3 // 4])
    done = run(tmp_path)
    left = sum(1 for each in JOURNAL.read(log, "recover", {}) if isinstance(each, Record))
    assert 0 < left < 200
    said = f"lost    system.journal: its header counts 200 entries, {left} are here:"
    assert said in done.stdout
    assert done.return_value == 3


def without_a_clock(folder: Path, boots: int) -> Path:
    """Write boots of a machine whose clock starts in 1970 at each boot, a file for each boot."""
    for boot in range(boots):
        boot_id = f"{boot + 1:x}" * 32
        times = [(n, boot_id, n, n - START // SECOND, f"{boot}.{n}") for n in range(1, 4)]
        times.append((4, boot_id, 99, 100 * boot, f"{boot}.4"))  # the clock was set in between
        name = f"system@{boot}.journal" if boot + 1 < boots else "system.journal"
        file(folder / MACHINE / name, times, f"{boot + 1:x}f" * 16)
    return folder


def test_boots_of_a_machine_without_a_clock_do_not_mix(tmp_path: Path) -> None:
    folder = without_a_clock(tmp_path / "journal", 3)
    messages = [dict(r.fields["fields"])["MESSAGE"] for r in ours(folder)]
    assert messages == [f"{boot}.{n}" for boot in range(3) for n in range(1, 5)]


@needs_one
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: Path(command[0]).name)
def test_boots_are_in_the_order_of_journalctl(command: list[str], tmp_path: Path) -> None:
    if release_of(tuple(command)) < 254:
        pytest.skip("before systemd 254, journalctl did not compare boots")
    folder = without_a_clock(tmp_path / "journal", 4)
    expected = theirs(command, folder, "__CURSOR")
    assert [record.fields["cursor"] for record in ours(folder)] == expected


@pytest.mark.parametrize("damage", ["cut", "no array", "no entries"])
def test_a_file_with_an_unreadable_tail_does_not_order_boots(damage: str, tmp_path: Path) -> None:
    folder = without_a_clock(tmp_path / "journal", 2)
    path = folder / MACHINE / "system@0.journal"
    data = bytearray(path.read_bytes())
    if damage == "cut":
        data = data[:-100]
    elif damage == "no array":
        data[176:184] = (1 << 40).to_bytes(8, "little")
    else:
        array = int.from_bytes(data[176:184], "little")
        data[array + 24 : array + 40] = bytes(16)
    path.write_bytes(data)
    assert len(ours(folder)) >= 4


def test_two_machines_are_merged_by_their_clocks(tmp_path: Path) -> None:
    """Boots are compared only within a machine."""
    for machine, second in ((MACHINE, 0), ("99" * 16, 1)):
        entries = [(n, machine, n, 2 * n + second, f"{second}.{n}") for n in range(1, 4)]
        entries[-1] = (*entries[-1][:3], 100 - second, entries[-1][4])
        numbers = f"{second + 1}f" * 16
        file(tmp_path / "journal" / machine / "system.journal", entries, numbers, machine)
    messages = [dict(r.fields["fields"])["MESSAGE"] for r in ours(tmp_path / "journal")]
    assert messages == ["0.1", "1.1", "0.2", "1.2", "1.3", "0.3"]
