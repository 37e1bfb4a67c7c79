"""Sweeps of appends find defects in writers and in the specification's ``end``."""

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

from conformance import ROOT, vector_cases
from conformance.contents import MAX_BYTES
from conformance.vectors import load, load_all
from reference_impl.answer import End, Event, NewRecord
from reference_impl.formats import Format, named
from tests.walproof.sweep import plans
from tests.walproof.sweep.plans import LEVELDB, control, program, small_plan, wrong
from walproof.cli import walproof
from walproof.sweep import effects, properties
from walproof.sweep.appending import Appender
from walproof.sweep.effects import Effect
from walproof.sweep.findings import VectorWriter, minimise
from walproof.sweep.plan import DamageCase, SweepPlan, SweepProgram
from walproof.sweep.settings import PROFILES, Setting
from walproof.sweep.sweep_runner import SweepFinding, SweepResult


def run_sweep(
    *programs: SweepProgram, controls: Sequence[str] = LEVELDB, cases: int = 200
) -> tuple[SweepPlan, SweepResult, list[SweepFinding]]:
    plan = small_plan(*programs, controls=controls, cases=cases, contexts=True, profiles=["append"])
    return plan, *plans.run_sweep(plan)


@pytest.mark.parametrize(
    ("name", "effects"),
    [
        ("appends_behind_the_torn_tail", {effects.LOST}),
        ("never_refuses", {vector_cases.NOT_REFUSED}),
        ("changes_the_log_while_refusing", {vector_cases.CHANGED_WHILE_REFUSING}),
    ],
)
def test_wrong_writer_is_detected(name: str, effects: set[str]) -> None:
    plan, _, all_findings = run_sweep(wrong(name, "append"))
    assert effects <= {finding.effect.gravest for finding in all_findings}
    assert all(finding.effect.action.startswith("append: ") for finding in all_findings)
    before = [finding.order for finding in all_findings]
    minimise(plan, all_findings[:3], 3)
    assert all(finding.order <= order for finding, order in zip(all_findings, before, strict=True))
    # One defect must cause only a few findings, about one for each state of the log.
    assert len(all_findings) <= 12


def test_bytes_ignored_by_readers_are_compared() -> None:
    controls = ("leveldb-log/log-ends-before-its-trailer",)
    program = wrong("fills_the_trailer", "append")
    _, result, all_findings = run_sweep(program, controls=controls, cases=40)
    texts = [finding.text for finding in all_findings]
    texts += result.fails[program.name].values()
    assert texts and all("bytes: " in text and "sha256" in text for text in texts)


def test_vector_of_an_append_reproduces_the_finding(tmp_path: Path) -> None:
    plan, _, (finding, *_) = run_sweep(wrong("appends_behind_the_torn_tail", "append"))
    written = VectorWriter(plan, load_all(), tmp_path).write(finding)
    assert written is not None
    file = tmp_path / written
    vector = load(file)
    assert vector.operation == "append" and vector.contents
    vectors = ("--vector", str(file), "--profile", "append", "--out", str(tmp_path / "report"))
    assert command("check", "--impl", "executable-spec", *vectors).return_value == 0
    program = " ".join(wrong("appends_behind_the_torn_tail").subject.command)
    assert command("check", "--cmd", program, *vectors).return_value == 3


def test_meaningful_file_name_is_preserved(tmp_path: Path) -> None:
    """A vector keeps the name of an index file, because the name contains the first index."""
    id = "zmq-raft/name-of-its-own-index"
    adapter = ROOT / "conformance" / "implementations" / "executable-spec" / "adapter.py"
    writer = program("spec", sys.executable, str(adapter), profiles=["append"])
    _, result, all_findings = run_sweep(writer, controls=(id,), cases=40)
    assert not all_findings, [finding.text for finding in all_findings]
    assert not result.fails["spec"]
    plan = small_plan(controls=(id,), contexts=True, profiles=PROFILES)
    family = next(each for each in plan.enumeration(0).families if each.name == "truncate")
    case = DamageCase(0, 0, family.changes[3])
    finding = SweepFinding(Effect("a", "record-lost", "intact"), case, 0, "text")
    written = VectorWriter(plan, load_all(), tmp_path).write(finding)
    assert written is not None
    vector = load(tmp_path / written)
    assert vector.neutral_name == vector.input.name == "0000000000001a.rlog"


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
        ({"append": appended_at_the_size}, TORN, properties.NOT_READ),
        ({"append": half_written}, TORN, properties.CHANGED_REFUSING),
        ({"append": lambda path, records, context: None}, WHOLE, properties.NOT_READ),
        (
            {"append": appended_at_the_size, "read": end_at_the_size(LEVELDB_LOG)},
            TORN,
            properties.NOT_READ_AT_END,
        ),
        ({"append": appended_at_the_size}, DAMAGED, properties.NO_END),
    ],
    ids=["right", "not cut", "half written", "does nothing", "end at the size", "no end"],
)
def test_defects_of_the_specification_writer_are_detected(
    verbs: Mapping[str, Any], data: bytes, fault: str | None, tmp_path: Path
) -> None:
    appender = Appender("leveldb-log", tmp_path)
    appender.format = changed(appender.format, **verbs)
    chosen = control("leveldb-log/three-records")
    request = appender.request(chosen, Setting("append", {}), data, [NewRecord(b"new")])
    assert (fault in request.faults) if fault else not request.faults


def test_result_above_the_size_limit_is_not_judged(tmp_path: Path) -> None:
    appender = Appender("leveldb-log", tmp_path)
    chosen = control("leveldb-log/three-records")
    assert appender.request(chosen, Setting("append", {}), WHOLE, [NewRecord(b"new")]).is_judged

    def grown(path: Path, records: Sequence[NewRecord], context: object) -> None:
        LEVELDB_LOG.append(path, records, {})
        path.with_name("large").write_bytes(b"")
        os.truncate(path.with_name("large"), MAX_BYTES)

    appender.format = changed(appender.format, append=grown)
    request = appender.request(chosen, Setting("append", {}), WHOLE, [NewRecord(b"new")])
    assert not request.is_judged
