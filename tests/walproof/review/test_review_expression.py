"""Expressions are the same if their values are."""

from __future__ import annotations

import pytest

from walproof.review.expression import Expression

A, B = ("name", "a"), ("name", "b")


def same(one: object, other: object) -> bool:
    return Expression(one) == Expression(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Lt", A, B), ("Gt", B, A)),
        (("Lt", A, B), ("LtE", ("Add", A, 1), B)),
        (("Add", ("Mult", A, 2), 1), ("Add", 1, ("Add", A, A))),
        (("if", ("Gt", A, B), B, A), ("if", ("LtE", A, B), A, B)),
        (("if", ("Eq", A, 3), ("Eq", B, 4), False), ("And", ("Eq", A, 3), ("Eq", 4, B))),
        (("NotEq", ("BitAnd", A, 1), 0), ("Not", ("Eq", 0, ("BitAnd", 1, A)))),
        (("Eq", ("Gt", A, 7), True), ("GtE", A, 8)),
        (("attr", A, "size"), ("attr", A, "size")),
    ],
)
def test_written_in_another_way(one: object, other: object) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("GtE", A, 17), ("GtE", A, 16)),
        (("GtE", A, 70_000), ("Gt", A, 70_000)),
        (("Gt", ("Add", ("Add", A, 7), B), 32_768), ("Gt", ("Add", ("Add", A, 7), B), 32_769)),
        (
            ("And", ("GtE", ("Sub", A, B), 8), ("Eq", ("name", "magic"), 77_777)),
            ("And", ("Gt", ("Sub", A, B), 8), ("Eq", ("name", "magic"), 77_777)),
        ),
        (("Lt", A, B), ("LtE", A, B)),
        (("BitAnd", A, 1), ("BitAnd", A, 2)),
        (("BitAnd", ("RShift", A, 40), 1), ("BitAnd", ("RShift", A, 41), 1)),
        (("Eq", A, "left"), ("Eq", A, "right")),
        (("attr", A, "size"), ("attr", A, "pos")),
        (A, B),
        (3, 4),
    ],
)
def test_another_value(one: object, other: object) -> None:
    assert not same(one, other)


def test_a_constant_needs_no_field() -> None:
    assert Expression(("Mult", 3, ("Sub", 9, 2))).constant == 21
    assert Expression(("Not", True)).constant is False
    assert Expression(("Add", 1, A)).constant is None
    assert Expression(("sizeof", "header")).constant is None
