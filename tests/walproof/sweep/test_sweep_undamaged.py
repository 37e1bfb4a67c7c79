"""A failed undamaged control is reported once; its damaged copies are skipped."""

from __future__ import annotations

import sys
from pathlib import Path

from click.testing import CliRunner

from tests.walproof.sweep.plans import WRONG, fails_undamaged, small_plan, wrong
from walproof.cli import walproof
from walproof.sweep import findings
from walproof.sweep.programs import Program
from walproof.sweep.sweep_folder import SweepFolder, run_shards

CONTROLS = ("leveldb-log/one-record", "leveldb-log/fragments-in-two-blocks")


def run_sweep(folder: Path, program: Program) -> tuple[dict[str, str], int, int, int]:
    """Return failed controls and the numbers of skipped cases, findings and sent cases."""
    plan, _ = small_plan(program, controls=CONTROLS, cases=300)
    output = SweepFolder(folder)
    run_shards(plan, output, output.begin(plan, False))
    all_findings = findings.findings(findings.merged(output.markers()).values(), {})
    unsent = (marker["unsent"].get(program.name, {}) for marker in output.markers())
    skipped = sum(count for reasons in unsent for count in reasons.values())
    sent = sum(
        len(table.column(f"outcome_{program.name}").drop_null()) for table in output.tables()
    )
    return fails_undamaged(folder, program.name), skipped, len(all_findings), sent


def test_reader_that_fails_all_controls(tmp_path: Path) -> None:
    fails, skipped, finding_count, sent = run_sweep(tmp_path, wrong("duplicates_records"))
    assert set(fails) == {f"{id} recover" for id in CONTROLS}
    assert "expected 1, found 2" in fails[f"{CONTROLS[0]} recover"]
    assert skipped > 100 and finding_count == 0 and sent == 0


def test_reader_that_fails_one_control_is_reported(tmp_path: Path) -> None:
    """A control with one record cannot be out of order."""
    fails, skipped, _, sent = run_sweep(tmp_path, wrong("reorders_records"))
    assert set(fails) == {f"{CONTROLS[1]} recover"}
    assert skipped and sent


def test_failed_control_is_reported_and_exits_with_3(tmp_path: Path) -> None:
    command = f"{sys.executable} {WRONG / 'duplicates_records.py'}"
    arguments = ["sweep", "--format", "leveldb-log", "--control", "one-record", "--cases", "60",
             "--cmd", command, "--out", str(tmp_path)]  # fmt: skip
    result = CliRunner().invoke(walproof, arguments, standalone_mode=False)
    output = " ".join(result.output.split())
    assert (
        "duplicates_records.py fails 1 undamaged control: leveldb-log/one-record recover" in output
    )
    assert "cases: damaged copies of the failed controls" in output
    assert "No findings." in output
    assert result.return_value == 3
