"""Tests of entries whose boot id contradicts their hashed field ``_BOOT_ID``."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference_impl.systemd_journal.inspection import inspect
from tests.real_files import JOURNALS, read_journal
from tests.walproof.formats.systemd_journal.journals import BOOTS, Entry, run, write_journal
from walproof.cli import verify

ENTRIES: list[Entry] = [
    (boot, second, [b"MESSAGE=m%d" % second]) for second, boot in enumerate([0, 0, 0, 1, 1, 1])
]
HALF = BOOTS[0][:16] + "0" * 16
ONE, TWO = BOOTS[:2]


def with_boots(path: Path, boots: dict[int, str], **options: object) -> list[int]:
    """Write a journal whose entries store other boots; return the offsets of all entries."""
    write_journal(path, ENTRIES, **options)
    data = bytearray(path.read_bytes())
    locations = inspect(bytes(data), {}).entries
    for number, boot in boots.items():
        data[locations[number] + 40 : locations[number] + 56] = bytes.fromhex(boot)
    path.write_bytes(data)
    return locations


CASES = {
    "half written, the last of a boot": {2: HALF},
    "half written, the first of a boot": {3: TWO[:2] + "0" * 30},
    "the id of another boot": {2: TWO},
    "an unknown one": {0: "ef" * 16},
    "several": {0: HALF, 2: HALF, 4: TWO[:-2] + "00"},
    "all of a boot": {0: "ab" * 16, 1: "ab" * 16, 2: "ab" * 16},
}


@pytest.mark.parametrize("form", [{}, {"compact": False, "keyed": False}], ids=["compact", "old"])
@pytest.mark.parametrize("is_large", [False, True], ids=["small", "large"])
@pytest.mark.parametrize("name", CASES)
def test_a_contradiction_is_a_finding(
    name: str, is_large: bool, form: dict[str, object], tmp_path: Path, monkeypatch
) -> None:
    if is_large:
        pytest.importorskip("numba")
        monkeypatch.setattr(verify, "WORTH_A_KERNEL", 0)
    path = tmp_path / "system.journal"
    locations = with_boots(path, CASES[name], **form)
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
def test_a_contradictory_boot_id_is_not_listed(name: str, tmp_path: Path) -> None:
    with_boots(tmp_path / "system.journal", CASES[name])
    done = run(tmp_path)
    boots = [line for line in done.stdout.splitlines() if " UTC  " in line]
    assert len(boots) == 2
    for number, (line, boot) in enumerate(zip(boots, (ONE, TWO), strict=True), -1):
        assert f"{number:>3}  {boot}" in line
        assert "3 entries" in line
    count = len(CASES[name])
    text = "1 entry contradicts its" if count == 1 else f"{count} entries contradict their"
    assert f"the boot id of {text} field _BOOT_ID; walproof verify lists them" in done.stdout


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


def test_an_entry_without_the_field_has_no_contradiction(tmp_path: Path) -> None:
    path = tmp_path / "system.journal"
    write_journal(path, ENTRIES)
    data = bytearray(path.read_bytes())
    place = data.index(b"_BOOT_ID=" + ONE.encode())
    data[place + 12] ^= 1  # the hash no longer fits: nothing tells what the boot was
    path.write_bytes(data)
    assert "in an ENTRY with" not in run("verify", path).stdout
    assert "contradict" not in run(tmp_path).stdout


@pytest.mark.parametrize("name", JOURNALS)
def test_real_journals_have_no_contradiction(name: str, tmp_path: Path) -> None:
    path = tmp_path / "system.journal"
    path.write_bytes(read_journal(name))
    assert "in an ENTRY with" not in run("verify", path).stdout
