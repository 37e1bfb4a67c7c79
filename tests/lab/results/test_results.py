"""The results page agrees with the vectors and with the lists of known failures."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from conformance.reports import json_report
from lab.__main__ import lab
from lab.results.command import FOLDER, PAGE, cause_rows, heading, is_real, page
from reference_impl.register import registers

VECTOR = "leveldb-log/one-record"


def report(actual: dict[str, Any] | None) -> dict[str, Any]:
    """Return a minimal report for the page, in which one real implementation has one result."""
    result = {"vector": VECTOR, "profile": "recover", "class": "fail",
              "expected": {"records": [{"payload": "61"}]}, "actual": actual}  # fmt: skip
    ran = {"name": "goleveldb", "version": "1.0", "status": "ran", "results": [result]}
    absent = {"name": "pebble", "status": "unavailable", "because": "go not found", "results": []}
    ours = {"name": "executable-spec", "version": "1", "status": "ran", "results": [result]}
    vectors = {VECTOR: {"format": "leveldb-log", "group": "framing", "control": None}}
    return {"implementations": [ran, absent, ours], "vectors": vectors}


@pytest.mark.parametrize(
    ("actual", "cells"),
    [
        ({"records": []}, "1 | – | –"),
        ({"records": [{"payload": "61"}, {"payload": "62"}]}, "– | 1 | –"),
        (None, "– | – | 1"),
    ],
)
def test_losses_inventions_and_silence_are_counted(actual, cells: str) -> None:
    text = page(report(actual))
    assert f"| goleveldb 1.0 | {cells} | – | – | – | – |" in text
    assert "| pebble | go not found |" in text
    assert "executable-spec" not in text


@pytest.mark.parametrize("format_id", registers())
def test_the_page_is_current(format_id: str) -> None:
    text = PAGE.read_text("utf-8")
    assert f"## {heading(format_id)}\n" in text, "write it again: python -m lab results"
    for row in cause_rows(format_id):
        assert f"{row}\n" in text, "write it again: python -m lab results"


def test_every_real_implementation_is_on_the_page() -> None:
    text = PAGE.read_text("utf-8")
    real = [path.name for path in FOLDER.iterdir() if is_real(path.name)]
    assert real and not [name for name in real if f"\n| {name} " not in text]


def test_a_missing_report_is_an_error(tmp_path) -> None:
    done = CliRunner().invoke(lab, ["results", "--run", str(tmp_path / "report.json")])
    assert done.exit_code == 1 and isinstance(done.exception, OSError | json_report.InvalidReport)
