"""Intact logs in every dialect are read, copied and refused according to the chapter."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest

from reference_impl.answer import Answer, Lost, NewRecord, collect
from reference_impl.rocksdb_wal import copied, read, write
from reference_impl.rocksdb_wal.reader import read_stream
from tests.reference_impl.rocksdb_wal.sound_logs import NUMBER, sound_log

SEEDS = range(200)


def answer(log: bytes, profile: str = "recover", number: int | None = NUMBER) -> Answer:
    return collect(read_stream(io.BytesIO(log), profile, number))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_sound_log_gives_its_records(seed: int) -> None:
    log = sound_log(random.Random(seed))
    found = answer(log.data)
    assert found.verdict in ("intact", "torn")
    assert tuple(record.payload for record in found.records) == log.payloads
    assert found.end == log.end or not any(log.data[log.end :])
    assert answer(log.data, number=None) == found, "the first record tells the number"


@pytest.mark.parametrize("seed", SEEDS[:100])
def test_a_copy_has_the_same_records(seed: int, tmp_path: Path) -> None:
    log = sound_log(random.Random(seed))
    path = tmp_path / "000012.log"
    path.write_bytes(log.data)
    found = collect(read(path, "recover", {}))
    fields = ("sync_offset", "timestamp_sizes", "predecessor")
    new = [
        NewRecord(one.payload, {name: one.fields[name] for name in fields if name in one.fields})
        for one in found.records
    ]
    write(tmp_path / "copy", new, copied(path, {}))
    assert (tmp_path / "copy").read_bytes() == log.data[: log.end]


def test_lost_ranges_are_events() -> None:
    """A torn tail yields lost ranges that are marked as torn."""
    log = sound_log(random.Random(1)).data
    events = list(read_stream(io.BytesIO(log[:-1]), "recover", NUMBER))
    torn = [event.torn for event in events if isinstance(event, Lost)]
    assert torn == [True]


@pytest.mark.parametrize(
    ("context", "says"),
    [
        ({"headers": "wal-sync", "compression": "zstd"}, "compression"),
        ({"headers": "legacy", "closed": True}, "closed"),
    ],
)
def test_options_that_no_dialect_has_are_refused(
    context: dict[str, object], says: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=says):
        write(tmp_path / "log", [NewRecord(b"alpha")], context)
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize(
    ("headers", "fields"),
    [("recyclable", {"sync_offset": "5"}), ("wal-sync", {"timestamp_sizes": {"0": 8}})],
)
def test_fields_that_the_dialect_does_not_have_are_refused(
    headers: str, fields: dict[str, object], tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=headers):
        write(tmp_path / "log", [NewRecord(b"alpha", fields)], {"headers": headers})
