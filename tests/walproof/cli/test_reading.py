"""The first records of a large log are read; the rest is only counted."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numpy")
pytest.importorskip("pyarrow")


from conformance import VECTORS
from conformance.text import PIECE, json_pieces, json_text
from reference_impl.answer import Record
from reference_impl.formats import FORMATS, named
from walproof import log as walproof_log
from walproof.cli.record_table import Passed, few, gather


def logs() -> list[tuple[str, Path]]:
    """Return some intact and some damaged logs of each format."""
    results = []
    for format_id in FORMATS:
        vectors = [
            each for each in sorted((VECTORS / format_id).iterdir()) if each.suffix != ".json"
        ]
        results += [(format_id, each) for each in vectors[:: len(vectors) // 12]]
    return results


@pytest.mark.parametrize("most", [0, 1, 3])
def test_counts_equal_those_of_the_specification(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walproof_log, "LARGE_LOG_BYTES", 0)
    passed = 0
    for format_id, log in logs():
        events = list(few(walproof_log.Log(format_id, log), most))
        passed += sum(each.count for each in events if isinstance(each, Passed))
        assert sum(isinstance(each, Record) for each in events) <= most
        short, whole = gather(events, most, most), gather(named(format_id).read(log, "recover", {}))
        assert short.record_count == whole.record_count, log
        assert (short.lost_count, short.lost_bytes) == (whole.lost_count, whole.lost_bytes), log
        assert (short.last, short.end) == (whole.last, whole.end), log
        first = list(whole.stored.records)[:most]
        assert list(short.stored.records) == first, log
    assert passed > 50


def test_json_is_written_in_bounded_pieces() -> None:
    value = {"fields": [["MESSAGE", f"{number}\u2028"] for number in range(20_000)]}
    created = list(json_pieces(value, 1))
    assert "".join(created) == json_text(value, 1)
    assert max(map(len, created)) < 2 * PIECE
    assert len(created) < 100
