"""Each operator changes code as expected, and leaves some code unchanged."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from lab.mutants.sites import Mutant, mutants_of


def mutants(tmp_path: Path, source: str) -> list[Mutant]:
    path = tmp_path / "reader.py"
    path.write_text(source)
    return mutants_of(path, {"asqn"})


def made(tmp_path: Path, source: str, operator: str) -> list[str]:
    return [each.name.after for each in mutants(tmp_path, source) if each.name.operator == operator]


@pytest.mark.parametrize(
    ("source", "operator", "expected"),
    [
        ("a < b", "comparison", ["a <= b", "a >= b"]),
        ("a == b", "comparison", ["a != b"]),
        ("0 < a <= b", "comparison",
         ["0 <= a <= b", "0 >= a <= b", "0 < a < b", "0 < a > b"]),
        ("f(7)", "constant", ["8", "6"]),
        ("f(b'RLOG')", "constant", [repr(b"SLOG"), repr(b"RLOF")]),
        ("f(True)", "constant", ["False"]),
        ("a + b * c", "arithmetic", ["a - b * c", "b // c"]),
        ("-a", "arithmetic", ["a"]),
        ("a << 2 | b", "arithmetic", ["a << 2 & b", "a >> 2"]),
        ("'a' + b", "arithmetic", ["'a'", "b"]),
        ("not a", "negation", ["a"]),
        ("a or b", "dropped-check", ["b", "a"]),
        ("if a > b:\n f()", "negation", ["not a > b"]),
        ("if a:\n f()", "dropped-check", ["False", "True"]),
        ("while a:\n f()", "dropped-check", ["False"]),
        ("[x for x in a if f(x)]", "dropped-check", ["for x in a if False", "for x in a if True"]),
        ("a[b:c]", "slice", [":c", "b + 1:c", "b - 1:c", "b:", "b:c + 1", "b:c - 1"]),
        ("a[2:]", "slice", [":"]),
        ("Struct('<IHB')", "byte-order", ["'>IHB'"]),
        ("Struct('<IB')", "width", ["'<iB'", "'<HB'", "'<QB'", "'<Ib'", "'<IH'"]),
        ("int.from_bytes(a, 'little')", "byte-order", ["'big'"]),
        ("{'asqn': x}", "name", ["'asqn_'"]),
        ("min(a, b)", "call", ["max(a, b)"]),
        ("sorted(a, key=b)", "call", ["list(a)"]),
        ("NAME.fullmatch(x)", "call", ["NAME.match(x)"]),
        ("a += b", "arithmetic", ["a -= b"]),
    ],
)  # fmt: skip
def test_an_operator(tmp_path: Path, source: str, operator: str, expected: list[str]) -> None:
    assert made(tmp_path, source, operator) == expected


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("def f(x):\n    g(x)\n    x.a = 1\n    return x", 3),
        # The assignment is never removed, because y would be undefined without it.
        ("def f(x):\n    y = g(x)\n    return y", 1),
        ("def f(x):\n    g(x)\n    return None", 1),  # a function returns None anyway
        ("def f(x):\n    for y in x:\n        if y:\n            continue\n        raise E", 2),
    ],
)
def test_removed_statements(tmp_path: Path, source: str, count: int) -> None:
    result = made(tmp_path, source, "removed-statement")
    assert result == ["nothing"] * count


def test_a_generator_without_its_yield_stays_a_generator(tmp_path: Path) -> None:
    (removed,) = [
        each
        for each in mutants(tmp_path, "def f():\n    yield g()\n")
        if each.name.operator == "removed-statement"
    ]
    space: dict[str, object] = {}
    before = ast.dump(removed.tree)
    exec(removed.code(), space)
    assert ast.dump(removed.tree) == before
    assert list(space["f"]()) == []  # type: ignore[operator]


@pytest.mark.parametrize(
    "source",
    [
        '"""Text."""',
        "from a import b",
        "__all__ = ['asqn']",
        "assert a < 1",
        "def f(x: Literal['torn'] = y) -> Optional[int]: ...",
        "@dataclass(frozen=True)\nclass A:\n    '''Text.'''",
        "x = f'{a:>8}'",
        "x = 'a text for people'",
        "raise ValueError('torn' + str(1))",
    ],
)
def test_types_texts_and_imports_are_not_mutated(tmp_path: Path, source: str) -> None:
    results = [each.name for each in mutants(tmp_path, source)]
    assert [each for each in results if each.before not in (source, "...", "…")] == []


SOURCE = """\
LIMIT = 3

def outer(a, b=4):
    if a > LIMIT:
        return a[1:]
    return f(
        a,
        5,
    )

class C:
    size = 6

    def inner(self):
        return self.size + 7
"""


def test_a_mutant_has_its_position(tmp_path: Path) -> None:
    results = {each.name.before: each for each in mutants(tmp_path, SOURCE)}
    assert (results["3"].name.function, results["3"].at_import) == ("reader", True)
    assert (results["4"].name.function, results["4"].at_import) == ("reader.outer", True)
    assert (results["1"].name.function, results["1"].at_import) == ("reader.outer", False)
    assert (results["6"].name.function, results["6"].at_import) == ("reader.C", True)
    assert (results["7"].name.function, results["7"].at_import) == ("reader.C.inner", False)
    assert (results["5"].line, results["5"].statement.lineno) == (8, 6)
    assert (results["a > LIMIT"].line, results["a > LIMIT"].name.line) == (4, "if a > LIMIT:")


def test_equal_mutants_are_numbered(tmp_path: Path) -> None:
    result = mutants(tmp_path, "def f(a):\n    g(a + 1)\n    g(a + 1)\n")
    assert len({each.name for each in result}) == len(result)
    assert {each.name.number for each in result} == {0, 1}
