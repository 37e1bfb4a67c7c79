"""Invariants and differences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reference_impl.answer import End, Lost, Record
from tests.walproof.sweep.plans import control
from walproof.sweep import invariants, judge
from walproof.sweep.invariants import Written
from walproof.sweep.readers import Fast, Reference, Seen
from walproof.sweep.recipes import Enumeration

THREE = control("leveldb-log/three-records")
DATA = THREE.contents
RECORDS = list(THREE.records)
INTACT = End("intact", None, 38)


def faults(records: list[Record], lost: Sequence[Lost] = (), shifts: bool = False) -> list[str]:
    seen = Seen(records, list(lost), INTACT)
    return Written(THREE).faults(seen, DATA, shifts, False)


def test_the_right_answer_breaks_nothing() -> None:
    assert faults(RECORDS) == []


def test_invented() -> None:
    forged = Record(0, 12, b"nobody")
    assert faults([forged, *RECORDS[1:]]) == [invariants.INVENTED]


def test_out_of_order_unless_units_may_have_moved() -> None:
    swapped = [Record(0, 12, RECORDS[1].payload), Record(12, 12, RECORDS[0].payload), RECORDS[2]]
    assert faults(swapped) == [invariants.OUT_OF_ORDER]
    assert faults(swapped, shifts=True) == []


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
        (answer(b"a", signals=["x"]), "records-missing"),
        (answer(b"a", b"b", b"c", signals=["x"]), "records-extra"),
        (answer(b"a", b"no", signals=["x"]), "invented"),
        (answer(b"c", b"a", signals=["x"]), "records-other"),
        (answer(b"a", b"c"), "silent"),
        (answer(b"a"), "records-missing+silent"),
    ],
)
def test_differences_have_a_class(found: dict[str, Any], kind: str | None) -> None:
    known = frozenset(payload.hex() for payload in (b"a", b"b", b"c"))
    got = judge.compare(answer(b"a", b"c"), found, ["records", "signals"], known)
    assert (got.kind if got else None) == kind


def test_sentences_without_numbers() -> None:
    pinned = 'records: expected 4, found 2; missing from record 2 on: "x"; signals: a damaged log, and not a word of it [12345678]'  # noqa: E501
    assert judge.coarse(pinned) == {"fewer", "silent"}
    assert judge.coarse("killed by SIGABRT; alone: pass") == {"SIGABRT"}


def test_the_fast_twin_is_compared_in_every_part(tmp_path: Path) -> None:
    reference, fast = (kind("leveldb-log", tmp_path) for kind in (Reference, Fast))
    assert isinstance(reference, Reference) and isinstance(fast, Fast)
    damages = Enumeration(THREE, "quick", [], 0, 1)
    for family in range(len(damages.families)):
        for number in range(0, damages.count(family), 23):
            made = damages.make(family, number)
            assert made is not None
            owed = reference.read(THREE, made.contents)
            events = fast.read(THREE, made.contents)
            assert fast.agrees(events, owed)
            if owed.records:
                wrong = Seen(owed.records[:-1], owed.lost, owed.end)
                assert not fast.agrees(events, wrong)
            assert not fast.agrees(events, Seen(owed.records, owed.lost, End("refused", "x", None)))
