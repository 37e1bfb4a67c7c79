"""The SQLite scanner agrees with the executable specification."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("numba")

from reference_impl.answer import collect
from reference_impl.formats import named
from tests.walproof.formats.sqlite_wal.logs import damage, make_log
from walproof.formats.sqlite_wal import scanner as sqlite_scanner
from walproof.log import Log
from walproof.scanners import scanner
from walproof.scanners.answers import answer
from walproof.scanners.model import Wanted

FORMAT = "sqlite-wal"
SCANNER = scanner(FORMAT)


def agree(path: Path, log: bytes) -> None:
    path.write_bytes(log)
    expected = collect(named(FORMAT).read(path, "recover", {}))
    assert answer(FORMAT, SCANNER.scan(Log(FORMAT, path), Wanted())) == expected


@pytest.fixture(params=[None, 1, 1200], ids=["plain", "slot", "two slots"])
def windows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit windows to a few slots, so that transactions cross window boundaries."""
    if request.param is not None:
        monkeypatch.setattr(sqlite_scanner, "MAX_BYTES", request.param)


@pytest.mark.usefixtures("windows")
def test_random_logs(tmp_path: Path) -> None:
    for seed in range(60):
        agree(tmp_path / "x-wal", make_log(random.Random(seed)))


@pytest.mark.usefixtures("windows")
def test_random_damage(tmp_path: Path) -> None:
    for seed in range(200):
        rng = random.Random(seed)
        agree(tmp_path / "x-wal", damage(rng, make_log(rng, 512)))


@pytest.mark.parametrize("page_size", [8192, 65536])
def test_large_pages(tmp_path: Path, page_size: int) -> None:
    for seed in range(6):
        rng = random.Random(seed)
        log = make_log(rng, page_size, 4)
        agree(tmp_path / "x-wal", log)
        agree(tmp_path / "x-wal", damage(rng, log))
