"""The scripts of the page, evaluated by Node.js and in a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from conformance.kaitai.compile import _node
from walproof.inspection.inspection import Inspection
from walproof.inspection.page import render
from walproof.inspection.page_data import page_data

pytestmark = pytest.mark.slow

OpenLog = Callable[[bytes], Inspection]

TEMPLATES = Path(__file__).parents[3] / "walproof" / "inspection" / "templates"
_DOCUMENT = """
const document = { getElementById: () => ({ textContent: JSON.stringify(INPUT) }) };
"""
_LAY_OUT = """
const grid = (perRow, open) => {
  const bytes = Object.create(Bytes.prototype);
  Object.assign(bytes, { perRow, open: new Set(open), rows: { reset() {} } });
  bytes.layOut();
  return bytes;
};
"""


def evaluate(data: dict[str, Any], expression: str) -> Any:
    """Return the value of an expression after the scripts that need no browser."""
    scripts = [(TEMPLATES / name).read_text(encoding="utf-8") for name in ("log.js", "bytes.js")]
    program = "\n".join(
        [
            '"use strict";',
            f"const INPUT = {json.dumps(data)};",
            _DOCUMENT,
            *scripts,
            _LAY_OUT,
            f"process.stdout.write(JSON.stringify({expression}));",
        ]
    )
    done = subprocess.run(
        [*_node(), "-"], input=program, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def data(open_log: OpenLog, damaged: bytes) -> dict[str, Any]:
    return page_data(open_log(damaged), 0, len(damaged), None)


def test_fields_by_path_and_by_offset(data: dict[str, Any]) -> None:
    result = evaluate(
        data,
        """{
          paths: F.name.map((_, i) => fieldAt(path(i)) === i),
          missing: [fieldAt("blocks[0].records[9]"), fieldAt("blocks"), fieldAt("")],
          leaves: [0, 6, 7, 11, 12, 40051].map((at) => path(leafAt(at))),
          outside: leafAt(40052),
          bytes: [byteAt(0), byteAt(7), byteAt(40051), byteAt(40052)],
          parts: [fieldAt("blocks[0].records[0].header")].map((i) => LAST_INSIDE[i] - i),
        }""",
    )
    assert all(result["paths"])
    assert result["missing"] == [-1, -1, -1]
    assert result["leaves"] == [
        "blocks[0].records[0].header.checksum",
        "blocks[0].records[0].header.type",
        "blocks[0].records[0].data",
        "blocks[0].records[0].data",
        "blocks[0].records[1].header.checksum",
        "blocks[1].records[1].data",
    ]
    assert result["outside"] == -1
    assert result["bytes"] == [0x3A, ord("a"), ord("e"), -1]
    assert result["parts"] == [3]


def test_records_and_lost_ranges_of_fields(data: dict[str, Any]) -> None:
    result = evaluate(
        data,
        """["blocks[0].records[0]", "blocks[0].records[1]",
            "blocks[1]", "blocks[1].records[1].data"]
        .map((p) => fieldAt(p)).map((i) => [recordOf(i), (lostOf(i) || {}).reason || null])""",
    )
    assert result == [[0, None], [-1, "checksum-mismatch"], [-1, None], [1, None]]


def test_values_as_short_text(data: dict[str, Any]) -> None:
    result = evaluate(
        data,
        """["blocks[0].records[0].data", "blocks[1].records[0].data", "blocks[0].trailer",
            "blocks[0].records[0].header.type"].map((p) => valueText(fieldAt(p), 8))""",
    )
    assert result == ['5 bytes  "alpha"', '7263 bytes  "dddddddd"…', "empty", "full (1)"]


def test_grid_has_each_byte_once_and_folds_long_data(data: dict[str, Any], damaged: bytes) -> None:
    result = evaluate(
        data,
        """[4, 32].flatMap((perRow) => [grid(perRow, []), grid(perRow, LEAVES)].map((g) => ({
          segments: g.segments,
          total: g.total,
          places: [0, 11, 12, 24, 150, 32767, 32768, 40051].map((at) => {
            const row = g.rowOf(at);
            const first = g.offsetOf(row);
            return g.segmentOfRow(row).kind === "fold" || [first <= at, at < first + perRow];
          }),
        })))""",
    )
    for grid, folds in zip(result, (2, 0, 2, 0), strict=True):
        shown = [s for s in grid["segments"] if s["kind"] in ("bytes", "fold")]
        assert shown[0]["from"] == 0 and shown[-1]["to"] == len(damaged)
        for segment, following in pairwise(shown):
            assert segment["to"] == following["from"]
        assert sum(s["kind"] == "fold" for s in shown) == folds
        marks = [(s["kind"], s["from"]) for s in grid["segments"] if s["kind"] in ("lost", "end")]
        assert marks == [("lost", 12), ("lost", 32768), ("end", 40052)]
        assert all(check is True or check == [True, True] for check in grid["places"])
    assert result[2]["total"] < 300


def test_browser_shows_the_field_in_the_url(
    open_log: OpenLog, damaged: bytes, tmp_path: Path
) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("needs Chromium on PATH")
    page = tmp_path / "map.html"
    page.write_text(render(page_data(open_log(damaged), 0, len(damaged), None)), encoding="utf-8")
    done = subprocess.run(
        [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom",
            f"{page.as_uri()}#field=blocks[0].records[1].header.checksum",
        ],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    drawn = done.stdout
    assert "9c 33 c8 bd" in drawn
    assert 'class="run c1 in-lost kept" data-field="9">9c 33 c8 bd</span>' in drawn
    assert "lost with [12, 32768): checksum-mismatch" in drawn
    assert "Why checksum-mismatch" in drawn
    assert "32480 bytes of blocks[0].records[2].data" in drawn
