"""Logs that etcd wrote are reproduced byte by byte, and a flipped bit loses at most one record.

``wal.Create``, ``Save`` and ``SaveSnapshot`` from two versions of
``go.etcd.io/etcd/server/v3/storage/wal`` wrote the logs in ``tests/data/etcd-wal``, with a small
``SegmentSizeBytes``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import ROOT
from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.etcd_wal import append, read, recognise, write

LOGS = ROOT / "tests" / "data" / "etcd-wal"
SIZES = {"3.6.16": 4096, "3.7.3": 1024}


def answer_to(path: Path) -> Answer:
    return collect(read(path, "recover", {}))


def new(answer: Answer) -> list[NewRecord]:
    return [NewRecord(record.payload, record.fields) for record in answer.records]


@pytest.mark.parametrize("version", SIZES)
def test_a_real_log_is_intact_and_written_byte_for_byte(version: str, tmp_path: Path) -> None:
    answer = answer_to(LOGS / version)
    assert (answer.verdict, answer.reason) == ("intact", None)
    copy = tmp_path / "wal"
    write(copy, new(answer), {"folder": True, "segment_size": SIZES[version]})
    real = {path.name: path.read_bytes() for path in (LOGS / version).iterdir()}
    assert {path.name: path.read_bytes() for path in copy.iterdir()} == real


def test_the_records_of_a_real_log() -> None:
    records = answer_to(LOGS / "3.6.16").records
    entries = [int(r.fields["index"]) for r in records if r.fields["record_type"] == "entry"]
    assert entries == sorted(entries) and set(entries) == set(range(1, 41))
    assert [r.fields for r in records if r.fields["record_type"] == "snapshot"] == [
        {"record_type": "snapshot", "index": "0", "term": "0"},
        {"record_type": "snapshot", "index": "20", "term": "2"},
    ]
    states = [r.fields for r in records if r.fields["record_type"] == "state"]
    assert (states[-1]["term"], states[-1]["commit"]) == ("2", "39")


def test_a_log_that_is_written_in_two_parts_has_the_same_bytes(tmp_path: Path) -> None:
    records = new(answer_to(LOGS / "3.6.16"))
    copy = tmp_path / "wal"
    context = {"folder": True, "segment_size": 4096}
    write(copy, records[:20], context)
    append(copy, records[20:], context)
    for path in (LOGS / "3.6.16").iterdir():
        assert (copy / path.name).read_bytes() == path.read_bytes()


def test_a_flipped_bit_costs_at_most_one_record(tmp_path: Path) -> None:
    name = "0000000000000000-0000000000000000.wal"
    data = (LOGS / "3.7.3" / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(data)
    true = [record.payload for record in answer_to(path).records]
    for bit in range(0, 8 * len(data), 3):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        answer = answer_to(path)
        found = [record.payload for record in answer.records]
        remaining = iter(true)
        assert all(payload in remaining for payload in found), bit
        assert len(found) >= len(true) - 1, bit
        assert len(found) == len(true) or answer.verdict == "damaged", bit


def test_a_folder_and_a_segment_are_recognised(tmp_path: Path) -> None:
    assert recognise(LOGS / "3.6.16")
    assert not recognise(tmp_path)
