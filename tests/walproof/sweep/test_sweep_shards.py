"""Complete sweeps detect wrong readers, minimise findings and propose vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.subject import subject_of
from conformance.vectors import load, load_all
from tests.walproof.sweep.plans import OF_EACH, run_sweep, small_plan, wrong
from walproof.implementations import all_implementations
from walproof.sweep import findings, proposals, shard_runner
from walproof.sweep.minimise import descend, minimise
from walproof.sweep.programs import Program
from walproof.sweep.proposals import Proposer
from walproof.sweep.settings import WRITING

THREE = ("leveldb-log/three-records",)


@pytest.mark.parametrize("format", OF_EACH)
def test_specification_scanner_and_second_reader_agree(format: str) -> None:
    readers = [
        Program(each.name, subject_of(each, "walproof"), ("recover",))
        for each in all_implementations()
        if each.name in ("fast-scan", "kaitai-python") and format in each.formats
    ]
    plan, _ = small_plan(*readers, controls=OF_EACH[format], cases=600, contexts=True)
    result, found = run_sweep(plan)
    assert not found, [(finding.best.control, finding.best.text) for finding in found]
    assert result.cases > 250
    for name in ("reference", *(reader.name for reader in readers)):
        assert set(result.outcomes[name]) == {"agrees"} and result.outcomes[name].total() > 100


@pytest.mark.parametrize("format", OF_EACH)
def test_specification_appends_correctly_to_damaged_logs(format: str) -> None:
    plan, _ = small_plan(controls=OF_EACH[format], cases=120, contexts=True, profiles=WRITING)
    result, found = run_sweep(plan)
    assert not found, [(finding.best.control, finding.best.text) for finding in found]
    assert set(result.counts["profile"]) == {"write", "append"}
    assert result.cases - result.counts["operation"]["none"] > 40


def test_log_without_a_required_answer_is_void() -> None:
    """A case is void if a reader may only refuse its log.

    One flip makes the file sealed, and the key for the file is invalid.
    """
    plan, _ = small_plan(controls=("systemd-journal/no-seals-and-a-key-that-is-none",), cases=3000)
    result, found = run_sweep(plan)
    assert not found and result.skipped_cases["void"]


@pytest.mark.parametrize(
    ("name", "effect"),
    [
        ("ignores_checksums", "record-invented"),
        ("hides_damage", "silent"),
        ("stops_at_the_first_damage", "record-lost"),
        ("changes_the_log", "changes-the-log"),
    ],
)
def test_wrong_reader_is_detected_minimised_and_proposed(
    tmp_path: Path, name: str, effect: str
) -> None:
    controls = (*THREE, "leveldb-log/two-blocks") if effect == "record-lost" else THREE
    # The sample leaves out the smallest case, so that minimising has work to do.
    plan, enumerations = small_plan(wrong(name), controls=controls, cases=300 * len(controls) ** 2)
    matching = [f for f in run_sweep(plan)[1] if effect in f.signature.kind.split("+")]
    assert matching and {f.signature.implementation for f in matching} == {name}
    minimise(enumerations, matching, 30)
    findings.describe(enumerations, matching[0])
    assert matching[0].recipe is not None and len(matching[0].recipe.damage) <= 2
    Proposer(enumerations, load_all(), tmp_path).propose(matching[0])
    assert matching[0].proposal is not None
    if matching[0].proposal.endswith(".json"):
        vector = load(tmp_path / matching[0].proposal)
        assert vector.contents is not None  # reading the contents checks their digest
        assert vector.damage == list(matching[0].recipe.damage)


def test_finding_without_an_answer_has_no_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_answer(*arguments: object) -> object:
        raise ValueError("an invalid key")

    plan, enumerations = small_plan(wrong("hides_damage"), controls=THREE, cases=300)
    _, (finding, *_) = run_sweep(plan)
    findings.describe(enumerations, finding)
    monkeypatch.setattr(proposals, "answer_to", no_answer)
    Proposer(enumerations, {}, tmp_path).propose(finding)
    assert finding.proposal is None
    assert not (tmp_path / "proposals").exists()


def test_crashing_and_hanging_readers_do_not_stop_the_sweep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shard_runner, "MAX_FAILURES", 3)
    plan, _ = small_plan(
        wrong("crashes_on_damage"), wrong("hangs"), controls=THREE, wall_ms=300, cases=50
    )
    result, all_findings = run_sweep(plan)
    by_program = {f.signature.implementation: f for f in all_findings}
    assert by_program["crashes_on_damage"].signature.kind == "crash"
    assert result.outcomes["crashes_on_damage"]["crash"] == 3
    assert result.unsent["crashes_on_damage"]
    # The program hangs on the undamaged log, so the sweep sends it no damaged logs.
    assert "hangs" not in by_program and not result.outcomes["hangs"]
    assert result.fails["hangs"].keys() == {f"{THREE[0]} recover"}


def test_only_failed_controls_are_skipped() -> None:
    """A control with one record cannot be out of order, so its cases run."""
    one, two = "leveldb-log/one-record", "leveldb-log/fragments-in-two-blocks"
    plan, _ = small_plan(wrong("reorders_records"), controls=(one, two), cases=300)
    result, _ = run_sweep(plan)
    assert result.fails["reorders_records"].keys() == {f"{two} recover"}
    assert result.unsent["reorders_records"].total() > 50
    assert result.outcomes["reorders_records"].total() > 50


def test_descend_takes_the_first_simpler_candidate() -> None:
    tried: list[int] = []

    def half(case: int, candidate: int) -> int | None:
        tried.append(candidate)
        return candidate if candidate >= 3 else None

    assert descend(24, lambda case: [1, case // 2], half, lambda: False) == 3
    assert tried == [1, 12, 1, 6, 1, 3, 1, 1]
    assert descend(24, lambda case: [case // 2], half, lambda: True) == 24
