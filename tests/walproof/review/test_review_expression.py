"""Expressions are equal if their values are equal."""

from __future__ import annotations

import pytest

from walproof.review.expression import Expression

A, B = ("name", "a"), ("name", "b")


def is_same(first: object, second: object) -> bool:
    return Expression(first) == Expression(second)


@pytest.mark.parametrize(
    ("first", "second"),
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
def test_equivalent_expressions_are_equal(first: object, second: object) -> None:
    assert is_same(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
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
def test_different_expressions_are_unequal(first: object, second: object) -> None:
    assert not is_same(first, second)


def test_constant_expressions() -> None:
    assert Expression(("Mult", 3, ("Sub", 9, 2))).constant == 21
    assert Expression(("Not", True)).constant is False
    assert Expression(("Add", 1, A)).constant is None
    assert Expression(("sizeof", "header")).constant is None
