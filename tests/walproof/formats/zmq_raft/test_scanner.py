"""Compare the bulk scanner of ``zmq-raft`` with the reference reader."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("numba")

from reference_impl.answer import Record, collect
from reference_impl.formats import named
from tests.walproof.formats.agreement import assert_parts_agree
from tests.walproof.formats.zmq_raft.damaged_logs import (
    index_file,
    make_directory,
    make_file,
)
from walproof.formats.zmq_raft import scanner as zmq_raft
from walproof.scan import scanner
from walproof.scan.answers import answer
from walproof.scan.log import Log
from walproof.scan.model import Records, Wanted
from walproof.scan.reference import ReferenceScanner

FORMAT = "zmq-raft"
SCANNER = scanner(FORMAT)
RAW = {"entries": "raw"}


def agree(log: Log) -> None:
    expected = collect(named(FORMAT).read(log.path, "recover", log.context))
    if any(int(each.fields.get("index", 0)) >= 2**64 for each in expected.records):
        return  # no column has room for that index
    assert answer(FORMAT, SCANNER.scan(log, Wanted())) == expected
    assert_parts_agree(FORMAT, log, expected)


@pytest.fixture(params=[False, True], ids=["plain", "small"])
def runs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the runs so small that all data crosses a boundary."""
    if request.param:
        monkeypatch.setattr(zmq_raft, "MAX_ROWS", 2)
        monkeypatch.setattr(zmq_raft, "MAX_BYTES", 60)


@pytest.mark.usefixtures("runs")
def test_random_files(tmp_path: Path) -> None:
    for seed in range(120):
        rng = random.Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        agree(Log(make_file(rng, folder), RAW if rng.random() < 0.1 else {}))


@pytest.mark.usefixtures("runs")
def test_random_directories(tmp_path: Path) -> None:
    for seed in range(120):
        rng = random.Random(seed)
        root = tmp_path / str(seed)
        root.mkdir()
        make_directory(rng, root)
        agree(Log(root, RAW if rng.random() < 0.1 else {}))


def test_more_entries_than_fit_in_a_run(tmp_path: Path) -> None:
    path = tmp_path / "00000000000001.rlog"
    path.write_bytes(index_file(random.Random(5), 1, 40_000, 1, 40_000))
    agree(Log(path))


def test_a_table_with_maximum_offsets(tmp_path: Path) -> None:
    """Offsets up to 2^32 - 1 in a file of a few kilobytes must not cause allocations."""
    path = tmp_path / "00000000000001.rlog"
    log = bytearray(index_file(random.Random(5), 1, 900, 1, 3))
    log[24 : 24 + 4 * 900] = b"\xff" * 3600
    path.write_bytes(log)
    agree(Log(path))


def test_an_index_beyond_64_bits_wraps_around(tmp_path: Path) -> None:
    """Both scanners wrap around: only the file name limits the first index."""
    path = tmp_path / "found.rlog"
    path.write_bytes(index_file(random.Random(3), 2**64 - 2, 4, 1, 4))
    for reader in (SCANNER, ReferenceScanner(FORMAT)):
        runs = [run for run in reader.scan(Log(path), Wanted()) if isinstance(run, Records)]
        numbers = [n for run in runs for n in run.fields["index"].to_pylist()]
        assert numbers == [2**64 - 2, 2**64 - 1, 0, 1]


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("context", [{}, RAW])
def test_payloads_are_cut(tmp_path: Path, context: dict[str, str]) -> None:
    path = tmp_path / "00000000000001.rlog"
    path.write_bytes(index_file(random.Random(9), 1, 40, 1, 40))
    events = named(FORMAT).read(path, "recover", context)
    expected = [each.payload for each in events if isinstance(each, Record)]
    results = [
        (payload, run.truncated is not None and bool(run.truncated[n]))
        for run in SCANNER.scan(Log(path, context), Wanted(max_payload=50))
        if isinstance(run, Records)
        for n, payload in enumerate(run.payload.to_pylist())
    ]
    assert results == [(payload[:50], len(payload) > 50) for payload in expected]


def test_only_wanted_columns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "00000000000001.rlog"
    path.write_bytes(index_file(random.Random(9), 1, 40, 1, 40))
    wanted = Wanted(payload=False, columns=frozenset({"term"}))
    runs = [run for run in SCANNER.scan(Log(path), wanted) if isinstance(run, Records)]
    assert runs and all(run.payload is None and list(run.fields) == ["term"] for run in runs)
