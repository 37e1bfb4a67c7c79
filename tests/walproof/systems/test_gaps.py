"""Gaps in file numbers are found in time proportional to the number of files."""

from __future__ import annotations

import shutil
from pathlib import Path

from conformance import VECTORS
from walproof.systems import recognise


def test_a_store_with_two_distant_file_numbers(tmp_path: Path) -> None:
    vector = VECTORS / "kahadb-journal" / "a-sibling-among-the-files"
    for number in (1, 3, 2_000_000_000):
        shutil.copy(vector / "db-1.log", tmp_path / f"db-{number}.log")
    system = recognise(tmp_path)
    assert system is not None
    (finding,) = system.findings
    assert finding.text.startswith(
        "1999999997 of the journal's files are not there (db-2.log to db-1999999999.log):"
    )
