"""Generated logs have the properties that ``properties.py`` checks, and defects violate these."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from conformance.case_runner import run_programs
from conformance.damage.operations import Edit
from conformance.vector_cases import cases_of
from conformance.vectors import load_all
from reference_impl.answer import Answer, Lost, NewRecord, Record
from reference_impl.formats import FORMATS
from tests.walproof.sweep.plans import WRONG, program, run_sweep
from walproof.formats import plugin_for
from walproof.log import Log
from walproof.sweep import plan, properties
from walproof.sweep.controls import Control
from walproof.sweep.enumeration import TORN_WRITE, Enumeration
from walproof.sweep.histories import BadHistory, generate, generate_controls, states_of
from walproof.sweep.history_writer import HistoryWriter


@pytest.mark.parametrize("format", FORMATS)
def test_specification_has_the_properties(format: str) -> None:
    controls = generate_controls(format, 3, seed=2)
    result, found = run_sweep(plan.make(format, controls, 110))
    assert not found, [(finding.case, finding.text) for finding in found]
    assert result.cases > 80
    assert {"torn-write", "flip", "truncate", "pair"} <= set(result.counts["operation"])
    assert set(result.counts["profile"]) == {"recover", "strict", "append"}


def test_program_that_memorised_the_vectors_is_detected(tmp_path: Path) -> None:
    vectors = [
        each
        for each in load_all().values()
        if each.body["format"] == "leveldb-log" and each.operation == "read"
    ]
    table = tmp_path / "learnt.json"
    table.write_text(json.dumps({each.body["sha256"]: each.body["expect"] for each in vectors}))
    memorised = program(
        "knows", sys.executable, str(WRONG / "knows_the_vectors.py"), str(table),
        profiles=("recover",),
    )  # fmt: skip
    (run,) = run_programs([memorised.subject], lambda _: cases_of(vectors, ("recover",)), 1)
    assert {each["class"] for each in run.results} == {"pass"} and len(run.results) > 100

    controls = generate_controls("leveldb-log", 3, seed=2)
    result, found = run_sweep(plan.make("leveldb-log", controls, 110, [memorised]))
    # The undamaged logs already fail, so no case is a finding.
    with_records = {f"{control.id} recover" for control in controls if control.records}
    assert not found and result.fails["knows"].keys() == with_records


@pytest.mark.parametrize("format", FORMATS)
def test_generated_logs_repeat(format: str, tmp_path: Path) -> None:
    first, again = (generate(format, 1, 2, tmp_path) for _ in range(2))
    assert first == again
    assert first.earlier and len({control.id for control in first.earlier}) == len(first.earlier)
    assert any(state.records for state in (first, *first.earlier))


def test_records_that_were_not_written_are_a_bad_history(tmp_path: Path) -> None:
    writer = HistoryWriter("leveldb-log", Random(1), tmp_path)
    writer.write([NewRecord(b"alpha")])
    writer.put(writer.contents, [b"bravo"])
    with pytest.raises(BadHistory, match="found others"):
        states_of(writer, "x")


@pytest.fixture
def control(tmp_path: Path) -> Control:
    """A LevelDB log with records in three blocks."""
    writer = HistoryWriter("leveldb-log", Random(1), tmp_path)
    writer.write([NewRecord(b"alpha"), NewRecord(b"b" * 40_000)])
    writer.append([NewRecord(b"charlie"), NewRecord(b"d" * 30_000), NewRecord(b"echo")])
    before, now = states_of(writer, "leveldb-log/x")
    return replace(now, earlier=(before,))


def answer(control: Control, records: tuple[Record, ...] | None = None) -> Answer:
    return Answer("intact", None, control.records if records is None else records, (), None)


def test_damage_spares_records_before_it_and_beyond_its_reach(control: Control) -> None:
    records = control.records
    in_second_block = properties.touched_by([Edit("", 33_000, 1, b"x")])
    assert in_second_block is not None
    spared = properties.spared(control, in_second_block, shifts=False)
    assert spared == [records[0], records[4]]
    assert properties.spared(control, in_second_block, shifts=True) == [records[0]]
    moved = properties.touched_by([Edit("", 33_000, 0, b"x")])
    assert moved is not None
    assert properties.spared(control, moved, shifts=False) == [records[0]]
    assert properties.touched_by([Edit("", delete=True)]) is None
    assert properties.has_all(answer(control), spared)
    assert not properties.has_all(answer(control, records[1:]), spared)


def test_torn_write_loses_nothing_before_it(control: Control) -> None:
    before, now = control.earlier[0].records, control.records
    assert properties.torn_write_faults(control, answer(control, before)) == []
    lost = answer(control, now[1:])
    assert properties.torn_write_faults(control, lost) == [properties.TORN_LOSES]


def test_torn_write_is_no_damage(tmp_path: Path) -> None:
    control = next(
        each
        for each in generate_controls("sqlite-wal", 20, seed=1)
        if len(each.records) > len(each.earlier[0].records) > 0
        and not plugin_for("sqlite-wal").sweep.tears_look_damaged(each, answer(each))
    )
    torn = replace(answer(control, control.earlier[0].records), verdict="damaged")
    assert properties.torn_write_faults(control, torn) == [properties.TORN_DAMAGED]


def test_strict_is_the_beginning_of_recover(control: Control) -> None:
    records = control.records
    damaged = Answer("damaged", "zero-gap", records, (Lost(0, 1, "zero-gap"),), 9)
    strict = replace(damaged, records=records[:1], end=None)
    assert properties.difference_in_strict(damaged, strict) == ""
    for wrong in (
        replace(strict, reason="bad-length"), replace(strict, end=9),
        replace(strict, records=(replace(records[0], at=1),)),
    ):  # fmt: skip
        assert properties.difference_in_strict(damaged, wrong)
    assert properties.difference_in_strict(answer(control), answer(control, ()))


def test_append_keeps_what_was_there(control: Control) -> None:
    old, new = control.records, [NewRecord(b"new")]
    added = Record(9, 9, b"new")
    assert properties.continues(old, new, answer(control, (*old, added)))
    assert not properties.continues(old, new, answer(control, (*old[1:], added)))
    assert not properties.continues(old, new, answer(control, (added, *old)))


def test_appends_are_aimed_at_numbers_in_lost_bytes() -> None:
    data = bytes(40) + (300).to_bytes(4, "big") + bytes(56)
    lost = Answer("damaged", "x", (), (Lost(30, 60, "x"),), 100)
    assert {200, 240} <= set(properties.aimed_sizes(data, lost))
    assert not properties.aimed_sizes(data, replace(lost, end=None))


def test_records_of_a_damaged_log_form_a_new_log(control: Control, tmp_path: Path) -> None:
    assert isinstance(control.contents, bytes)
    (tmp_path / "log").write_bytes(control.contents)
    log = Log("leveldb-log", tmp_path / "log")
    assert properties.is_recovered(log, tmp_path / "new", control)
    assert (tmp_path / "new").exists()


def test_torn_writes_keep_a_prefix_of_the_new_bytes() -> None:
    (control,) = generate_controls("kahadb-journal", 1, seed=3)
    enumeration = Enumeration(control, control.earlier, 0)
    torn = next(family for family in enumeration.families if family.name == TORN_WRITE)
    states = [enumeration.contents(change) for change in torn.changes]
    assert control.earlier[0].contents in states
    assert control.contents not in states
