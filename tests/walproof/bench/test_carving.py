"""The benchmark of carving: what is measured is what is said."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from reference_impl.kahadb_journal.layout import HEADER
from reference_impl.systemd_journal.layout import SIGNATURE
from walproof.bench import carving, report


def test_the_image_is_the_same_each_time_and_holds_logs(tmp_path: Path) -> None:
    images = [tmp_path / "one", tmp_path / "other"]
    for image in images:
        carving.make(image, 9 << 20)
    assert images[0].read_bytes() == images[1].read_bytes()
    assert images[0].stat().st_size == 9 << 20


def test_the_peer_looks_for_the_signatures() -> None:
    expressions = [one.encode() for one in carving._expressions()]
    for signature in (HEADER, SIGNATURE, b"RLOG\x10\0\0\0\1\0\0\0"):
        assert any(re.search(one, b"x" + signature + b"x") for one in expressions)
    assert not any(re.search(one, b"nothing of that kind") for one in expressions)


def test_rows_have_the_speed_and_that_of_the_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("grep") is None:
        pytest.skip("grep not found")
    monkeypatch.setattr(carving, "FORMATS", {"kahadb-journal": None})
    rows = carving.measure(1 << 20, 1)
    assert [row["contender"] for row in rows] == [
        "walproof carve",
        "walproof carve --format kahadb-journal",
        "grep",
    ]
    for row in rows:
        assert row["mb_per_second"] == pytest.approx((1 << 20) / row["seconds"][0] / 1e6, rel=0.01)
        assert row["peer"] == "grep" and row["ratio_to_peer"] > 0
        is_peer = row["contender"] == "grep"
        assert len(row["start_seconds"]) == (0 if is_peer else 1)
        assert all(0 < start < 60 for start in row["start_seconds"])
    made = report.build([], [], 1, True, carving=rows)
    assert made["carving"] == rows
