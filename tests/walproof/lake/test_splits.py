"""Small logs are packed into partitions of the size that Spark would use."""

from __future__ import annotations

import random

import pytest

from walproof.lake import splits
from walproof.lake.discovery import FoundLog
from walproof.lake.splits import Packing, Piece
from walproof.scanners.model import WHOLE


def pieces(sizes: list[int]) -> list[Piece]:
    return [Piece(FoundLog(str(n), size=size), WHOLE, size) for n, size in enumerate(sizes)]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        # Without logs, the split size is the cost of opening a file.
        ([], 1000),
        # The five slots share 10 × (100 + 1000) bytes, which include the costs of opening the logs.
        ([100] * 10, 2 * 1000 + 200),
        # The split size is at most maxPartitionBytes.
        ([10**9], 50_000),
        # The split size leaves enough partitions for all slots.
        ([60_000, 40_000], 20_400),
    ],
)
def test_split_size_is_sparks(
    sizes: list[int], expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splits, "OPEN_COST_BYTES", 1000)
    assert Packing(slots=5, max_bytes=50_000).target_bytes(sizes) == expected


def test_thousands_of_small_logs_share_partitions() -> None:
    packed = Packing(slots=2).pack(pieces([4096] * 5000), 32 << 20)
    assert len(packed) == 11
    assert sum(map(len, packed)) == 5000


@pytest.mark.parametrize("seed", range(20))
def test_packing_is_complete_and_fills_partitions(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splits, "OPEN_COST_BYTES", 50)
    rng = random.Random(seed)
    sizes = [rng.randrange(1, 2000) for _ in range(rng.randrange(1, 200))]
    packed = Packing(slots=2).pack(pieces(sizes), 1000)
    assert sorted(piece.log.path for part in packed for piece in part) == sorted(
        str(n) for n in range(len(sizes))
    )
    for part in packed:
        # Like Spark, the packing adds the cost of opening a file only after it has added the file.
        assert len(part) == 1 or sum(p.size + 50 for p in part[:-1]) + part[-1].size <= 1000
