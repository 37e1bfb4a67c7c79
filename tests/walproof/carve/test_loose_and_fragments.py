"""Logs of which the start is overwritten, or that lie in several places."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard

from reference_impl.answer import collect
from reference_impl.formats import named
from reference_impl.leveldb_log.layout import FULL, HEADER, masked_crc
from tests.walproof.carve.conftest import CHECKED, payloads

JOINED = ("leveldb-log", "kahadb-journal", "zeebe-journal")
"""Formats in which a record that is cut in two proves what continues what."""


def survivors(log: bytes, format_id: str, start: int, tmp_path: Path) -> list[bytes]:
    """The payloads of the records of a log that begin, with their batch, at an offset or later."""
    path = tmp_path / "whole.log"
    path.write_bytes(log)
    answer = collect(named(format_id).read(path, "recover", {}))
    return [one.payload for one in answer.records if one.fields.get("batch", one.at) >= start]


@pytest.mark.parametrize("format_id", JOINED)
@pytest.mark.parametrize("count", [60, 900])
def test_records_after_an_overwritten_start(
    format_id: str, count: int, builder, log_of, carve, tmp_path: Path
) -> None:
    log = log_of(format_id, count)
    gone = 1536
    at = builder.put(builder.random.randbytes(gone) + log[gone:])
    made = carve(builder.save(tmp_path / "disk.img"))
    found = {one["offset"] - at: one["payload"] for one in made.loose}
    for row in made.logs():
        for one in collect(named(format_id).read(made.folder / row["file"], "recover", {})).records:
            found[row["offset"] - at + one.at] = one.payload.hex()
    expected = survivors(log, format_id, gone, tmp_path)
    assert len(expected) > count // 2
    assert [found[place] for place in sorted(found)] == [one.hex() for one in expected]
    assert {row["certainty"] for row in made.rows} == {"checksum"}


@pytest.mark.parametrize(
    "context", [{}, {"compact": False}, {"keyed": False}, {"compression": "zstd"}], ids=str
)
def test_entries_of_a_journal_whose_header_is_gone(
    context: dict[str, object], builder, log_of, carve, tmp_path: Path
) -> None:
    log = log_of("systemd-journal", 80, 40, **context)
    path = tmp_path / "whole.journal"
    path.write_bytes(log)
    records = collect(named("systemd-journal").read(path, "recover", {})).records
    gone = -(-records[5].at // 512) * 512
    builder.put(builder.random.randbytes(gone) + log[gone:])
    made = carve(builder.save(tmp_path / "disk.img"))
    by_number = {one["seqnum"]: one for one in made.loose if "seqnum" in one}
    late = [one for one in records if one.at >= gone + 2048]
    assert len(late) > 40
    for one in late:
        found = by_number[one.fields["seqnum"]]
        assert found["realtime"] == one.fields["realtime"]
        # Its own message is here. What it shares with an earlier one may be gone.
        here = [field for field in one.fields["fields"] if field in found["fields"]]
        assert found["fields"] == here and here[0][0] == "MESSAGE"
        assert ("missing" in found) == (len(here) < len(one.fields["fields"]))
        assert "missing" in found or "unchecked" not in found


@pytest.mark.parametrize("format_id", JOINED)
@pytest.mark.parametrize("sector", [512, 4096])
def test_a_log_in_two_places_is_put_together(
    format_id: str, sector: int, builder, log_of, carve, tmp_path: Path
) -> None:
    log = log_of(format_id, 700)
    cut = 5 * sector
    other = builder.put(log[cut:], sector)  # the later part lies before the earlier one
    at = builder.put(log[:cut], sector)
    builder.put(log_of(format_id, 100), sector)
    made = carve(builder.save(tmp_path / "disk.img"))
    (joined,) = made.logs(kind="joined")
    assert joined["offset"] == at
    assert joined["parts"] == [[at, at + cut], [other, other + joined["length"] - cut]]
    assert (joined["records"], joined["verdict"]) == (700, "intact")
    assert payloads(made.folder / joined["file"], format_id) == survivors(
        log, format_id, 0, tmp_path
    )
    continued = [row for row in made.rows if row.get("continues") == at]
    assert len(continued) == 1 and other <= continued[0]["offset"] < other + sector


@pytest.mark.parametrize("format_id", JOINED)
def test_three_places(format_id: str, builder, log_of, carve, tmp_path: Path) -> None:
    log = log_of(format_id, 900)
    places = [builder.put(log[a:b]) for a, b in ((0, 8192), (8192, 20480), (20480, len(log)))]
    made = carve(builder.save(tmp_path / "disk.img"))
    (joined,) = made.logs(kind="joined")
    assert [part[0] for part in joined["parts"]] == places
    assert (joined["records"], joined["verdict"]) == (900, "intact")


@pytest.mark.parametrize("format_id", JOINED)
def test_nothing_is_guessed(format_id: str, builder, log_of, carve, tmp_path: Path) -> None:
    """Two parts of logs that are alike, of which no cut record fits: nothing is said."""
    first, second = log_of(format_id, 200, 40), log_of(format_id, 200, 41)
    builder.put(first[:4096])
    builder.put(second[4096:])
    made = carve(builder.save(tmp_path / "disk.img"))
    assert len(made.rows) >= 2
    assert not any("continues" in row or row["kind"] == "joined" for row in made.rows)


@pytest.mark.parametrize("format_id", CHECKED)
def test_a_log_whose_end_is_overwritten(
    format_id: str, builder, log_of, carve, tmp_path: Path
) -> None:
    log = log_of(format_id, 120)
    kept = len(log) * 9 // 10 // 512 * 512
    at = builder.put(log[:kept])
    made = carve(builder.save(tmp_path / "disk.img"))
    (row,) = made.logs()
    assert row["offset"] == at and row["length"] <= kept + 4096
    assert row["records"] > 20
    whole = survivors(log, format_id, 0, tmp_path)
    assert payloads(made.folder / row["file"], format_id) == whole[: row["records"]]


@pytest.mark.parametrize("is_keyed", [True, False])
def test_objects_that_have_the_id_of_a_file_continue_it(
    is_keyed: bool, builder, log_of, carve, tmp_path: Path
) -> None:
    small = {"data_buckets": 13, "field_buckets": 13, "keyed": is_keyed}
    log = log_of("systemd-journal", 200, 40, file_id="11" * 16, **small)
    other = log_of("systemd-journal", 10, 40, file_id="22" * 16, **small)
    cut = 8192
    builder.put(other)
    at = builder.put(log[:cut])
    place = builder.put(log[cut:])
    made = carve(builder.save(tmp_path / "disk.img"))
    loose = [row for row in made.rows if row["kind"] == "loose"]
    assert loose and all(place <= row["offset"] < place + len(log) for row in loose)
    assert {row.get("continues") for row in loose} == ({at} if is_keyed else {None})


def test_a_copy_of_a_file_has_its_id_too(builder, log_of, carve, tmp_path: Path) -> None:
    log = log_of("systemd-journal", 200, 40, data_buckets=13, field_buckets=13)
    builder.put(log)
    builder.put(log[:8192])
    builder.put(log[8192:])
    made = carve(builder.save(tmp_path / "disk.img"))
    assert [row["kind"] for row in made.rows].count("loose") > 0
    assert not any("continues" in row for row in made.rows)


def test_compressed_records_say_so(builder, carve, tmp_path: Path) -> None:
    """A log of RocksDB with ``wal_compression``: the checksum is that of the compressed bytes."""
    records = []
    for number in range(20):
        payload = zstandard.compress(b"batch %d" % number) if number % 2 else b"plain %d" % number
        data = bytes([FULL]) + payload
        records.append(HEADER.pack(masked_crc(data), len(payload), FULL) + payload)
    builder.put(b"\xff" * 11 + b"".join(records))
    made = carve(builder.save(tmp_path / "disk.img"))
    kinds = [(one["payload"][:8] == "28b52ffd", one.get("compression")) for one in made.loose]
    assert kinds == [(False, None), (True, "zstd")] * 10
