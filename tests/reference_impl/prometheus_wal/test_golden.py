"""Logs that Prometheus wrote are reproduced byte by byte, and a flipped bit loses at most a page.

``NewSize``, ``Log``, ``NextSegment``, ``Checkpoint`` and ``Truncate`` of
``github.com/prometheus/prometheus/tsdb/wlog`` 0.316.0 (Prometheus 3.16) wrote
``tests/data/prometheus-wal``, with records from ``tsdb/record``. The logs in ``server-*`` were
closed after 62 records and opened again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import ROOT
from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.prometheus_wal import append, read, recognise, write

LOGS = ROOT / "tests" / "data" / "prometheus-wal"
NAMES = ["checkpoint", "server-none", "server-snappy", "server-zstd", "small"]
BEFORE_THE_RESTART = 62


def answer_to(path: Path) -> Answer:
    return collect(read(path, "recover", {}))


def new(answer: Answer) -> list[NewRecord]:
    return [NewRecord(record.payload) for record in answer.records]


@pytest.mark.parametrize("name", NAMES)
def test_a_real_log_is_intact_and_recognised(name: str) -> None:
    answer = answer_to(LOGS / name)
    assert (answer.verdict, answer.reason) == ("intact", None)
    assert recognise(LOGS / name)
    assert all(recognise(path) for path in (LOGS / name).rglob("0*"))


@pytest.mark.parametrize("compression", ["none", "snappy"])
def test_a_real_log_is_written_byte_for_byte(compression: str, tmp_path: Path) -> None:
    """The last page of a run is padded only by ``Close``, which our writer does not imitate."""
    real = LOGS / f"server-{compression}"
    records = new(answer_to(real))
    copy = tmp_path / "wal"
    context = {"folder": True, "segment_size": 65536, "compression": compression}
    write(copy, records[:BEFORE_THE_RESTART], context)
    append(copy, records[BEFORE_THE_RESTART:], context)
    assert sorted(path.name for path in copy.iterdir()) == sorted(
        path.name for path in real.iterdir()
    )
    for path in real.iterdir():
        written = (copy / path.name).read_bytes()
        assert written.ljust(path.stat().st_size, b"\0") == path.read_bytes(), path.name


def test_the_same_records_in_each_compression() -> None:
    payloads = [
        [record.payload for record in answer_to(LOGS / f"server-{name}").records]
        for name in ("none", "snappy", "zstd")
    ]
    assert payloads[0] == payloads[1] == payloads[2]
    assert len(payloads[0]) == BEFORE_THE_RESTART + 7


def test_the_golden_frames() -> None:
    data = (LOGS / "small" / "00000000").read_bytes()
    frames = "010003cfc4ae1d666f6f 0100030ab71331626172 01000000000000 0100049c1af10f78787878"
    assert data == bytes.fromhex(frames).ljust(32768, b"\0")


def test_a_checkpoint_comes_first() -> None:
    records = answer_to(LOGS / "checkpoint").records
    files = [record.file for record in records]
    assert files == sorted(files, reverse=True)
    assert set(files) == {"checkpoint.00000001/00000000", "00000002"}
    # A record of type 14 contains the time before which samples were dropped.
    assert records[0].payload[0] == 14


def test_a_flipped_bit_costs_at_most_the_rest_of_its_page(tmp_path: Path) -> None:
    data = (LOGS / "server-none" / "00000000").read_bytes()
    path = tmp_path / "00000000"
    path.write_bytes(data)
    true = answer_to(path).records
    for bit in range(0, 8 * len(data), 97):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        answer = answer_to(path)
        before = [record for record in true if record.at + record.size <= bit // 8]
        assert list(answer.records[: len(before)]) == before, bit
        payloads = [record.payload for record in true]
        remaining = iter(payloads)
        assert all(record.payload in remaining for record in answer.records), bit
        is_silent = [record.payload for record in answer.records] == payloads
        assert is_silent or answer.verdict == "damaged", bit
