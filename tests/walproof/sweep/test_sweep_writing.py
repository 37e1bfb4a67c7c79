"""Writes and appends in a sweep: defects of writers and of the specification's ``end``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click import UsageError
from click.testing import CliRunner, Result

from conformance import ROOT, cases
from conformance.contents import MAX_BYTES
from conformance.recipes.generate import answer_to
from conformance.vectors import load, load_all
from reference_impl.answer import End, Event, NewRecord
from reference_impl.formats import Format, named
from tests.walproof.sweep import plans
from tests.walproof.sweep.plans import (
    LEVELDB,
    OF_EACH,
    control,
    fails_undamaged,
    program,
    small_plan,
    wrong,
)
from walproof.cli import walproof
from walproof.sweep import effects, findings, invariants, proposals
from walproof.sweep.controls import control_of
from walproof.sweep.enumeration import Recipe
from walproof.sweep.findings import Finding
from walproof.sweep.minimise import minimise
from walproof.sweep.plan import Enumerations, Plan
from walproof.sweep.programs import Program
from walproof.sweep.proposals import Proposer
from walproof.sweep.settings import WRITING, Setting
from walproof.sweep.sweep_folder import SweepFolder
from walproof.sweep.writing import Writer


def run_sweep(
    folder: Path, *programs: Program, controls: Sequence[str] = LEVELDB, cases: int = 200
) -> tuple[Plan, Enumerations, list[Finding]]:
    plan, damages = small_plan(
        *programs, controls=controls, cases=cases, contexts=True, profiles=WRITING
    )
    return plan, damages, plans.run_sweep(plan, folder)


@pytest.mark.parametrize("format", OF_EACH)
def test_executable_specification_appends_correctly(format: str, tmp_path: Path) -> None:
    """The invariants hold, also for appends to damaged logs."""
    plan, _, all_findings = run_sweep(tmp_path, controls=OF_EACH[format], cases=120)
    assert not all_findings, [(finding.best.control, finding.best.text) for finding in all_findings]
    rows = pq.read_table(tmp_path / "sweep").to_pylist()
    assert {row["profile"] for row in rows} == {"write", "append"}
    damaged = [row for row in rows if row["profile"] == "append" and row["operation"] != "none"]
    assert len(damaged) > 40
    assert plan.coverage["appends"].planned + plan.coverage["writes"].planned == 120


def test_correct_writer_has_no_findings(tmp_path: Path) -> None:
    _, _, all_findings = run_sweep(tmp_path, wrong("breakable_writer", "write", "append"))
    assert not all_findings, [(finding.best.control, finding.best.text) for finding in all_findings]
    rows = pq.read_table(tmp_path / "sweep").to_pylist()
    assert {row["outcome_breakable_writer"] for row in rows} == {"agrees"}


@pytest.mark.parametrize(
    ("name", "effects"),
    [
        ("appends_behind_the_torn_tail", {effects.LOST}),
        ("never_refuses", {cases.NOT_REFUSED}),
        ("changes_the_log_while_refusing", {cases.CHANGED_WHILE_REFUSING}),
    ],
)
def test_wrong_writer_is_detected(name: str, effects: set[str], tmp_path: Path) -> None:
    _, damages, all_findings = run_sweep(tmp_path, wrong(name, "append"))
    assert effects <= {finding.signature.gravest for finding in all_findings}
    assert {finding.signature.profile for finding in all_findings} == {"append"}
    before = [finding.best.order for finding in all_findings]
    minimise(damages, all_findings[:3], 3)
    assert all(
        finding.best.order <= order for finding, order in zip(all_findings, before, strict=True)
    )
    # One defect gives few findings, one per state of the log.
    assert len(all_findings) <= 12


def test_bytes_ignored_by_readers_are_compared(tmp_path: Path) -> None:
    controls = ("leveldb-log/log-ends-before-its-trailer",)
    program = wrong("fills_the_trailer", "append")
    _, _, all_findings = run_sweep(tmp_path, program, controls=controls, cases=40)
    texts = [finding.best.text for finding in all_findings]
    texts += fails_undamaged(tmp_path, program.name).values()
    assert texts and all("bytes: " in text and "sha256" in text for text in texts)


@pytest.mark.parametrize("name", ["begins_a_new_block", "leaves_a_file_behind"])
def test_writer_that_fails_controls_gets_no_cases(name: str, tmp_path: Path) -> None:
    _, _, all_findings = run_sweep(tmp_path, wrong(name, "append"), cases=60)
    assert not all_findings
    assert fails_undamaged(tmp_path, name).keys() == {f"{id} append" for id in LEVELDB}


def test_proposal_reproduces_the_finding(tmp_path: Path) -> None:
    _, damages, all_findings = run_sweep(tmp_path, wrong("appends_behind_the_torn_tail", "append"))
    proposer = Proposer(damages, load_all(), SweepFolder(tmp_path))
    findings.describe(damages, all_findings[0])
    proposer.propose(all_findings[0])
    assert all_findings[0].proposal is not None
    file = tmp_path / all_findings[0].proposal
    vector = load(file)
    assert vector.operation == "append" and vector.contents
    compile(file.with_suffix(".py").read_text(), "recipe", "exec")
    vectors = ("--vector", str(file), "--profile", "append", "--report", str(tmp_path / "report"))
    assert command("check", "--impl", "executable-spec", *vectors).return_value == 0
    program = " ".join(wrong("appends_behind_the_torn_tail").subject.command)
    assert command("check", "--cmd", program, *vectors).return_value == 3


def test_recipe_of_a_write_has_no_numbers_of_the_control(tmp_path: Path) -> None:
    three = control_of(load_all()["leveldb-log/three-records"])
    (setting,) = [each for each in three.settings if each.profile == "write"]
    writer = Writer("leveldb-log", tmp_path)
    request = writer.request(three, setting, three.contents, [NewRecord(b"bravo")])
    body = {"title": "", "kind": "valid", "group": "writing", "requirements": []}
    text = proposals._recipe(Recipe((), ()), three, {**request.vector.body, **body})
    assert b"survivors=[b'bravo']" in text


NAMED = ("zmq-raft/name-of-its-own-index",)


def test_meaningful_file_name_is_preserved(tmp_path: Path) -> None:
    """The name of an index file contains its first index."""
    adapter = ROOT / "conformance" / "implementations" / "executable-spec" / "adapter.py"
    writer = program("spec", sys.executable, str(adapter), profiles=["append"])
    _, _, all_findings = run_sweep(tmp_path / "right", writer, controls=NAMED, cases=40)
    assert not all_findings, [finding.best.text for finding in all_findings]
    assert not fails_undamaged(tmp_path / "right", "spec")
    reader = program(
        "reader", sys.executable, str(Path(__file__).with_name("near_right.py")),
        "blames_a_byte_too_many",
    )  # fmt: skip
    plan, damages = small_plan(reader, controls=NAMED, cases=200)
    (*_, finding) = plans.run_sweep(plan, tmp_path / "wrong")
    findings.describe(damages, finding)
    Proposer(damages, load_all(), SweepFolder(tmp_path / "wrong")).propose(finding)
    assert finding.proposal is not None
    vector = load(tmp_path / "wrong" / finding.proposal)
    assert vector.neutral_name == vector.input.name == "0000000000001a.rlog"
    (step,) = cases.Case(vector, "recover").steps()
    correct = answer_to("zmq-raft", vector.contents, {}, name=vector.input.name).to_json()
    step.prepare(tmp_path / vector.neutral_name)
    reply = {"answer": correct}
    parts = ["records", "at", "index", "verdict", "end"]
    assert step.judge(reply, tmp_path / vector.neutral_name, parts).difference is None


def command(*arguments: str) -> Result:
    return CliRunner().invoke(walproof, arguments, standalone_mode=False)


def test_generated_records_are_reproducible(tmp_path: Path) -> None:
    for name in ("one", "two"):
        run_sweep(tmp_path / name, cases=60)
    rows = [pq.read_table(tmp_path / name / "sweep") for name in ("one", "two")]
    assert rows[0].column("fingerprint").equals(rows[1].column("fingerprint"))
    assert len(set(rows[0].column("fingerprint").to_pylist())) == len(rows[0])


def changed(format: Format, **verbs: Callable[..., Any]) -> Format:
    return replace(format, **verbs)


def end_at_the_size(format: Format) -> Callable[..., Iterator[Event]]:
    def read(path: Path, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
        for event in format.read(path, profile, context):
            torn = isinstance(event, End) and event.verdict == "torn"
            yield replace(event, end=path.stat().st_size) if torn else event  # type: ignore[arg-type]

    return read


def appended_at_the_size(path: Path, records: Sequence[NewRecord], context: object) -> None:
    fresh = path.with_name("fresh")
    named("leveldb-log").write(fresh, records, {})
    with path.open("ab") as log:
        log.write(fresh.read_bytes())
    fresh.unlink()


def half_written(path: Path, records: Sequence[NewRecord], context: object) -> None:
    path.write_bytes(path.read_bytes() + b"?")
    raise ValueError("too late")


LEVELDB_LOG = named("leveldb-log")
WHOLE = control("leveldb-log/three-records").contents
assert isinstance(WHOLE, bytes)
TORN, DAMAGED = WHOLE[:37], WHOLE[:20] + b"?" + WHOLE[21:]


@pytest.mark.parametrize(
    ("verbs", "data", "fault"),
    [
        ({}, TORN, None),
        ({"append": appended_at_the_size}, TORN, invariants.NOT_READ),
        ({"append": half_written}, TORN, invariants.CHANGED_REFUSING),
        ({"append": lambda path, records, context: None}, WHOLE, invariants.NOT_READ),
        (
            {"append": appended_at_the_size, "read": end_at_the_size(LEVELDB_LOG)},
            TORN,
            invariants.NOT_READ_AT_END,
        ),
        ({"append": appended_at_the_size}, DAMAGED, invariants.NO_END),
    ],
    ids=["right", "not cut", "half written", "does nothing", "end at the size", "no end"],
)
def test_defects_of_the_specification_writer_are_detected(
    verbs: Mapping[str, Any], data: bytes, fault: str | None, tmp_path: Path
) -> None:
    writer = Writer("leveldb-log", tmp_path)
    writer.format = changed(writer.format, **verbs)
    chosen = control("leveldb-log/three-records")
    request = writer.request(chosen, Setting("append", {}), data, [NewRecord(b"new")])
    assert (fault in request.faults) if fault else not request.faults


def test_result_above_the_size_limit_is_not_judged(tmp_path: Path) -> None:
    writer = Writer("leveldb-log", tmp_path)
    chosen = control("leveldb-log/three-records")
    assert writer.request(chosen, Setting("append", {}), WHOLE, [NewRecord(b"new")]).is_judged

    def grown(path: Path, records: Sequence[NewRecord], context: object) -> None:
        LEVELDB_LOG.append(path, records, {})
        path.with_name("large").write_bytes(b"")
        os.truncate(path.with_name("large"), MAX_BYTES)

    writer.format = changed(writer.format, append=grown)
    request = writer.request(chosen, Setting("append", {}), WHOLE, [NewRecord(b"new")])
    assert not request.is_judged


def test_profile_option_selects_cases(tmp_path: Path) -> None:
    arguments = ("sweep", "--format", "leveldb-log", "--control", "three-records", "--cases", "40",
             "--profile", "append", "--out", str(tmp_path))  # fmt: skip
    result = command(*arguments)
    assert result.return_value == 0, result.output
    assert "appends" in result.output and "writes" not in result.output
    reader = " ".join(wrong("breakable_reader").subject.command)
    failed = command(*arguments, "--cmd", reader)
    assert isinstance(failed.exception, UsageError)
    assert "no program supports append" in str(failed.exception)
