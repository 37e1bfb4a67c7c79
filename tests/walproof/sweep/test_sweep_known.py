"""Findings are recognised by the effect of known failures, and named after their cause."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from conformance.registry import Implementation
from conformance.vectors import load_all
from tests.walproof.sweep.plans import planned, wrong
from walproof.sweep import findings
from walproof.sweep.findings import Finding
from walproof.sweep.known import Known
from walproof.sweep.sweep_folder import SweepFolder, run_shards

THREE = ("leveldb-log/three-records",)


def listed(path: Path, *entries: tuple[str, str]) -> Implementation:
    """An implementation whose list has these vectors, each with a cause."""
    failures = [
        {"vector": vector, "profile": "recover", "result": "fail", "difference": "x", "cause": why}
        for vector, why in entries
    ]
    causes = {why: f"What is behind {why}." for _, why in entries}
    path.write_text(json.dumps({"causes": causes, "failures": failures}))
    found: Any = SimpleNamespace(name="hides_damage", known_failures=path)
    return cast(Implementation, found)


def swept(tmp_path: Path, *entries: tuple[str, str]) -> list[Finding]:
    plan, _ = planned(wrong("hides_damage"), controls=THREE, cases=600)
    folder = SweepFolder(tmp_path / "out")
    run_shards(plan, folder, folder.begin(plan, False))
    known = Known(listed(tmp_path / "known.json", *entries), load_all(), plan)
    return findings.findings(findings.merged(folder.markers()).values(), {"hides_damage": known})


def test_a_finding_has_the_cause_of_its_effect(tmp_path: Path) -> None:
    found = swept(
        tmp_path,
        ("leveldb-log/checksum-flipped-in-first-record", "in-silence"),
        ("leveldb-log/one-record", "not-failing-any-more"),
    )
    named = {one.signature.reason: one.cause for one in found}
    assert named["checksum-mismatch"] == ("in-silence", "What is behind in-silence.")
    assert named["bad-length"] is None  # the same silence about another fault
    # What is new comes before what is known.
    assert [one.cause is not None for one in found] == sorted(
        one.cause is not None for one in found
    )
