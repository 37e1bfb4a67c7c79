"""What is wrong about an undamaged control is told once, and nothing about its damages."""

from __future__ import annotations

import sys
from pathlib import Path

from click.testing import CliRunner

from tests.walproof.sweep.plans import WRONG, fails_undamaged, planned, wrong
from walproof.cli import walproof
from walproof.sweep import findings
from walproof.sweep.programs import Program
from walproof.sweep.sweep_folder import SweepFolder, run_shards

CONTROLS = ("leveldb-log/one-record", "leveldb-log/fragments-in-two-blocks")


def swept(folder: Path, program: Program) -> tuple[dict[str, str], int, int, int]:
    """What it fails, how many cases were left for it, its findings, and the cases it was asked."""
    plan, _ = planned(program, controls=CONTROLS, cases=300)
    output = SweepFolder(folder)
    run_shards(plan, output, output.begin(plan, False))
    found = findings.findings(findings.merged(output.markers()).values(), {})
    counts = [marker["counts"] for marker in output.markers()]
    left = sum(each.get("left", {}).get(program.name, 0) for each in counts)
    sent = sum(sum(each.get(f"sent {program.name}", {}).values()) for each in counts)
    return fails_undamaged(folder, program.name), left, len(found), sent


def test_all_controls_fail(tmp_path: Path) -> None:
    fails, left, found, asked = swept(tmp_path, wrong("duplicates_records"))
    assert set(fails) == {f"{one} recover" for one in CONTROLS}
    assert "expected 1, found 2" in fails[f"{CONTROLS[0]} recover"]
    assert left > 100 and found == 0 and asked == 0


def test_one_control_fails(tmp_path: Path) -> None:
    """Where there is only one record, no order is wrong."""
    fails, left, _, asked = swept(tmp_path, wrong("reorders_records"))
    assert set(fails) == {f"{CONTROLS[1]} recover"}
    assert left and asked


def test_no_control_fails(tmp_path: Path) -> None:
    fails, left, found, asked = swept(tmp_path, wrong("hides_damage"))
    assert not fails and not left and found and asked


def test_it_is_one_line_and_no_success(tmp_path: Path) -> None:
    command = f"{sys.executable} {WRONG / 'duplicates_records.py'}"
    words = ["sweep", "--format", "leveldb-log", "--control", "one-record", "--cases", "60",
             "--cmd", command, "--out", str(tmp_path)]  # fmt: skip
    done = CliRunner().invoke(walproof, words, standalone_mode=False)
    told = " ".join(done.output.split())
    assert "duplicates_records.py fails 1 undamaged control: leveldb-log/one-record recover" in told
    assert "Its answers on their damages are not counted" in told
    assert "No findings." in told
    assert done.return_value == 3
