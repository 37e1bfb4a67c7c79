"""The LevelDB scanner agrees with the executable specification, on parts and on random damage."""

from __future__ import annotations

import io
import random
import time
from pathlib import Path

import pytest

from reference_impl.answer import End, Record
from reference_impl.answer import Event as ReferenceEvent
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    HEADER,
    masked_crc,
)
from reference_impl.leveldb_log.reader import (
    read_stream as read,
)
from reference_impl.leveldb_log.writer import (
    Writer,
)
from tests.walproof.formats.agreement import one_by_one
from tests.walproof.formats.block_logs import SECTOR, InMemory, damage, random_size, small_windows
from walproof.formats.leveldb_log import scanner as leveldb_log
from walproof.log import Log
from walproof.scanners.model import WHOLE, Part, Records, Wanted


def scanned(log: Log, part: Part = WHOLE) -> list[ReferenceEvent]:
    return list(one_by_one("leveldb-log", leveldb_log.scan(log, Wanted(), part)))


def sound_log(rng: random.Random) -> bytearray:
    """Return a log with records of all sizes, some of which end just before a block boundary."""
    out = io.BytesIO()
    writer = Writer(out)
    for _ in range(rng.randrange(1, 60)):
        left = BLOCK_SIZE - writer.position % BLOCK_SIZE
        size = random_size(rng, max(0, left - 7 - rng.randrange(16)))
        writer.append(rng.randbytes(size))
        if rng.random() < 0.03:
            gap = rng.choice([left % SECTOR, SECTOR * rng.randrange(9), BLOCK_SIZE])
            writer._write(bytes(gap))
    return bytearray(out.getvalue())


def odd_record(rng: random.Random) -> bytes:
    """Return a valid physical record of any type."""
    data = rng.randbytes(rng.choice([0, 0, 1, 50, 5000]))
    kind = rng.choice([0, 1, 2, 3, 4, 5, 9, 200])
    return HEADER.pack(masked_crc(bytes([kind]) + data), len(data), kind) + data


def random_log(seed: int) -> bytes:
    rng = random.Random(seed)
    log = sound_log(rng)
    for _ in range(rng.choice([0, 1, 1, 2, 3, 6])):
        if rng.random() < 0.3 and log:
            # A valid record has the largest effect if it overwrites the start of another record.
            ats = [e.at for e in read(io.BytesIO(log)) if isinstance(e, Record)] or [0]
            at = rng.choice(ats)
            record = odd_record(rng)
            log[at : at + len(record)] = record
        else:
            damage(rng, log, odd_record)
    return bytes(log)


def differences(seed: int, steps: list[int]) -> list[str]:
    data = random_log(seed)
    expected = list(read(io.BytesIO(data)))
    log = InMemory("leveldb-log", data)
    results = scanned(log)
    wrong = [] if results == expected else [f"{seed}: whole"]
    cap = seed * 97 % 3000
    runs = [run for run in leveldb_log.scan(log, Wanted(max_payload=cap))
            if isinstance(run, Records)]  # fmt: skip
    payloads = [event.payload for event in expected if isinstance(event, Record)]
    if [data for run in runs for data in run.payload.to_pylist()] != [p[:cap] for p in payloads]:
        wrong.append(f"{seed}: payloads of at most {cap} bytes")
    of_parts = [event for event in expected if not isinstance(event, End)]
    if isinstance(expected[-1], End) and expected[-1].verdict == "refused":
        return wrong
    for step in steps:
        starts = range(0, max(1, len(data)), step * BLOCK_SIZE)
        parts = [Part(at, at + step * BLOCK_SIZE) for at in starts]
        parts[-1] = Part(parts[-1].start, None)
        scans = [scanned(log, part) for part in parts]
        together = [event for events in scans for event in events]
        if parts == [Part()]:
            together.pop()
        if in_order(together) != in_order(of_parts):
            wrong.append(f"{seed}: {step} blocks")
    return wrong


def in_order(events: list[ReferenceEvent]) -> list[ReferenceEvent]:
    return sorted(events, key=lambda e: e.at if isinstance(e, Record) else e.start)  # type: ignore[union-attr]


@pytest.mark.parametrize("seed", range(50))
def test_random_damage_whole_and_in_parts(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 2:
        small_windows(random.Random(seed), monkeypatch)
    assert differences(seed, [1, 2, 5]) == []


def test_a_log_of_another_dialect_is_not_split(tmp_path: Path) -> None:
    data = b"\x01" * 20
    foreign = HEADER.pack(masked_crc(b"\x05" + data), 16, 5) + data
    path = tmp_path / "000003.log"
    path.write_bytes(foreign + bytes(5 * BLOCK_SIZE))
    assert leveldb_log.plan(Log("leveldb-log", path), 1) == [Part()]
    assert list(leveldb_log.scan(Log("leveldb-log", path), Wanted())) == [
        End("refused", "foreign-dialect", None)
    ]


def test_a_part_may_be_long() -> None:
    """A long part takes no time. ``None in part`` would compare each number in the range."""
    began = time.process_time()
    assert not leveldb_log._SpecifiedBlocks().holds_of(range(1 << 28))
    assert time.process_time() - began < 1


@pytest.mark.parametrize("seed", range(20))
def test_the_writer_of_columns_writes_the_bytes_of_the_specification(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records begin and end at every distance from a block boundary, in runs of all lengths."""
    rng = random.Random(seed)
    small_windows(rng, monkeypatch)
    expected = io.BytesIO()
    writer = Writer(expected)
    for _ in range(rng.randrange(200)):
        left = BLOCK_SIZE - writer.position % BLOCK_SIZE
        writer.append(rng.randbytes(random_size(rng, max(0, left - 7 - rng.randrange(-9, 16)))))
    log = InMemory("leveldb-log", expected.getvalue())
    runs = [run for run in leveldb_log.scan(log, Wanted()) if isinstance(run, Records)]
    leveldb_log.write(tmp_path / "new.log", runs)
    assert (tmp_path / "new.log").read_bytes() == expected.getvalue()
