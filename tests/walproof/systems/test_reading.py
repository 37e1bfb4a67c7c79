"""The scanner and the executable specification read the same from the logs of a system."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.formats import plugin_for
from walproof.summary import model as summary
from walproof.systems import reading, recognise
from walproof.systems.reading import read_log


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Create a database with two logs, of which the first is damaged."""
    for number in (3, 5):
        records = [NewRecord(struct.pack("<QI", n, 0) + bytes(3 * n), {}) for n in range(300)]
        named("leveldb-log").write(tmp_path / f"00000{number}.log", records, {})
    data = bytearray((tmp_path / "000003.log").read_bytes())
    data[9000] ^= 1
    (tmp_path / "000003.log").write_bytes(data)
    (tmp_path / "CURRENT").write_text("MANIFEST-000002\n")
    return tmp_path


def test_a_directory_is_read_by_the_scanner(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not plugin_for("leveldb-log").has_scanner:
        pytest.skip("unavailable, because numba is not installed")
    system = recognise(folder)
    assert system is not None
    expected = list(system.folder_type.read(system, "recover", {}))
    monkeypatch.setattr(summary, "WORTH_A_KERNEL", 0)
    monkeypatch.setattr(reading, "by_specification", None)  # must not be called
    assert list(system.folder_type.read(system, "recover", {}, read_log)) == expected
    assert len(expected) > 400


def test_only_the_specification_stops_at_the_first_damage(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summary, "WORTH_A_KERNEL", 0)
    log = folder / "000003.log"
    results = list(read_log("leveldb-log", log, "strict", {}))
    assert results == list(named("leveldb-log").read(log, "strict", {}))
