"""Invariants and differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from reference_impl.answer import End, Lost, Record
from tests.walproof.sweep.plans import control
from walproof.sweep import effects, invariants
from walproof.sweep.effects import Signature
from walproof.sweep.findings import findings
from walproof.sweep.invariants import Written
from walproof.sweep.operations import edge_name
from walproof.sweep.shard import Occurrence
from walproof.sweep.specification import Seen, seen

THREE = control("leveldb-log/three-records")
DATA = THREE.contents
RECORDS = list(THREE.records)
INTACT = End("intact", None, 38)


def faults(records: list[Record], lost: Sequence[Lost] = (), shifts: bool = False) -> list[str]:
    said = Seen(records, list(lost), INTACT, [*records, *lost, INTACT])
    return Written(THREE).faults(said, DATA, shifts, False)


def test_the_right_answer_breaks_nothing() -> None:
    assert faults(RECORDS) == []


def test_invented() -> None:
    forged = Record(0, 12, b"nobody")
    assert faults([forged, *RECORDS[1:]]) == [invariants.INVENTED]


def test_out_of_order_unless_units_may_have_moved() -> None:
    swapped = [Record(0, 12, RECORDS[1].payload), Record(12, 12, RECORDS[0].payload), RECORDS[2]]
    assert faults(swapped) == [invariants.OUT_OF_ORDER]
    assert faults(swapped, shifts=True) == []


def test_parts_of_several_generations_are_joined_where_sectors_are_mixed() -> None:
    five = control("systemd-journal/five-entries")
    older = frozenset({b"MESSAGE=of an older one\n"})
    mixed = Record(1040, 128, b"MESSAGE=of an older one\nPRIORITY=3\n", fields={})
    nobody = Record(1040, 128, b"MESSAGE=nobody\nPRIORITY=3\n", fields={})
    lost = [Lost(280, 288, "bad-index")]
    end = End("damaged", "bad-index", None)

    def found(record: Record, shifts: bool) -> list[str]:
        said = Seen([record], lost, end, [record, *lost, end])
        return Written(five, older).faults(said, five.contents, shifts, False)

    assert invariants.INVENTED not in found(mixed, shifts=True)
    assert invariants.INVENTED in found(mixed, shifts=False)
    assert invariants.INVENTED in found(nobody, shifts=True)


def test_loss_in_silence() -> None:
    found = faults([RECORDS[0], RECORDS[2]])
    assert found == [invariants.SILENT_LOSS, invariants.UNACCOUNTED]
    assert faults([RECORDS[0], RECORDS[2]], [Lost(12, 24, "checksum-mismatch")]) == []


def answer(*payloads: bytes, **more: Any) -> dict[str, Any]:
    records = [{"payload": payload.hex()} for payload in payloads]
    return {"records": records, "signals": [], "verdict": "damaged", **more}


@pytest.mark.parametrize(
    ("found", "kind"),
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
def test_differences_have_a_class(found: dict[str, Any], kind: str | None) -> None:
    known = frozenset(payload.hex() for payload in (b"a", b"b", b"c"))
    got = effects.compare(answer(b"a", b"c"), found, ["records", "signals"], known)
    assert (got.kind if got else None) == kind


def two_files(*lost: dict[str, Any], **more: Any) -> dict[str, Any]:
    records = [{"file": file, "at": 0, "size": 9, "payload": p} for file, p in
               (("a", "61"), ("b", "62"))]  # fmt: skip
    return {"verdict": "damaged", "reason": "x", "end": None, "records": records,
            "lost": list(lost), **more}  # fmt: skip


GAP = {"file": "a", "from": 9, "to": 20, "reason": "x"}
PARTS = ["records", "at", "verdict", "reason", "lost", "end"]


@pytest.mark.parametrize(
    ("found", "kind"),
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
def test_effects_on_an_answer_in_full(found: dict[str, Any], kind: str | None) -> None:
    got = effects.compare(two_files(GAP), found, PARTS, frozenset({"61", "62"}))
    assert (got.kind if got else None) == kind
    assert got is None or (got.verdict, got.reason) == (found["verdict"], found["reason"])


def test_an_empty_range_must_be_named() -> None:
    empty = {"file": "b", "from": 4, "to": 4, "reason": "gap"}
    got = effects.compare(two_files(empty), two_files(), PARTS, None)
    assert got is not None and got.kind == "loss-unlisted"
    reports = [*PARTS[:3], "lost"]
    got = effects.compare(two_files(empty), two_files({**empty, "to": 5}), reports, None)
    assert got is not None and got.kind == "other-range"


def test_ranges_come_in_the_order_of_the_files() -> None:
    """A file that yields a range only comes where it is in the log, not after all records."""
    events = [Lost(0, 9, "x", file="b"), Record(0, 9, b"1", {}, "a"), Lost(9, 20, "x", file="a")]
    answer = seen([*events, End("damaged", "x", None)]).answer()
    assert [gap.file for gap in answer.lost] == ["b", "a"]


def occurrence(operation: str, kind: str, value: str = "", reason: str = "x") -> Occurrence:
    signature = Signature("a", operation, "field", kind, "damaged", reason, value=value)
    return Occurrence(signature, 1, "leveldb-log/three-records", 0, 0, 0, 38, "text")


def test_effects_of_one_value_are_one_finding() -> None:
    found = findings(
        [
            occurrence("fill", "record-lost", "ff"),
            occurrence("set", "other-reason", "ff"),
            occurrence("pair", "other-reason"),
            occurrence("set", "other-verdict", "00"),
            occurrence("flip", "other-range"),
            occurrence("set", "other-range", "ff"),
        ],
        {},
    )
    effects = [sorted({each.signature.kind for each in one.signatures}) for one in found]
    assert effects == [["other-reason", "record-lost"], ["other-verdict"], ["other-range"]]
    assert [one.value for one in found] == ["ff", "00", ""]
    assert found[0].best.signature.kind == "record-lost"


def test_one_effect_of_one_operation_is_one_finding() -> None:
    (truncated,) = findings([occurrence("truncate", "other-end", reason=r) for r in "abc"], {})
    assert truncated.count == 3
    assert len(findings([occurrence("truncate", k) for k in ("other-end", "silent")], {})) == 2


@pytest.mark.parametrize(
    ("data", "name"),
    [("00", "00"), ("ffff", "ff"), ("7fff", "7fff"), ("ff7f", "7fff"), ("0080", "8000"),
     ("80", "8000"), ("0100", ""), ("", "")],
)  # fmt: skip
def test_values_that_programs_treat_apart_have_a_name(data: str, name: str) -> None:
    assert edge_name(bytes.fromhex(data)) == name
