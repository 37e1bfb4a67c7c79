"""Time and memory against the number of records, of real commands on small logs."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from walproof.bench import curve, curve_plot, tiles

LISTS = "import sys; size = len(open(sys.argv[1], 'rb').read()); "


def rows(code: str) -> list[curve.Row]:
    return curve.measure([1_000, 100_000], commands={"it": (sys.executable, "-c", code, "LOG")})


def test_what_grows_with_the_log_is_told() -> None:
    (flat,) = rows("pass")
    assert flat["is_straight"] and flat["is_flat"] and flat["records"] == [1_024, 100_352]
    (held,) = rows(LISTS + "held = bytearray(b'x') * (200 * size)")
    assert not held["is_flat"]
    assert held["peak_bytes"][1] > 200 * held["file_bytes"][1]


def test_a_bent_curve_is_told() -> None:
    steps = [{"records": 10, "seconds": 1.0}, {"records": 100, "seconds": 14.0}]
    assert not curve._is_straight(steps)
    steps[1]["seconds"] = 12.0
    assert curve._is_straight(steps)


def test_no_room_is_said_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiles.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 1})())
    with pytest.raises(OSError, match="no room for logs of"):
        rows("pass")


def test_the_plot_has_a_line_for_each_command() -> None:
    made = rows("pass")
    root = ElementTree.fromstring(curve_plot.svg(made))
    lines = root.findall(".//{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 2 * len(made)  # time, and memory
    assert "it" in "".join(root.itertext())
