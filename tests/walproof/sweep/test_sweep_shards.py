"""Complete sweeps detect wrong readers, minimise findings and propose vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.checked_program import checked_implementation
from conformance.vectors import load, load_all
from tests.conformance.damage_replay import by_edits, by_operations
from tests.walproof.sweep.plans import OF_EACH, run_sweep, small_plan, wrong
from walproof.implementations import all_implementations
from walproof.sweep import findings, sweep_runner
from walproof.sweep.findings import VectorWriter, minimise
from walproof.sweep.plan import SweepProgram

THREE = ("leveldb-log/three-records",)


@pytest.mark.parametrize("format", OF_EACH)
def test_specification_scanner_and_second_reader_agree(format: str) -> None:
    readers = [
        SweepProgram(each.name, checked_implementation(each, "walproof"), ("recover",))
        for each in all_implementations()
        if each.name in ("fast-scan", "kaitai-python") and format in each.formats
    ]
    plan = small_plan(*readers, controls=OF_EACH[format], cases=600, contexts=True)
    result, found = run_sweep(plan)
    assert not found, [(finding.case, finding.text) for finding in found]
    assert result.cases > 250
    for name in ("reference", *(reader.name for reader in readers)):
        assert set(result.outcomes[name]) == {"agrees"} and result.outcomes[name].total() > 100


@pytest.mark.parametrize("format", OF_EACH)
def test_specification_appends_correctly_to_damaged_logs(format: str) -> None:
    plan = small_plan(controls=OF_EACH[format], cases=120, contexts=True, profiles=["append"])
    result, found = run_sweep(plan)
    assert not found, [(finding.case, finding.text) for finding in found]
    assert set(result.counts["profile"]) == {"append"}
    assert result.cases - result.counts["operation"]["none"] > 40


def test_log_without_a_required_answer_is_void() -> None:
    """A case is void if readers can do nothing but refuse its log.

    Here, one flip marks the file as sealed, and the key for the file is invalid.
    """
    plan = small_plan(controls=("systemd-journal/no-seals-and-a-key-that-is-none",), cases=3000)
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
    # The sample does not contain the smallest case, so the sweep has something to minimise.
    plan = small_plan(wrong(name), controls=controls, cases=300 * len(controls) ** 2)
    matching = [f for f in run_sweep(plan)[1] if f.effect.gravest == effect]
    assert matching and {f.effect.implementation for f in matching} == {name}
    minimise(plan, matching, 30)
    change = matching[0].case.change
    assert len(change.operations) <= 2
    file = VectorWriter(plan, load_all(), tmp_path).write(matching[0])
    assert file is not None
    vector = load(tmp_path / file)
    # Reading the contents verifies their digest.
    assert vector.contents is not None
    assert [each["op"] for each in vector.damage] == [each["op"] for each in change.operations]
    assert by_edits(vector, load_all()) == by_operations(vector, load_all()) == vector.contents


def test_finding_without_an_answer_has_no_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_answer(*arguments: object) -> object:
        raise ValueError("an invalid key")

    plan = small_plan(wrong("hides_damage"), controls=THREE, cases=300)
    (finding, *_) = run_sweep(plan)[1]
    monkeypatch.setattr(findings, "answer_to", no_answer)
    assert VectorWriter(plan, load_all(), tmp_path).write(finding) is None


def test_crashing_and_hanging_readers_do_not_stop_the_sweep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sweep_runner, "MAX_FAILURES", 3)
    plan = small_plan(
        wrong("crashes_on_damage"), wrong("hangs"), controls=THREE, wall_ms=300, cases=50
    )
    result, all_findings = run_sweep(plan)
    by_program = {f.effect.implementation: f for f in all_findings}
    assert by_program["crashes_on_damage"].effect.gravest == "crash"
    assert result.outcomes["crashes_on_damage"]["crash"] == 3
    assert result.unsent["crashes_on_damage"]
    # This program hangs on the undamaged log, so the sweep sends it no damaged logs.
    assert "hangs" not in by_program and not result.outcomes["hangs"]
    assert result.fails["hangs"].keys() == {f"{THREE[0]} recover"}


def test_only_failed_controls_are_skipped() -> None:
    """A single record cannot be out of order, so the cases of its control run."""
    one, two = "leveldb-log/one-record", "leveldb-log/fragments-in-two-blocks"
    plan = small_plan(wrong("reorders_records"), controls=(one, two), cases=300)
    result, _ = run_sweep(plan)
    assert result.fails["reorders_records"].keys() == {f"{two} recover"}
    assert result.unsent["reorders_records"].total() > 50
    assert result.outcomes["reorders_records"].total() > 50
