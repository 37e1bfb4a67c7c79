"""The invariants of every log after any damage (spec/conventions.md, "Invariants")."""

from __future__ import annotations

import io
import itertools
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from reference_impl.answer import Answer, Lost, NewRecord, Record, collect
from reference_impl.rocksdb_wal import append, copied, read, write
from reference_impl.rocksdb_wal.reader import read_stream
from tests.reference_impl.rocksdb_wal.damaged_logs import NUMBER, damaged, sound_log

SEEDS = range(400)


def answer(log: bytes, profile: str = "recover", number: int | None = NUMBER) -> Answer:
    return collect(read_stream(io.BytesIO(log), profile, number))


def ranges(found: Answer) -> list[tuple[int, int]]:
    spans = [(one.at, one.at + one.size) for one in found.records]
    return sorted(spans + [(one.start, one.end) for one in found.lost])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_sound_log_gives_its_records(seed: int) -> None:
    log = sound_log(random.Random(seed))
    found = answer(log.data)
    assert found.verdict in ("intact", "torn")
    assert tuple(record.payload for record in found.records) == log.payloads
    assert found.end == log.end or not any(log.data[log.end :])
    assert answer(log.data, number=None) == found, "the first record tells the number"


@pytest.mark.parametrize("seed", SEEDS)
def test_every_prefix_is_torn_at_most(seed: int) -> None:
    chance = random.Random(seed)
    log = sound_log(chance)
    for length in [chance.randrange(log.end + 1) for _ in range(12)]:
        found = answer(log.data[:length])
        payloads = [record.payload for record in found.records]
        assert found.verdict in ("intact", "torn"), length
        assert payloads == list(log.payloads[: len(payloads)])


@pytest.mark.parametrize("seed", SEEDS)
def test_answers_to_damaged_logs(seed: int) -> None:
    chance = random.Random(seed)
    log = damaged(chance, sound_log(chance).data)
    found = answer(log)
    spans = ranges(found)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
    assert all(0 <= start < stop <= len(log) for start, stop in spans)
    assert (found.verdict in ("intact", "refused")) == (not found.lost)
    if found.end is not None:
        assert answer(log[: found.end]).records == found.records
    strict = answer(log, "strict")
    if found.verdict == "damaged":
        assert strict.end is None and len(strict.lost) == 1
        assert strict.records == found.records[: len(strict.records)]
    else:
        assert strict == found


@pytest.mark.parametrize("seed", SEEDS[:150])
def test_flipped_bits_never_invent_a_record(seed: int) -> None:
    chance = random.Random(seed)
    log = sound_log(chance)
    data = bytearray(log.data)
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    left = list(log.payloads)
    for record in answer(bytes(data)).records:
        assert record.payload in left
        left = left[left.index(record.payload) + 1 :]


@pytest.mark.parametrize("seed", SEEDS[:150])
def test_what_is_appended_is_read(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    log = damaged(chance, sound_log(chance).data)
    path = tmp_path / "000012.log"
    path.write_bytes(log)
    before = collect(read(path, "recover", {}))
    new = [NewRecord(b"appended"), NewRecord(b""), NewRecord(b"x" * 40_000)]
    if before.end is None:
        with pytest.raises(ValueError, match="start a new file"):
            append(path, new, {})
        assert path.read_bytes() == log
        return
    append(path, new, {})
    after = collect(read(path, "recover", {}))
    assert after.records[: len(before.records)] == before.records
    assert payloads_of(after.records[len(before.records) :]) == [one.payload for one in new]
    assert [one for one in after.lost if one.torn] == []


def payloads_of(records: Sequence[Record]) -> list[bytes]:
    return [record.payload for record in records]


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
    """A torn tail is marked as such, and damage is not."""
    log = sound_log(random.Random(1)).data
    events = list(read_stream(io.BytesIO(log[:-1]), "recover", NUMBER))
    torn = [event.torn for event in events if isinstance(event, Lost)]
    assert torn == [True] * len(torn)


@pytest.mark.parametrize(
    ("context", "says"),
    [
        ({"headers": "wal-sync", "compression": "zstd"}, "compression"),
        ({"headers": "legacy", "closed": True}, "closed"),
    ],
)
def test_what_no_dialect_has_is_refused(
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
