"""Answers have invariants, and differences between two answers have effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reference_impl.answer import Answer, Lost, Record
from tests.walproof.sweep.plans import control
from walproof.sweep import effects, properties
from walproof.sweep.effects import AnswerDifference, Effect
from walproof.sweep.enumeration import LogDamage
from walproof.sweep.findings import ordered
from walproof.sweep.plan import DamageCase
from walproof.sweep.properties import Reference, WrittenRecords
from walproof.sweep.sweep_runner import SweepFinding, SweepResult

THREE = control("leveldb-log/three-records")
DATA = THREE.contents
RECORDS = list(THREE.records)


def faults(records: list[Record], lost: Sequence[Lost] = (), shifts: bool = False) -> list[str]:
    answer = Answer("intact", None, tuple(records), tuple(lost), 38)
    return WrittenRecords(THREE).faults(answer, DATA, shifts, False)


def test_correct_answer_breaks_no_invariant() -> None:
    assert faults(RECORDS) == []


def test_unwritten_payload_is_invented() -> None:
    forged = Record(0, 12, b"nobody")
    assert faults([forged, *RECORDS[1:]]) == [properties.INVENTED]


def test_order_is_checked_unless_units_may_have_moved() -> None:
    swapped = [Record(0, 12, RECORDS[1].payload), Record(12, 12, RECORDS[0].payload), RECORDS[2]]
    assert faults(swapped) == [properties.OUT_OF_ORDER]
    assert faults(swapped, shifts=True) == []


def test_mixed_sectors_may_join_parts_of_generations() -> None:
    five = control("systemd-journal/five-entries")
    older = replace(five, records=(Record(1040, 128, b"MESSAGE=of an older one\n"),))
    mixed = Record(1040, 128, b"MESSAGE=of an older one\nPRIORITY=3\n", fields={})
    unwritten = Record(1040, 128, b"MESSAGE=nobody\nPRIORITY=3\n", fields={})
    lost = (Lost(280, 288, "bad-index"),)

    def faults_of(record: Record, shifts: bool) -> list[str]:
        answer = Answer("damaged", "bad-index", (record,), lost, None)
        return WrittenRecords(five, [older]).faults(answer, five.contents, shifts, False)

    assert properties.INVENTED not in faults_of(mixed, shifts=True)
    assert properties.INVENTED in faults_of(mixed, shifts=False)
    assert properties.INVENTED in faults_of(unwritten, shifts=True)


def test_missing_record_without_lost_range() -> None:
    broken = faults([RECORDS[0], RECORDS[2]])
    assert broken == [properties.SILENT_LOSS, properties.UNACCOUNTED]
    assert faults([RECORDS[0], RECORDS[2]], [Lost(12, 24, "checksum-mismatch")]) == []


@pytest.mark.parametrize(
    ("id", "at", "new", "context"),
    [
        # damages the clean close
        ("rocksdb-wal/closed-over-older-blocks-and-no-number", 0, b"\1", {}),
        ("rocksdb-wal/number-zero-given", 16, bytes(7), {"log_number": 12}),
    ],
)
def test_hidden_records_were_written(
    id: str, at: int, new: bytes, context: dict[str, Any], tmp_path: Path
) -> None:
    """Records count as written even if only damage or a different context makes them visible."""
    whole = control(id)
    assert isinstance(whole.contents, bytes)
    damaged = whole.contents[:at] + new + whole.contents[at + len(new) :]
    reader = Reference(whole.format, tmp_path)
    output = reader.read(replace(whole, context={**whole.context, **context}), damaged)
    assert len(output.records) > len({record.payload for record in whole.records})
    assert WrittenRecords(whole).faults(output, damaged, False, False) == []
    invented = replace(output.records[-1], payload=b"nobody")
    output = replace(output, records=(*output.records[:-1], invented))
    assert properties.INVENTED in WrittenRecords(whole).faults(output, damaged, False, False)


@pytest.mark.parametrize(
    ("slug", "bit"),
    [
        ("plain-data-that-is-a-block", 8),  # sets the flag of snappy
        ("snappy-records", 8),  # clears it
        ("zstd-records", 16),
    ],
)
def test_changed_flag_is_not_detected(slug: str, bit: int, tmp_path: Path) -> None:
    whole = control(f"prometheus-wal/{slug}")
    assert isinstance(whole.contents, bytes)
    damaged = bytes([whole.contents[0] ^ bit]) + whole.contents[1:]
    output = Reference(whole.format, tmp_path).read(whole, damaged)
    first, *others = output.records
    assert output.verdict == "intact" and first.payload not in WrittenRecords(whole).written
    assert WrittenRecords(whole).faults(output, damaged, False, False) == []
    forged = replace(output, records=(replace(first, payload=b"nobody"), *others))
    assert WrittenRecords(whole).faults(forged, damaged, False, False) == [properties.INVENTED]


def answer(*payloads: bytes, **more: Any) -> dict[str, Any]:
    records = [{"payload": payload.hex()} for payload in payloads]
    return {"records": records, "signals": [], "verdict": "damaged", **more}


@pytest.mark.parametrize(
    ("actual", "effect"),
    [
        (answer(b"a", b"c", signals=["x"]), None),
        (answer(b"a", signals=["x"]), "record-lost"),
        (answer(b"a", b"b", b"c", signals=["x"]), "record-extra"),
        (answer(b"a", b"no", signals=["x"]), "record-invented"),
        (answer(b"c", b"a", signals=["x"]), "record-order"),
        (answer(b"a", b"c"), "silent"),
        (answer(b"a"), "record-lost+silent"),
    ],
)
def test_effect_of_a_difference_in_records(actual: dict[str, Any], effect: str | None) -> None:
    written = frozenset(payload.hex() for payload in (b"a", b"b", b"c"))
    difference = effects.compare(answer(b"a", b"c"), actual, ["records", "signals"], written)
    assert (difference.kind if difference else None) == effect


def two_files(*lost: dict[str, Any], **more: Any) -> dict[str, Any]:
    records = [{"file": file, "at": 0, "size": 9, "payload": p} for file, p in
               (("a", "61"), ("b", "62"))]  # fmt: skip
    return {"verdict": "damaged", "reason": "x", "end": None, "records": records,
            "lost": list(lost), **more}  # fmt: skip


GAP = {"file": "a", "from": 9, "to": 20, "reason": "x"}
PARTS = ["records", "at", "verdict", "reason", "lost", "end"]


@pytest.mark.parametrize(
    ("actual", "effect"),
    [
        (two_files(GAP), None),
        (two_files(), "loss-unlisted"),
        (two_files({**GAP, "to": 19}), "loss-unlisted"),
        (two_files({**GAP, "file": "b"}), "loss-unlisted"),
        (two_files({**GAP, "to": 21}), "other-range"),
        (two_files({**GAP, "to": 10}, {**GAP, "from": 10}), "other-range"),
        (two_files({**GAP, "reason": "y"}), "other-reason"),
        (two_files(GAP, end=4), "other-end"),
        (two_files(GAP, verdict="intact"), "other-verdict"),
        (two_files(GAP, records=two_files()["records"][:1]), "record-lost+loss-unlisted"),
        (two_files({**GAP, "from": 0}, records=two_files()["records"][1:]),
         "record-lost+other-range"),
        (two_files(GAP, records=[{**two_files()["records"][0], "payload": "63"}]),
         "record-changed"),
    ],
)  # fmt: skip
def test_effect_of_a_difference_in_a_full_answer(
    actual: dict[str, Any], effect: str | None
) -> None:
    difference = effects.compare(two_files(GAP), actual, PARTS, frozenset({"61", "62"}))
    assert (difference.kind if difference else None) == effect
    assert difference is None or (difference.verdict, difference.reason) == (
        actual["verdict"],
        actual["reason"],
    )


def test_empty_lost_range_is_required() -> None:
    empty = {"file": "b", "from": 4, "to": 4, "reason": "gap"}
    difference = effects.compare(two_files(empty), two_files(), PARTS, None)
    assert difference is not None and difference.kind == "loss-unlisted"
    reports = [*PARTS[:3], "lost"]
    difference = effects.compare(two_files(empty), two_files({**empty, "to": 5}), reports, None)
    assert difference is not None and difference.kind == "other-range"


def result_of(*found: tuple[str, str, str]) -> SweepResult:
    """Return a result that contains cases with these families, effects and expected reasons."""
    result = SweepResult()
    for family, kind, reason in found:
        expected = Answer("damaged", reason, (), (), None)
        effect = Effect.of("a", "recover", AnswerDifference(kind, "text"), expected)
        case = DamageCase(0, 0, LogDamage(family, "field", ()))
        damage = Counter([f"{family} of field"])
        result.add_finding(SweepFinding(effect, case, 38, "text", by_damage=damage))
    return result


def test_equal_effect_and_operation_form_one_finding() -> None:
    (truncated,) = ordered(result_of(*(("truncate", "other-end", reason) for reason in "abc")))
    assert truncated.cases == 3
    others = [("truncate", "other-end", "x"), ("truncate", "silent", "x")]
    assert len(ordered(result_of(*others))) == 2
