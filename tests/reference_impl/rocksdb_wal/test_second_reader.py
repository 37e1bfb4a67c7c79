"""Two readers that share no code say the same of the same logs: see kaitai-python's README.md."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from conformance import ROOT
from reference_impl.answer import Answer, collect
from reference_impl.rocksdb_wal import read
from tests.reference_impl.rocksdb_wal.damaged_logs import damaged, sound_log

sys.path.insert(0, str(ROOT / "conformance/implementations/kaitai-python"))
second = pytest.importorskip("rocksdb_wal")


def in_full(found: Answer) -> dict[str, object]:
    """The answer with whole payloads, as the second reader gives it."""
    records = [
        {"at": one.at, "size": one.size, **one.fields, "payload": one.payload.hex()}
        for one in found.records
    ]
    return {**found.to_json(), "records": records}


@pytest.mark.parametrize("profile", ["recover", "strict"])
@pytest.mark.parametrize("seed", range(150))
def test_damaged_logs(seed: int, profile: str, tmp_path: Path) -> None:
    chance = random.Random(seed)
    path = tmp_path / chance.choice(["000012.log", "copy.log"])
    path.write_bytes(damaged(chance, sound_log(chance).data))
    request = {"profile": profile, "context": {}}
    assert second.read(path, request) == in_full(collect(read(path, profile, {})))
