"""Compare merged directories of systemd journals with the real journalctl."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from conformance import VECTORS
from reference_impl.answer import NewRecord, Record
from reference_impl.formats import named
from tests.walproof.formats.systemd_journal.golden import load_golden
from tests.walproof.formats.systemd_journal.journals import (
    FIRST_BOOT,
    FOLDERS,
    JOURNAL,
    MACHINE,
    NUMBERS,
    SECOND_BOOT,
    file,
    host,
    two_hosts,
    without_a_clock,
)
from walproof.systems import System, recognise

JOURNAL_FILE = VECTORS / "systemd-journal" / "five-entries.journal"


def ours(folder: Path) -> list[Record]:
    system = recognise(folder)
    assert system is not None
    events = system.folder_type.read(system, "recover", {})
    return [event for event in events if isinstance(event, Record)]


@pytest.mark.parametrize("name", FOLDERS)
def test_directories_are_merged_as_by_journalctl(name: str, tmp_path: Path) -> None:
    expected = load_golden()["folders"][name]
    results = [record.fields["cursor"] for record in ours(FOLDERS[name](tmp_path / "journal"))]
    if name == "copies":  # journalctl shows one of two copies, depending on the order of the files
        expected = [cursor.partition(";b=")[2] for cursor in expected]
        results = [cursor.partition(";b=")[2] for cursor in results]
    assert results == expected


def test_boots_and_files_are_listed(tmp_path: Path, run) -> None:
    done = run(host(tmp_path / "journal"))
    assert done.return_value == 0, done.output
    boots = [line for line in done.stdout.splitlines() if "UTC" in line]
    assert [line.split()[-2] for line in boots] == ["6", "4"]
    assert f" -1  {FIRST_BOOT}" in boots[0]
    assert f"  0  {SECOND_BOOT}" in boots[1]
    assert "; archived; from " in " ".join(done.stdout.split())


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
    """Such a directory does not belong to journald, so each log is read separately."""
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
    """Zeros at the end are no loss: journald extends a file before it writes to the file."""
    file(tmp_path / "system.journal", [(1, FIRST_BOOT, 1, 1, "one")])
    with (tmp_path / "system.journal").open("r+b") as log:
        size = log.seek(0, 2)
        log.truncate(8 << 20)
        log.seek(96)  # the offset of the field arena_size
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


def test_entries_in_a_truncated_part_are_counted(tmp_path: Path, run) -> None:
    """The header counts the entries of the intact file; journalctl ignores the truncated file."""
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
