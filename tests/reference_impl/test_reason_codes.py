"""Each reason code that the executable specification reports is decided by one requirement."""

from __future__ import annotations

import pickle

import pytest

from reference_impl.answer import Answer, Lost, ReasonCode
from reference_impl.register import UndecidedReason, registers

LEVELDB = registers()["leveldb-log"]


def test_the_register_decides_a_code_with_one_requirement() -> None:
    assert LEVELDB.requirement_of("zero-gap") == "LDB-027"
    assert LEVELDB.requirement_of(ReasonCode("zero-gap", "LDB-027")) == "LDB-027"


def test_the_reader_states_the_requirement_if_there_are_several() -> None:
    code = ReasonCode("incomplete-record", "LDB-034")
    assert LEVELDB.requirement_of(code) == "LDB-034"
    assert LEVELDB.requirement_of(pickle.loads(pickle.dumps(code))) == "LDB-034"


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("incomplete-record", "incomplete-record: expected LDB-032, LDB-034, found nothing"),
        (ReasonCode("incomplete-record", "LDB-027"),
         "incomplete-record: expected LDB-032, LDB-034, found LDB-027"),
        (ReasonCode("zero-gap", "LDB-032"), "zero-gap: expected LDB-027, found LDB-032"),
        ("no-code", "no-code: expected a code of the register, found nothing"),
    ],
)  # fmt: skip
def test_an_undecided_code_is_an_error(reason: str, message: str) -> None:
    lost = (Lost(0, 9, "zero-gap"), Lost(9, 12, reason))
    with pytest.raises(UndecidedReason) as error:
        LEVELDB.requirements_of(Answer("damaged", "zero-gap", (), lost, 12))
    assert str(error.value) == message


def test_each_part_of_an_answer_has_a_requirement() -> None:
    lost = (Lost(0, 9, "zero-gap"), Lost(9, 12, ReasonCode("incomplete-record", "LDB-034")))
    answer = Answer("damaged", lost[1].reason, (), lost, 12)
    assert LEVELDB.requirements_of(answer) == {
        "verdict": "LDB-038", "reason": "LDB-034", "lost": ["LDB-027", "LDB-034"], "end": "LDB-039",
    }  # fmt: skip


def test_an_intact_answer_has_no_reason_to_decide() -> None:
    ids = LEVELDB.requirements_of(Answer("intact", None, (), (), 0))
    assert (ids["reason"], ids["lost"]) == (None, [])


def test_a_code_is_plain_text_for_all_others() -> None:
    code = ReasonCode("zero-gap", "LDB-027")
    assert Lost(0, 9, code) == Lost(0, 9, "zero-gap")
    assert {"zero-gap": 1}[code] == 1


def test_an_answer_in_json_has_plain_codes() -> None:
    code = ReasonCode("zero-gap", "LDB-027")
    answer = Answer("damaged", code, (), (Lost(0, 9, code),), 9).to_json()
    assert type(answer["reason"]) is type(answer["lost"][0]["reason"]) is str
