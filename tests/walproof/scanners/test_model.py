"""A run of records can be cut into pieces."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from walproof.scanners.model import PIECE_ROWS, Records


def run_of(count: int) -> Records:
    at = np.arange(count, dtype=np.int64)
    payload = pa.array([b"%d" % n for n in range(count)], pa.binary())
    return Records(at, at + 1, payload, {"n": pa.array(at)}, "000003.log", at % 3 == 0)


@pytest.mark.parametrize("count", [0, 1, PIECE_ROWS, PIECE_ROWS + 1, 2 * PIECE_ROWS + 7])
def test_pieces_of_a_run_cover_it(count: int) -> None:
    run = run_of(count)
    pieces = list(run.pieces())
    assert all(len(piece) <= PIECE_ROWS and piece.file == run.file for piece in pieces)
    assert [len(piece) for piece in pieces[:-1]] == [PIECE_ROWS] * (len(pieces) - 1)
    for name in ("at", "size", "truncated"):
        joined = np.concatenate([getattr(piece, name) for piece in pieces])
        assert np.array_equal(joined, getattr(run, name))
    assert pa.concat_arrays([piece.payload for piece in pieces]).equals(run.payload)
    assert pa.concat_arrays([piece.fields["n"] for piece in pieces]).equals(run.fields["n"])
