"""Two readers without shared code agree on the same files: see kaitai-python's README.md."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from conformance import ROOT
from reference_impl.answer import collect
from reference_impl.kahadb_journal import read
from reference_impl.kahadb_journal.layout import EOF_RECORD, HEADER
from reference_impl.kahadb_journal.writer import batch, record

sys.path.insert(0, str(ROOT / "conformance/implementations/kaitai-python"))
kahadb_journal = pytest.importorskip("kahadb_journal")


def sound(random_source: random.Random) -> bytearray:
    """Return a data file of a few batches, some with payloads that look like journals."""
    log = bytearray()
    for _ in range(random_source.randint(0, 7)):
        checked = random_source.random() < 0.6
        payloads = []
        for _ in range(random_source.randint(1, 3)):
            payload = random_source.choice(
                [b"", b"x" * random_source.randint(1, 40), bytes(random_source.randint(1, 9))]
            )
            if random_source.random() < 0.2:
                payload += batch(record(b"inner"), checked)
            payloads.append(payload + random_source.choice([b"", b"tail", EOF_RECORD, b"\0"]))
        log += batch(b"".join(map(record, payloads)), checked)
    log += random_source.choice([b"", EOF_RECORD, bytes(5), bytes(40), EOF_RECORD + bytes(60)])
    return log


def damaged(random_source: random.Random, log: bytearray) -> bytes:
    for _ in range(random_source.randint(0, 2)):
        at = random_source.randrange(len(log) + 1)
        end = min(len(log), at + random_source.randint(1, 50))
        kind = random_source.randrange(6)
        if kind == 0 and at < len(log):
            log[at] ^= 1 << random_source.randrange(8)
        elif kind == 1:
            del log[at:end]
        elif kind == 2:
            log[at:end] = bytes(end - at)
        elif kind == 3:
            log[at:at] = random_source.choice([b"x" * 9, EOF_RECORD, HEADER, bytes(28)])
        elif kind == 4:
            del log[at:]
        elif (header := log.find(HEADER, at)) >= 0:
            size = random_source.choice(
                [-1, 0, 1, 5, 2**31 - 33, 1000, random_source.randrange(99)]
            )
            log[header + 16 : header + 20] = size.to_bytes(4, "big", signed=True)
    return bytes(log)


@pytest.mark.parametrize("seed", range(40))
def test_both_readers_give_the_same_answer(tmp_path: Path, seed: int) -> None:
    random_source = random.Random(seed)
    path = tmp_path / "db-1.log"
    for _ in range(60):
        log = damaged(random_source, sound(random_source))
        path.write_bytes(log)
        for profile in ("recover", "strict"):
            ours = collect(read(path, profile, {})).to_json()
            theirs = kahadb_journal.read(path, {"profile": profile})
            assert theirs == ours, log.hex()
