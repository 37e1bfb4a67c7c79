"""It is a finding if a program returns a true record but the executable specification does not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.contents import Contents
from reference_impl.answer import Answer, Record
from reference_impl.register import Unproven, registers
from tests.walproof.sweep.plans import program, run_sweep, small_plan, wrong
from walproof.sweep import dominance
from walproof.sweep.controls import Control
from walproof.sweep.dominance import DOMINANCE, missing_records, true_records, unambiguous
from walproof.sweep.enumeration import LogDamage
from walproof.sweep.plan import SweepProgram
from walproof.sweep.properties import Reference
from walproof.sweep.sweep_runner import SweepFinding

ADAPTER = Path(__file__).parents[3] / "conformance/implementations/executable-spec/adapter.py"
THREE = "leveldb-log/three-records"

Read = Callable[[Reference, Control, Contents, str], Answer]


def correct_reader() -> SweepProgram:
    return program("correct", sys.executable, str(ADAPTER), profiles=["recover"])


def gives_up_the_last_record(read: Read) -> Read:
    """Plant a defect in the specification that omits the last record of a torn or damaged log."""

    def planted(
        reference: Reference, control: Control, contents: Contents, profile: str = "recover"
    ) -> Answer:
        answer = read(reference, control, contents, profile)
        is_whole = answer.verdict in ("intact", "refused")
        return answer if is_whole else replace(answer, records=answer.records[:-1])

    return planted


def dominance_of(*programs: SweepProgram, only: bool = True) -> tuple[list[SweepFinding], int]:
    """Return the findings, and the total number of true records in them."""
    plan = replace(small_plan(*programs, controls=[THREE], cases=400), dominance=only)
    result, found = run_sweep(plan)
    counts = result.dominance[programs[0].name]
    assert counts["cases"] > 100
    of_reader = [f for f in found if f.effect.implementation == programs[0].name]
    assert counts["with"] == sum(f.cases for f in of_reader if f.effect.action == DOMINANCE)
    return of_reader, counts["records"]


def test_record_that_only_a_reader_returns_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reference, "read", gives_up_the_last_record(Reference.read))
    found, records = dominance_of(correct_reader())
    assert {finding.effect.action for finding in found} == {DOMINANCE}
    assert records >= sum(finding.cases for finding in found) > 20
    assert "1 true record, first at " in found[0].text
    assert not any(finding.case.change.forges for finding in found)


def test_readers_that_return_no_more_have_no_finding() -> None:
    assert dominance_of(correct_reader()) == ([], 0)
    assert dominance_of(wrong("stops_at_the_first_damage")) == ([], 0)
    others, records = dominance_of(wrong("stops_at_the_first_damage"), only=False)
    assert others and not records


def test_exceptions_of_the_register_are_counted_by_requirement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Reference, "read", gives_up_the_last_record(Reference.read))
    _, all_records = dominance_of(correct_reader())
    entry = Unproven(("correct",), ("checksum-mismatch",), "LDB-037", THREE, "", "*")
    register = SimpleNamespace(unproven=[entry], fields=registers()["leveldb-log"].fields)
    monkeypatch.setattr(dominance, "registers", lambda: {"leveldb-log": register})
    plan = replace(small_plan(correct_reader(), controls=[THREE], cases=400), dominance=True)
    result, found = run_sweep(plan)
    excepted = result.dominance["correct"]["LDB-037"]
    assert 20 < excepted < all_records
    reasons = {f.effect.reason for f in found if f.effect.action == DOMINANCE}
    assert "bad-length" in reasons and "checksum-mismatch" not in reasons


def records(*payloads: bytes, **fields: str) -> list[Record]:
    return [Record(8 * n, 8, payload, fields) for n, payload in enumerate(payloads)]


@pytest.mark.parametrize(
    ("true", "expected", "actual", "missing"),
    [
        (b"ab", b"", b"ab", b"ab"),
        (b"ab", b"b", b"ab", b"a"),
        (b"ab", b"a", b"a", b""),
        (b"ab", b"", b"xy", b""),
        # The program returns a record twice, but it was written once.
        (b"a", b"a", b"aa", b""),
        # The specification and the program each return one of two equal records.
        (b"aa", b"a", b"a", b""),
        (b"aa", b"a", b"aa", b"a"),
    ],
)
def test_missing_records_are_counted(
    true: bytes, expected: bytes, actual: bytes, missing: bytes
) -> None:
    true_ones, ours, theirs = (
        true_records(records(*(bytes([letter]) for letter in letters)))
        for letters in (true, expected, actual)
    )
    found = missing_records("leveldb-log", true_ones, ours, theirs, ["records"])
    assert b"".join(bytes.fromhex(record["payload"]) for record in found) == missing


def test_a_true_record_has_the_reported_fields_of_the_written_record() -> None:
    written = true_records(records(b"a", index="1", term="1"))
    other = true_records(records(b"a", index="1", term="7"))
    assert missing_records("zmq-raft", written, [], other, ["records", "index"])
    assert not missing_records("zmq-raft", written, [], other, ["records", "index", "term"])
    # A mark, such as after_loss, is not a field of the written record.
    marked = true_records(records(b"a", index="1", term="1", after_loss="x"))
    assert missing_records("zmq-raft", written, [], marked, ["records", "index", "after_loss"])


def test_records_of_a_copied_older_log_are_not_true() -> None:
    older = Control("leveldb-log/older", "leveldb-log", b"", "log", records=tuple(records(b"a")))
    true = true_records(records(b"a", b"b"))
    copy = [{"copy": older.id, "at": 0, "size": 8}]
    stale = LogDamage("stale", "", ({"op": "stale", "at": 0, "end": 8, "bytes": copy},))
    assert unambiguous(true, stale, [older]) == true[1:]
    flip = LogDamage("flip", "", ({"op": "flip", "at": 0, "bit": 0},))
    assert unambiguous(true, flip, [older]) == true
