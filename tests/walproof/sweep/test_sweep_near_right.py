"""A sweep detects each almost correct reader with few findings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.walproof.sweep.plans import program, run_sweep, small_plan
from walproof.sweep import effects
from walproof.sweep.findings import minimise
from walproof.sweep.properties import SILENT_LOSS

ZEEBE = ("zeebe-journal/two-segments", "zeebe-journal/three-segments-flushed")
KAHADB = ("kahadb-journal/two-files", "kahadb-journal/number-with-zeros-in-front")


@pytest.mark.parametrize(
    ("name", "controls", "effect", "group"),
    [
        ("drops_empty_ranges_in_strict", ZEEBE, SILENT_LOSS, "strict"),
        ("reads_files_with_more_after_the_name", KAHADB, effects.EXTRA, "rename-file"),
        ("takes_the_flushed_index_for_the_next_one", ZEEBE, SILENT_LOSS, "last_flushed_index"),
    ],
)
def test_almost_correct_reader_is_detected(
    name: str, controls: tuple[str, ...], effect: str, group: str
) -> None:
    """Every finding includes ``group``, which is a profile, an operation or a context key."""
    command = (sys.executable, str(Path(__file__).with_name("near_right.py")), name)
    plan = small_plan(program(name, *command), controls=controls, cases=400, contexts=True)
    result, findings = run_sweep(plan)
    assert not result.fails
    assert {finding.effect.implementation for finding in findings} == {name}
    assert effect in {finding.effect.gravest for finding in findings}
    for finding in findings:
        damages = {text.partition(" of ")[0] for text in finding.by_damage}
        keys = {key for text in finding.by_varied_key for key in text.split(", ")}
        assert group in {*finding.by_profile, *damages, *keys} or damages == {"pair"}
    # One defect must cause only a few findings, although many cases show it.
    assert len(findings) <= 16
    before = findings[0].order
    minimise(plan, findings[:1], 5)
    assert findings[0].order <= before
