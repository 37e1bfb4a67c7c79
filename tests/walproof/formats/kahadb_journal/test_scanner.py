"""Compare the bulk scanner of ``kahadb-journal`` with the reference reader."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("numba")

from reference_impl.answer import Lost, collect
from reference_impl.formats import named
from tests.walproof.formats.agreement import assert_parts_agree
from tests.walproof.formats.kahadb_journal.damaged_logs import (
    EOF,
    HEADER,
    batch,
    random_log,
    record,
)
from walproof.formats.kahadb_journal import scanner as kahadb_journal
from walproof.scan import scanner, walk, window
from walproof.scan.answers import answer
from walproof.scan.log import Log
from walproof.scan.model import Records, Wanted

FORMAT = "kahadb-journal"
SCANNER = scanner(FORMAT)


def agree(path: Path) -> None:
    log = Log(path)
    expected = collect(named(FORMAT).read(path, "recover", {}))
    assert answer(FORMAT, SCANNER.scan(log, Wanted())) == expected
    assert_parts_agree(FORMAT, log, expected)


@pytest.fixture(params=[None, 40, 500], ids=["plain", "tiny", "small"])
def windows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use buffers so small that all data crosses a buffer boundary."""
    if request.param is not None:
        monkeypatch.setattr(window, "WINDOW_BYTES", 64)
        monkeypatch.setattr(window, "PASSING_BYTES", 64)
        monkeypatch.setattr(window.Window.__init__, "__defaults__", (64,))
        monkeypatch.setattr(kahadb_journal._Walk, "max_held_bytes", request.param)
        monkeypatch.setattr(walk, "MAX_BYTES", 100)


@pytest.mark.usefixtures("windows")
def test_random_damage(tmp_path: Path) -> None:
    for seed in range(200):
        path = tmp_path / "db-1.log"
        path.write_bytes(random_log(random.Random(seed)))
        agree(path)


@pytest.mark.usefixtures("windows")
def test_random_directories(tmp_path: Path) -> None:
    names = ["db-1.log", "db-2.log", "db-10.log", "db-01.log", "db-x.log"]
    for seed in range(40):
        rng = random.Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        for name in rng.sample(names, rng.randrange(5)):
            unused = EOF + bytes(100)
            log = unused if rng.random() < 0.2 else random_log(rng)
            (folder / name).write_bytes((b"J.IO" if rng.random() < 0.1 else b"") + log)
        agree(folder)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([HEADER, EOF, bytes(5), b"\0\0\0\x05\x01", bytes(12), b"\xff"])))
def test_pieces_of_a_journal(tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]) -> None:
    path = tmp_path_factory.mktemp("log") / "db-1.log"
    path.write_bytes(b"".join(pieces))
    agree(path)


def sound(count: int, size: int) -> bytes:
    rng = random.Random(1)
    return b"".join(batch(record(rng.randbytes(size))) for _ in range(count)) + EOF


def test_a_batch_and_a_record_larger_than_the_buffer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kahadb_journal._Walk, "max_held_bytes", 1 << 20)
    path = tmp_path / "db-1.log"
    many = b"".join(record(bytes([n % 251]) * 3000) for n in range(1000))
    path.write_bytes(batch(many) + batch(record(b"x" * (3 << 20))) + batch(record(b"last")) + EOF)
    agree(path)


def runs(path: Path, wanted: Wanted) -> Iterator[Records]:
    for event in SCANNER.scan(Log(path), wanted):
        if isinstance(event, Records):
            yield event


def test_payloads_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kahadb_journal._Walk, "max_held_bytes", 1 << 16)
    path = tmp_path / "db-1.log"
    payloads = [b"short", b"y" * 2000, b"\x01\x02ab", b"z" * 100_000]
    path.write_bytes(batch(b"".join(map(record, payloads))))
    results = [
        (bytes(payload), bool(run.truncated is not None and run.truncated[n]))
        for run in runs(path, Wanted(max_payload=1000))
        for n, payload in enumerate(run.payload.to_pylist())
    ]
    assert results == [(payload[:1000], len(payload) > 1000) for payload in payloads]


def test_only_wanted_columns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "db-1.log"
    path.write_bytes(sound(3, 10))
    (run,) = runs(path, Wanted(payload=False, columns=frozenset({"batch"})))
    assert run.payload is None and list(run.fields) == ["batch"]
    assert run.fields["batch"].to_pylist() == [0, 43, 86]


def test_a_file_that_shrinks_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "db-1.log"
    path.write_bytes(sound(3000, 9000))
    with pytest.raises(OSError, match="expected"):
        for _ in SCANNER.scan(Log(path), Wanted()):
            os.truncate(path, 10_000_000)


@pytest.mark.parametrize("checksum", [0, 77])
def test_batches_that_all_claim_the_rest_take_linear_time(tmp_path: Path, checksum: int) -> None:
    path = tmp_path / "db-1.log"
    sizes = [33 * left - 25 for left in range(4000, 0, -1)]
    log = b"".join(batch(record(b""), checksum, size) for size in sizes)
    path.write_bytes(log + b"garbage at the end")
    started = time.process_time()
    lost = [event for event in SCANNER.scan(Log(path), Wanted()) if isinstance(event, Lost)]
    assert time.process_time() - started < 10
    assert len(lost) == len(sizes)
