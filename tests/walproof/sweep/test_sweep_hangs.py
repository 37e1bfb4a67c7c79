"""Programs that hang are not asked the like again and again."""

from __future__ import annotations

from pathlib import Path

from tests.walproof.sweep.plans import small_plan, wrong
from walproof.sweep import findings, hangs, job
from walproof.sweep.children import Limits
from walproof.sweep.hangs import Hangs
from walproof.sweep.store import Store

FLIP = ("flip", "header.length", "leveldb-log/one-record", "damaged (bad-length)")


def test_a_kind_of_damage_is_learned() -> None:
    known = Hangs()
    for n in range(3):
        assert known.expects("x", *FLIP) is None, n
        known.saw("x", *FLIP)
    assert known.expects("x", *FLIP) == "flip of header.length"
    assert known.expects("y", *FLIP) is None
    assert known.expects("x", "set", *FLIP[1:]) is None


def test_a_kind_that_mostly_gets_an_answer_is_asked_on() -> None:
    known = Hangs()
    known.saw("x", *FLIP)
    for _ in range(100):
        known.answered("x", *FLIP)
    for _ in range(3):
        known.saw("x", *FLIP)
    assert known.expects("x", *FLIP) is None
    for _ in range(3):
        known.saw("x", *FLIP)
    assert known.expects("x", *FLIP) is not None  # but not for ever


def test_a_control_and_an_answer_are_learned_too() -> None:
    known = Hangs()
    for n in range(6):
        known.saw("x", "flip", f"field{n}", "control", "torn")
    assert known.expects("x", "set", "another", "control", "intact") == "what is made of control"
    assert known.expects("x", "set", "another", "other", "torn") == "logs that are torn"
    assert known.expects("x", "set", "another", "other", "intact") is None


def test_there_is_an_end_to_it() -> None:
    known = Hangs()
    for n in range(hangs.FAR_TOO_MANY):
        known.saw("x", "flip", f"field{n}", f"control{n}", f"torn ({n})")
    assert known.expects("x", "set", "another", "other", "intact") == "anything"


def test_others_are_told() -> None:
    known, other = Hangs(), Hangs()
    for _ in range(3):
        known.saw("x", *FLIP)
    other.told(known.learned)
    assert other.expects("x", *FLIP) == "flip of header.length"


def test_a_sweep_leaves_out_what_it_would_hang_on(tmp_path: Path) -> None:
    """The reader hangs on every log with an empty record, and on no other."""
    plan = small_plan(
        wrong("hangs_on_one_case"),
        controls=("leveldb-log/empty-record-between-two", "leveldb-log/three-records"),
        cases=1000,
        limits=Limits(wall_ms=400, give_up=1000),
    )
    store = Store(str(tmp_path))
    job.run(plan, store, job.begin(plan, store, False), "none")
    markers = [store.marker(number) for number in store.done()]
    fails: dict[str, str] = {}
    for marker in markers:
        fails |= marker["fails"].get("hangs_on_one_case", {})
    assert list(fails) == ["leveldb-log/empty-record-between-two recover"]
    assert sum(marker["left"].get("hangs_on_one_case", 0) for marker in markers) > 100
    found = findings.findings(findings.merged(markers).values(), {})
    hung = sum(one.count for one in found if one.signature.gravest == "timeout")
    assert hung <= hangs.FAR_TOO_MANY * 2
    answered = sum(m["outcomes"]["hangs_on_one_case"].get("agrees", 0) for m in markers)
    assert answered > 100
