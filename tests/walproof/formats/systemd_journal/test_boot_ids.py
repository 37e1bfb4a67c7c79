"""Entries whose boot id contradicts the hashed field ``_BOOT_ID``."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference_impl.systemd_journal.inspection import inspect
from tests.walproof.formats.systemd_journal.journals import BOOTS, Entry, run, write_journal
from walproof.formats.systemd_journal.query import journal_file

ENTRIES: list[Entry] = [
    (boot, second, [b"MESSAGE=m%d" % second]) for second, boot in enumerate([0, 0, 0, 1, 1, 1])
]
HALF = BOOTS[0][:16] + "0" * 16
ONE, TWO = BOOTS[:2]


def with_boots(path: Path, boots: dict[int, str], **options: object) -> list[int]:
    """Write a journal whose entries store other boot ids; return the offsets of all entries."""
    write_journal(path, ENTRIES, **options)
    data = bytearray(path.read_bytes())
    locations = inspect(bytes(data), {}).entries
    for number, boot in boots.items():
        data[locations[number] + 40 : locations[number] + 56] = bytes.fromhex(boot)
    path.write_bytes(data)
    return locations


CASES = {
    "half written": {2: HALF},
    "the first of the other boot": {3: TWO[:2] + "0" * 30},
    "the id of another boot": {2: TWO},
    "several": {0: HALF, 2: HALF, 4: TWO[:-2] + "00"},
    "all of a boot": {0: "ab" * 16, 1: "ab" * 16, 2: "ab" * 16},
}


@pytest.mark.parametrize("is_large", [False, True], ids=["small", "large"])
@pytest.mark.parametrize("name", CASES)
def test_a_contradiction_is_a_finding(
    name: str, is_large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_large:
        pytest.importorskip("numba")
        monkeypatch.setattr(journal_file, "WORTH_A_KERNEL", 0)
    path = tmp_path / "system.journal"
    locations = with_boots(path, CASES[name], compact=is_large, keyed=is_large)
    done = run("verify", path)
    assert done.return_value == 3
    lines = [line for line in done.stdout.splitlines() if "in an ENTRY with _BOOT_ID=" in line]
    expected = [
        f"{path}: {locations[n] + 40}–{locations[n] + 56}: bad-entry [SDJ-015]: boot id {boot}"
        f" in an ENTRY with _BOOT_ID={ONE if n < 3 else TWO}"
        for n, boot in CASES[name].items()
    ]
    assert lines == expected


@pytest.mark.parametrize("name", CASES)
def test_the_entry_belongs_to_the_boot_of_its_field(name: str, tmp_path: Path) -> None:
    path = tmp_path / "system.journal"
    with_boots(path, CASES[name])
    for boot, expected in (("-1", "m0 m1 m2"), ("0", "m3 m4 m5"), (ONE, "m0 m1 m2")):
        shown = run("systemd", "read", path, "-o", "cat", "--boot", boot).stdout
        assert shown.split() == expected.split()
    exported = run("export", path).stdout
    assert exported.count(f"_BOOT_ID={ONE}") == exported.count(f"_BOOT_ID={TWO}") == 3
    assert run("systemd", "read", path).stdout.count("-- Boot") == 1
    summary = run(tmp_path).stdout
    boots = [line.split() for line in summary.splitlines() if " UTC  " in line]
    assert [(line[-2], ONE in line, TWO in line) for line in boots] == [
        ("3", True, False), ("3", False, True),
    ]  # fmt: skip
    text = "1 entry contradicts its" if len(CASES[name]) == 1 else "3 entries contradict their"
    assert f"the boot id of {text} field _BOOT_ID; walproof verify lists them" in summary


def test_an_entry_without_the_field_has_no_contradiction(tmp_path: Path) -> None:
    path = tmp_path / "system.journal"
    write_journal(path, ENTRIES)
    data = bytearray(path.read_bytes())
    data[data.index(b"_BOOT_ID=" + ONE.encode()) + 12] ^= 1  # makes the hash of the field invalid
    path.write_bytes(data)
    assert "in an ENTRY with" not in run("verify", path).stdout
    assert "contradict" not in run(tmp_path).stdout
