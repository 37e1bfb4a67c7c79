"""Sweeps of writes and appends find defects of writers and of the specification's ``end``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from click.testing import Result as CommandResult

from conformance import ROOT, cases
from conformance.contents import MAX_BYTES
from conformance.vectors import Vector, load, load_all
from reference_impl.answer import End, Event, NewRecord
from reference_impl.formats import Format, named
from tests.walproof.sweep import plans
from tests.walproof.sweep.plans import LEVELDB, control, program, small_plan, wrong
from walproof.cli import walproof
from walproof.sweep import effects, findings, invariants
from walproof.sweep.effects import Signature
from walproof.sweep.findings import Finding
from walproof.sweep.minimise import minimise
from walproof.sweep.plan import Enumerations
from walproof.sweep.programs import Program
from walproof.sweep.proposals import Proposer
from walproof.sweep.result import Occurrence, Result
from walproof.sweep.settings import PROFILES, WRITING, Setting
from walproof.sweep.writing import Writer, records_for


def run_sweep(
    *programs: Program, controls: Sequence[str] = LEVELDB, cases: int = 200
) -> tuple[Enumerations, Result, list[Finding]]:
    plan, damages = small_plan(
        *programs, controls=controls, cases=cases, contexts=True, profiles=WRITING
    )
    return damages, *plans.run_sweep(plan)


@pytest.mark.parametrize(
    ("name", "effects"),
    [
        ("appends_behind_the_torn_tail", {effects.LOST}),
        ("never_refuses", {cases.NOT_REFUSED}),
        ("changes_the_log_while_refusing", {cases.CHANGED_WHILE_REFUSING}),
    ],
)
def test_wrong_writer_is_detected(name: str, effects: set[str]) -> None:
    damages, _, all_findings = run_sweep(wrong(name, "append"))
    assert effects <= {finding.signature.gravest for finding in all_findings}
    assert {finding.signature.profile for finding in all_findings} == {"append"}
    before = [finding.best.order for finding in all_findings]
    minimise(damages, all_findings[:3], 3)
    assert all(
        finding.best.order <= order for finding, order in zip(all_findings, before, strict=True)
    )
    # One defect must give few findings, one for each state of the log.
    assert len(all_findings) <= 12


def test_bytes_ignored_by_readers_are_compared() -> None:
    controls = ("leveldb-log/log-ends-before-its-trailer",)
    program = wrong("fills_the_trailer", "append")
    _, result, all_findings = run_sweep(program, controls=controls, cases=40)
    texts = [finding.best.text for finding in all_findings]
    texts += result.fails[program.name].values()
    assert texts and all("bytes: " in text and "sha256" in text for text in texts)


def test_proposal_of_an_append_reproduces_the_finding(tmp_path: Path) -> None:
    damages, _, (finding, *_) = run_sweep(wrong("appends_behind_the_torn_tail", "append"))
    findings.describe(damages, finding)
    Proposer(damages, load_all(), tmp_path).propose(finding)
    assert finding.proposal is not None
    file = tmp_path / finding.proposal
    vector = load(file)
    assert vector.operation == "append" and vector.contents
    recipe = file.with_suffix(".py").read_text()
    compile(recipe, "recipe", "exec")
    assert "log.append(" in recipe
    vectors = ("--vector", str(file), "--profile", "append", "--report", str(tmp_path / "report"))
    assert command("check", "--impl", "executable-spec", *vectors).return_value == 0
    program = " ".join(wrong("appends_behind_the_torn_tail").subject.command)
    assert command("check", "--cmd", program, *vectors).return_value == 3


def proposal_of(folder: Path, id: str, profile: str, operation: str, lists: bool = False) -> Vector:
    """Return the vector that a sweep proposes for one case of this operation."""
    _, damages = small_plan(controls=(id,), contexts=True, profiles=PROFILES)
    settings = damages[0].control.settings
    setting = next(number for number, each in enumerate(settings) if each.profile == profile)
    operations = [family.operation for family in damages[0].families]
    family = damages[0].lists if lists else operations.index(operation)
    signature = Signature("a", operation, "", "record-lost", "intact", "", profile=profile)
    finding = Finding(Occurrence(signature, 1, id, family, setting, 3, 0, "text"))
    findings.describe(damages, finding)
    Proposer(damages, load_all(), folder).propose(finding)
    assert finding.proposal is not None
    return load(folder / finding.proposal)


def test_proposal_of_a_write_has_no_recipe(tmp_path: Path) -> None:
    """A log is built by the recipes of its format; ``log.append`` has no effect on it."""
    assert proposal_of(tmp_path, LEVELDB[0], "write", "none", lists=True).operation == "write"
    assert not list(tmp_path.rglob("*.py"))


def test_meaningful_file_name_is_preserved(tmp_path: Path) -> None:
    """A proposed vector keeps the name of an index file, which contains the first index."""
    id = "zmq-raft/name-of-its-own-index"
    adapter = ROOT / "conformance" / "implementations" / "executable-spec" / "adapter.py"
    writer = program("spec", sys.executable, str(adapter), profiles=["append"])
    _, result, all_findings = run_sweep(writer, controls=(id,), cases=40)
    assert not all_findings, [finding.best.text for finding in all_findings]
    assert not result.fails["spec"]
    vector = proposal_of(tmp_path, id, "recover", "truncate")
    assert vector.neutral_name == vector.input.name == "0000000000001a.rlog"


def test_generated_records_are_reproducible() -> None:
    lists = []
    for _ in range(2):
        _, damages = small_plan(controls=LEVELDB[:1], contexts=True, profiles=WRITING)
        setting = next(each for each in damages[0].control.settings if each.profile == "write")
        family = damages[0].lists
        lists.append([records_for(damages[0], setting, family, number) for number in range(9)])
    assert lists[0] == lists[1]
    assert any(records != lists[0][0] for records in lists[0])


def command(*arguments: str) -> CommandResult:
    return CliRunner().invoke(walproof, arguments, standalone_mode=False)


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
