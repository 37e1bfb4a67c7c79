"""A finding with the effect of a known failure gets the cause of this failure."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from conformance.registry import Implementation
from conformance.vectors import load_all
from tests.walproof.sweep import plans
from tests.walproof.sweep.plans import small_plan, wrong
from walproof.sweep import findings
from walproof.sweep.findings import Finding
from walproof.sweep.known import Known

THREE = ("leveldb-log/three-records",)


def listed(path: Path, *entries: tuple[str, str]) -> Implementation:
    """Return an implementation with these known failures, each a vector and its cause."""
    failures = [
        {"vector": vector, "profile": "recover", "result": "fail", "difference": "x", "cause": why}
        for vector, why in entries
    ]
    causes = {why: f"What is behind {why}." for _, why in entries}
    path.write_text(json.dumps({"causes": causes, "failures": failures}))
    implementation: Any = SimpleNamespace(name="hides_damage", known_failures=path)
    return cast(Implementation, implementation)


def run_sweep(tmp_path: Path, *entries: tuple[str, str]) -> list[Finding]:
    plan, _ = small_plan(wrong("hides_damage"), controls=THREE, cases=600)
    result, _ = plans.run_sweep(plan)
    known_failures = Known(listed(tmp_path / "known.json", *entries), load_all(), plan)
    return findings.findings(result.occurrences.values(), {"hides_damage": known_failures})


def test_finding_gets_the_cause_of_the_known_failure(tmp_path: Path) -> None:
    all_findings = run_sweep(
        tmp_path,
        ("leveldb-log/checksum-flipped-in-first-record", "in-silence"),
        ("leveldb-log/one-record", "not-failing-any-more"),
    )
    causes = {finding.signature.reason: finding.cause for finding in all_findings}
    assert causes["checksum-mismatch"] == ("in-silence", "What is behind in-silence.")
    assert causes["bad-length"] is None  # the same effect, but for a different fault
    # New findings must come before known ones.
    assert [finding.cause is not None for finding in all_findings] == sorted(
        finding.cause is not None for finding in all_findings
    )
