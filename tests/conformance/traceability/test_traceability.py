"""Chapters, code, grammars and vectors cite requirements. Each broken connection is reported."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from conformance import ROOT
from conformance.traceability import RULES, problems
from conformance.traceability.grammar import field_paths
from conformance.traceability.write_tables import write_tables
from conformance.undetected_flips import load, text_of
from tests.conformance.traceability.breaks import (
    BREAKS,
    CONTEXT_KEY,
    CONTEXT_TABLE,
    REASONS,
    REFUSED,
    TOO_ODD,
    Toy,
    searched,
)


def test_this_repository_has_no_problems() -> None:
    assert "\n".join(map(str, problems(ROOT))) == ""


def test_the_toy_tree_has_no_problems(toy: Toy) -> None:
    assert problems(toy.root) == []


@pytest.mark.parametrize(
    ("rule", "message", "actions"),
    BREAKS,
    ids=[f"{rule}-{message}" for rule, message, _ in BREAKS],
)
def test_a_broken_connection_is_found(
    toy: Toy, rule: str, message: str, actions: list[Callable[[Toy], object]]
) -> None:
    for action in actions:
        action(toy)
    problem_list = problems(toy.root)
    assert any(
        str(problem).startswith(message) and problem.rule == rule for problem in problem_list
    ), "\n".join(map(str, problem_list)) or "nothing was found"


def test_every_rule_has_a_failing_example() -> None:
    assert {rule for rule, _, _ in BREAKS} == {rule.__name__ for rule in RULES}


def test_a_table_is_written_from_the_register(toy: Toy) -> None:
    toy.edit("spec/toy-log.toml", "[[grammars]]", f"{CONTEXT_KEY}\n[[grammars]]")
    toy.edit("spec/toy-log.md", REASONS, f"{CONTEXT_TABLE}\n{REASONS}")
    write_tables(toy.root)
    assert problems(toy.root) == []
    assert (
        "| key | type | default | read by | meaning |\n"
        "|---|---|---|---|---|\n"
        '| `units` | number or `all` | `"all"` | read | how many units to read |\n'
    ) in (toy.root / "spec" / "toy-log.md").read_text("utf-8")


def test_the_table_of_flips_is_written_from_search_and_register(toy: Toy) -> None:
    searched(toy)
    write_tables(toy.root)
    assert problems(toy.root) == []
    text = (toy.root / "spec" / "toy-log.md").read_text("utf-8")
    assert "tried 32 flips" in text
    assert "| `units[].body` | 24 | 3 | 1 |\n\n1. Nothing covers the body. (TOY-001)\n" in text
    read = load("toy-log", toy.root / "spec")
    assert read is not None
    assert text_of(read) == (toy.root / "spec/one-bit/toy-log.json").read_text("utf-8")


def test_a_broken_connection_is_reported_once(toy: Toy) -> None:
    """A single broken connection is usually reported as a single problem."""
    toy.write("reference_impl/toy_log.py", "# TOY-003\n")
    (problem,) = problems(toy.root)
    assert str(problem) == (
        "reference_impl/toy_log.py:1: no chapter defines TOY-003 [unknown_citation]"
    )


def test_logs_built_from_nothing_need_no_control(toy: Toy, new_vector: Any) -> None:
    """A log of another format, which is refused, has no undamaged counterpart."""
    toy.edit("spec/toy-log.toml", "fields = {}", f"{TOO_ODD}\nfields = {{}}")
    write_tables(toy.root)
    refused = REFUSED | {"reason": "too-odd"}
    toy.add(new_vector("foreign", "TOY-001", kind="limit", expect=refused))
    assert problems(toy.root) == []


def test_an_unused_code_of_one_format_is_not_excused_by_another(
    toy: Toy, new_vector: Callable[..., dict[str, Any]]
) -> None:
    """Two formats in one tree each have their own prefix and codes."""
    toy.write("spec/other-log.md", f"**OTH-001 (MUST)** Other.\n\n{REASONS}\n<!-- end -->\n")
    lines = (toy.root / "spec/toy-log.toml").read_text("utf-8").splitlines()
    text = "\n".join(line for line in lines if "torn-unit" not in line)
    text = re.sub("TOY-[0-9]+", "OTH-001", text).replace("toy", "other").replace("TOY", "OTH")
    toy.write("spec/other-log.toml", text)
    write_tables(toy.root)
    body = new_vector("sound", "OTH-001")
    toy.add(
        json.loads(
            re.sub("TOY-[0-9]+", "OTH-001", json.dumps(body)).replace("toy-log/", "other-log/")
        )
        | {"format": "other-log"}
    )
    assert [str(problem) for problem in problems(toy.root)] == [
        "spec/other-log.toml: no vector uses the reason code bad-sum [unused_reason]"
    ]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("flip bit 3 of blocks[0].records[1].header.type", ["blocks[0].records[1].header.type"]),
        ("set blocks[-1].records[-1].data to 5", ["blocks[-1].records[-1].data"]),
        ("a path in a file, 000001.log:blocks[2].trailer.", ["blocks[2].trailer"]),
        ("`blocks[i].records[j].header.{checksum,type}`",
         ["blocks[i].records[j].header.checksum", "blocks[i].records[j].header.type"]),
        ("stale bytes in [0, 32768) of db.log; data[length]; zero header", []),
    ],
)  # fmt: skip
def test_field_paths_in_a_text(text: str, paths: list[str]) -> None:
    assert list(field_paths(text)) == paths
