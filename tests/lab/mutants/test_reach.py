"""Probes find the mutants that would behave differently in a run of the original."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import pytest

from lab.mutants.choice import sources_of
from lab.mutants.loading import codes_of, formats_in, load_modules
from lab.mutants.reach import Probes
from lab.mutants.sites import mutants_of
from reference_impl.formats import named

SOURCE = """\
def compare(a):
    if a < 5 or f(a):
        return "low"
    return "high"

def gather(numbers):
    return [n + 1 for n in numbers if n > 2]

def choose(a):
    match a:
        case 7:
            a += 1
    return "more" if a > 3 else "less"

def look_up(a):
    return a and a["key"] == 1

def take(a):
    if a.pop() == 1:
        return a.pop()
    return a.pop()
"""
EACH = "for n in numbers if"


@pytest.fixture
def find(tmp_path: Path) -> Callable[[str, Any], set[str]]:
    """Return a function that makes a call and lists the mutants it finds as "before → after"."""
    path = tmp_path / "module.py"
    path.write_text(SOURCE)
    probes = Probes(mutants_of(path, frozenset()))
    changed: dict[str, Any] = {"_mutant_probes": probes, "f": lambda a: a == 9}
    exec(probes.code(path), changed)
    original: dict[str, Any] = {"f": changed["f"]}
    exec(SOURCE, original)

    def found(function: str, value: Any) -> set[str]:
        probes.reset()
        assert changed[function](copy(value)) == original[function](copy(value))
        return {f"{each.name.before} → {each.name.after}" for each in probes.found()}

    return found


@pytest.mark.parametrize(
    ("function", "value", "expected", "unexpected"),
    [
        ("compare", 4, ["a < 5 → a >= 5", "5 → 4"], ["a < 5 → a <= 5", "5 → 6"]),
        ("compare", 5, ["a < 5 → a <= 5", "5 → 6"], ["5 → 4"]),
        # Calling f may have side effects, so these mutants are found whenever the statement runs.
        ("compare", 4, ["a < 5 or f(a) → f(a)", "a < 5 or f(a) → True"], []),
        ("take", [2, 3], ["a.pop() == 1 → False"], []),
        ("compare", 4, ["return 'low' → nothing"], ["return 'high' → nothing"]),
        (
            "gather",
            [3],
            ["n > 2 → n <= 2", "2 → 3", f"{EACH} n > 2 → {EACH} False"],
            ["2 → 1", f"{EACH} n > 2 → {EACH} True"],
        ),
        ("gather", [2], ["2 → 1", f"{EACH} n > 2 → {EACH} True"], ["2 → 3", "1 → 2"]),
        ("choose", 7, ["a += 1 → a -= 1", "7 → 8", "a > 3 → False"], ["3 → 4", "a > 3 → True"]),
        ("choose", 4, ["7 → 8", "3 → 4"], ["a += 1 → a -= 1", "3 → 2"]),
        # The second operand raises an exception if it is evaluated alone.
        ("look_up", {}, ["a and a['key'] == 1 → a['key'] == 1"], []),
        ("look_up", {"key": 1}, ["1 → 2"], ["a and a['key'] == 1 → a['key'] == 1"]),
    ],
)
def test_a_run_finds_changes(
    find: Callable[[str, Any], set[str]],
    function: str,
    value: Any,
    expected: list[str],
    unexpected: list[str],
) -> None:
    found = find(function, value)
    assert (set(expected) - found, set(unexpected) & found) == (set(), set())


def test_loaded_modules_do_not_replace_the_original(tmp_path: Path) -> None:
    """Answers are compared with those of the original readers, which must stay loaded."""
    codes, package = codes_of("leveldb-log"), "reference_impl.leveldb_log"
    source = sources_of("leveldb-log")[package].read_text("utf-8")
    source += "def recognise(path): return 'changed'"
    codes[package] = compile(source, "__init__.py", "exec")
    log = tmp_path / "000001.log"
    log.write_bytes(b"")
    before = named("leveldb-log").recognise(log)
    changed = formats_in(load_modules(codes), ["leveldb-log"])["leveldb-log"]
    assert str(changed.recognise(log)) == "changed"
    assert named("leveldb-log").recognise(log) is before
