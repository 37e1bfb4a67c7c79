"""Logs with an overwritten start, and fragmented logs."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard

from reference_impl.answer import collect
from reference_impl.formats import named
from reference_impl.leveldb_log.layout import FULL, HEADER, masked_crc
from tests.walproof.carve.conftest import CHECKED, payloads

#: Formats in which a record that spans two fragments proves which fragment comes next.
JOINED = ("leveldb-log", "kahadb-journal", "zeebe-journal")


def survivors(log: bytes, format_id: str, start: int, tmp_path: Path) -> list[bytes]:
    """Return the payloads of records whose batch begins at an offset or later."""
    path = tmp_path / "whole.log"
    path.write_bytes(log)
    answer = collect(named(format_id).read(path, "recover", {}))
    return [
        record.payload
        for record in answer.records
        if record.fields.get("batch", record.at) >= start
    ]


@pytest.mark.parametrize("format_id", JOINED)
def test_records_after_an_overwritten_start(
    format_id: str, builder, log_of, carve, tmp_path: Path
) -> None:
    count = 300
    log = log_of(format_id, count)
    overwritten = 1536
    at = builder.put(builder.random.randbytes(overwritten) + log[overwritten:])
    result = carve(builder.save(tmp_path / "disk.img"))
    by_offset = {record["offset"] - at: record["payload"] for record in result.loose}
    for row in result.logs():
        for record in collect(
            named(format_id).read(result.folder / row["file"], "recover", {})
        ).records:
            by_offset[row["offset"] - at + record.at] = record.payload.hex()
    expected = survivors(log, format_id, overwritten, tmp_path)
    assert len(expected) > count // 2
    assert [by_offset[offset] for offset in sorted(by_offset)] == [
        record.hex() for record in expected
    ]
    assert {row["certainty"] for row in result.rows} == {"checksum"}


@pytest.mark.parametrize(
    "context", [{}, {"compact": False, "compression": "zstd"}, {"keyed": False}], ids=str
)
def test_entries_of_a_journal_without_header(
    context: dict[str, object], builder, log_of, carve, tmp_path: Path
) -> None:
    log = log_of("systemd-journal", 80, 40, **context)
    path = tmp_path / "whole.journal"
    path.write_bytes(log)
    records = collect(named("systemd-journal").read(path, "recover", {})).records
    overwritten = -(-records[5].at // 512) * 512
    builder.put(builder.random.randbytes(overwritten) + log[overwritten:])
    result = carve(builder.save(tmp_path / "disk.img"))
    by_number = {record["seqnum"]: record for record in result.loose if "seqnum" in record}
    late = [record for record in records if record.at >= overwritten + 2048]
    assert len(late) > 40
    for record in late:
        entry = by_number[record.fields["seqnum"]]
        assert entry["realtime"] == record.fields["realtime"]
        # The message of each entry is intact. Fields shared with an earlier entry may be
        # overwritten.
        present = [field for field in record.fields["fields"] if field in entry["fields"]]
        assert entry["fields"] == present and present[0][0] == "MESSAGE"
        assert ("missing" in entry) == (len(present) < len(record.fields["fields"]))
        assert "missing" in entry or "unchecked" not in entry


@pytest.mark.parametrize("format_id", JOINED)
def test_a_fragmented_log_is_joined(format_id: str, builder, log_of, carve, tmp_path: Path) -> None:
    log = log_of(format_id, 900)
    third = builder.put(log[20480:], 512)  # the last part comes first in the image
    first = builder.put(log[:2560], 512)
    builder.put(log_of(format_id, 100), 512)
    second = builder.put(log[2560:20480], 512)
    result = carve(builder.save(tmp_path / "disk.img"))
    (joined,) = result.logs(kind="joined")
    assert joined["parts"] == [
        [first, first + 2560], [second, second + 17920], [third, third + joined["length"] - 20480],
    ]  # fmt: skip
    assert (joined["records"], joined["verdict"]) == (900, "intact")
    assert payloads(result.folder / joined["file"], format_id) == survivors(
        log, format_id, 0, tmp_path
    )
    (after,) = [row["offset"] for row in result.rows if row.get("continues") == first]
    assert second <= after < second + 512
    assert third < next(row["offset"] for row in result.rows if row.get("continues") == after)


@pytest.mark.parametrize("format_id", JOINED)
def test_fragments_without_proof_are_not_joined(
    format_id: str, builder, log_of, carve, tmp_path: Path
) -> None:
    """Parts of two similar logs are not joined, because their split records do not match."""
    first, second = log_of(format_id, 200, 40), log_of(format_id, 200, 41)
    builder.put(first[:4096])
    builder.put(second[4096:])
    result = carve(builder.save(tmp_path / "disk.img"))
    assert len(result.rows) >= 2
    assert not any("continues" in row or row["kind"] == "joined" for row in result.rows)


@pytest.mark.parametrize("format_id", CHECKED)
def test_log_with_an_overwritten_end(
    format_id: str, builder, log_of, carve, tmp_path: Path
) -> None:
    log = log_of(format_id, 120)
    remaining = len(log) * 9 // 10 // 512 * 512
    at = builder.put(log[:remaining])
    result = carve(builder.save(tmp_path / "disk.img"))
    (row,) = result.logs()
    assert row["offset"] == at and row["length"] <= remaining + 4096
    assert row["records"] > 20
    expected = survivors(log, format_id, 0, tmp_path)
    assert payloads(result.folder / row["file"], format_id) == expected[: row["records"]]


@pytest.mark.parametrize("is_keyed", [True, False])
def test_objects_with_the_id_of_a_file_continue_it(
    is_keyed: bool, builder, log_of, carve, tmp_path: Path
) -> None:
    small = {"data_buckets": 13, "field_buckets": 13, "keyed": is_keyed}
    log = log_of("systemd-journal", 200, 40, file_id="11" * 16, **small)
    other_log = log_of("systemd-journal", 10, 40, file_id="22" * 16, **small)
    cut = 8192
    builder.put(other_log)
    at = builder.put(log[:cut])
    second = builder.put(log[cut:])
    result = carve(builder.save(tmp_path / "disk.img"))
    loose = [row for row in result.rows if row["kind"] == "loose"]
    assert loose and all(second <= row["offset"] < second + len(log) for row in loose)
    assert {row.get("continues") for row in loose} == ({at} if is_keyed else {None})


def test_ambiguous_file_id_is_no_continuation(builder, log_of, carve, tmp_path: Path) -> None:
    log = log_of("systemd-journal", 200, 40, data_buckets=13, field_buckets=13)
    builder.put(log)
    builder.put(log[:8192])
    builder.put(log[8192:])
    result = carve(builder.save(tmp_path / "disk.img"))
    assert [row["kind"] for row in result.rows].count("loose") > 0
    assert not any("continues" in row for row in result.rows)


def test_compressed_records_have_the_field_compression(builder, carve, tmp_path: Path) -> None:
    """With RocksDB's ``wal_compression``, the checksum of a record covers the compressed bytes."""
    records = []
    for number in range(20):
        payload = zstandard.compress(b"batch %d" % number) if number % 2 else b"plain %d" % number
        data = bytes([FULL]) + payload
        records.append(HEADER.pack(masked_crc(data), len(payload), FULL) + payload)
    builder.put(b"\xff" * 11 + b"".join(records))
    result = carve(builder.save(tmp_path / "disk.img"))
    fields = [(row["payload"][:8] == "28b52ffd", row.get("compression")) for row in result.loose]
    assert fields == [(False, None), (True, "zstd")] * 10
