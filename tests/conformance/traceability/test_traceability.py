"""Prose, code, grammars and vectors are tied together; and each broken tie is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from conformance import ROOT
from conformance.traceability import RULES, problems
from conformance.traceability.grammar import field_paths
from conformance.traceability.write_tables import write_tables

Toy = Any
"""The class ``ToyTree`` of conftest.py."""


def test_this_repository_is_tied_together() -> None:
    assert "\n".join(map(str, problems(ROOT))) == ""


def test_the_toy_tree_is_tied_together(toy: Toy) -> None:
    assert problems(toy.root) == []


REFUSED: dict[str, Any] = {
    "verdict": "refused",
    "reason": "bad-sum",
    "records": [],
    "lost": [],
    "end": None,
}
INTACT: dict[str, Any] = {"verdict": "intact", "reason": None, "records": [], "lost": [], "end": 0}
KNOWN = "conformance/implementations/toy/known-failures.json"

CONTEXT_KEY = """[context.units]
type = ["number", "text"]
values = ["all"]
default = "all"
read_by = ["read"]
meaning = "how many units to read"
"""
FAULT = """reasons.bad-size = {kinds = ["damage"], requirements = ["TOY-002"]}

[[faults]]
fault = "the sum is wrong"
reason = "bad-sun"
requirements = ["TOY-002"]
bytes = "the unit"
then = "the next unit"

[fields]
"""
CONTEXT_TABLE = """<!-- register: context -->
<!-- end -->
"""

BREAKS: list[tuple[str, str, Callable[[Toy], object]]] = [
    (
        "malformed_requirement",
        "spec/toy-log.md:3: expected an id, then (MUST)",
        lambda toy: toy.edit("spec/toy-log.md", "**TOY-001 (MUST)**", "**TOY-001**"),
    ),
    (
        "malformed_requirement",
        "spec/toy-log.md:3: expected an id, then (MUST)",
        lambda toy: toy.edit("spec/toy-log.md", "TOY-001 (MUST)", "TOY-001 (must)"),
    ),
    (
        "duplicate_requirement",
        "spec/toy-log.md:9: TOY-004 is defined already in spec/toy-log.md:7",
        lambda toy: toy.edit("spec/toy-log.md", "| code |", "**TOY-004 (MAY)** Again.\n\n| code |"),
    ),
    (
        "duplicate_requirement",
        "spec/toy2-log.md:1: TOY-001 is defined already in spec/toy-log.md:3",
        lambda toy: toy.write("spec/toy2-log.md", "**TOY-001 (MUST)** Reused.\n"),
    ),
    (
        "mixed_prefixes",
        "spec/toy-log.md: ids of more than one prefix: NEW, TOY",
        lambda toy: (
            toy.edit("spec/toy-log.md", "| code |", "**NEW-001 (MUST)** Odd.\n\n| code |"),
            toy.change("sound", requirements=["TOY-001", "NEW-001"]),
        ),
    ),
    (
        "mixed_prefixes",
        "spec/toy2-log.md: TOY is the prefix of toy-log",
        lambda toy: toy.write("spec/toy2-log.md", "**TOY-007 (MUST)** Another format.\n"),
    ),
    (
        "unknown_citation",
        "reference_impl/toy_log.py:1: no chapter defines TOY-003",
        lambda toy: toy.write("reference_impl/toy_log.py", "# TOY-003: never used\n"),
    ),
    (
        "unknown_citation",
        "spec/toy-log.md:3: no chapter defines TOY-999",
        lambda toy: toy.edit("spec/toy-log.md", "of units.", "of units (TOY-999)."),
    ),
    (
        "unknown_citation",
        "conformance/implementations/toy/main.go:1: no chapter defines TYO-001",
        lambda toy: toy.write("conformance/implementations/toy/main.go", "// TYO-001\n"),
    ),
    (
        "unknown_citation",
        "ksy/toy_log.ksy:1: no chapter defines TOY-005",
        lambda toy: toy.edit("ksy/toy_log.ksy", "meta:", "# TOY-005\nmeta:"),
    ),
    (
        "unknown_citation",
        "Makefile:1: no chapter defines TOY-000",
        lambda toy: toy.write("Makefile", "# TOY-000\n"),
    ),
    (
        "unknown_citation",
        "tests/test_toy.py:1: no chapter defines TOY-003",
        lambda toy: toy.write("tests/test_toy.py", "# TOY-003\n"),
    ),
    (
        "requirement_without_vector",
        "spec/toy-log.md:9: no vector exercises TOY-005",
        lambda toy: toy.edit("spec/toy-log.md", "| code |", "**TOY-005 (MUST)** New.\n\n| code |"),
    ),
    (
        "vector_without_requirement",
        "toy-log/second: exercises no requirement",
        lambda toy: toy.add(toy.vector("second", made_by={"recipe": "toy_log.faults.sound"})),
    ),
    (
        "vector_with_unknown_requirement",
        "toy-log/sound: the chapter toy-log does not define TOY-003",
        lambda toy: toy.change("sound", requirements=["TOY-001", "TOY-003"]),
    ),
    (
        "vector_with_unknown_requirement",
        "toy-log/sound: the chapter toy-log does not define TOY-077",
        lambda toy: toy.change("sound", notes="See TOY-077."),
    ),
    (
        "vector_with_unknown_requirement",
        "toy-log/sound: the chapter toy-log does not define OTH-001",
        lambda toy: (
            toy.write("spec/other-log.md", "**OTH-001 (MUST)** Another format.\n"),
            toy.change("sound", requirements=["TOY-001", "OTH-001"]),
        ),
    ),
    (
        "unknown_requirement_in_grammar",
        "ksy/toy_log.ksy: types/head/seq/sum: -requirement: 'sums' is no id of it",
        lambda toy: toy.edit("ksy/toy_log.ksy", "[TOY-002]", "[TOY-002, sums]"),
    ),
    (
        "unknown_requirement_in_grammar",
        "ksy/toy_sum.ksy: seq/low: -requirement: 'no id' is no id of it",
        lambda toy: toy.edit("ksy/toy_sum.ksy", "TOY-002", "no id"),
    ),
    (
        "damage_without_control",
        "toy-log/flipped: damaged (flip bit 0 of units[0].head.sum.low), and there is no control",
        lambda toy: toy.change("flipped", control=None),
    ),
    (
        "damage_without_control",
        "toy-log/cut: torn, and there is no control",
        lambda toy: toy.change("cut", control=None, made_by={"recipe": "toy_log.faults.cut"}),
    ),
    (
        "broken_control",
        "toy-log/flipped: its control toy-log/none does not exist",
        lambda toy: toy.change("flipped", control="toy-log/none"),
    ),
    (
        "broken_control",
        "toy-log/cut: its control toy-log/flipped is damaged itself",
        lambda toy: toy.change("cut", control="toy-log/flipped"),
    ),
    (
        "broken_control",
        "toy-log/cut: its control toy-log/sound has no records to lose",
        lambda toy: toy.change("sound", expect=INTACT),
    ),
    (
        "broken_control",
        "toy-log/cut: its control toy-log/sound is never asked for append",
        lambda toy: toy.change("cut", operation="append"),
    ),
    (
        "missing_recipe",
        "toy-log/cut: made by toy_log.faults.cut, which does not exist",
        lambda toy: toy.edit("conformance/recipes/toy_log/faults.py", "def cut", "def renamed"),
    ),
    (
        "missing_recipe",
        "toy-log/sound: made by toy_log.gone.sound, which does not exist",
        lambda toy: toy.change("sound", made_by={"recipe": "toy_log.gone.sound"}),
    ),
    (
        "unknown_field",
        "toy-log/flipped: the grammar has no field units[0].head.crc",
        lambda toy: toy.change(
            "flipped",
            made_by={"recipe": "toy_log.faults.flipped", "damage": ["zero units[0].head.crc"]},
        ),
    ),
    (
        "unknown_field",
        "toy-log/cut: the grammar has no field units[0].body.letters.x",
        lambda toy: toy.change(
            "cut",
            made_by={"recipe": "toy_log.faults.cut", "damage": ["drop units[0].body.letters.x"]},
        ),
    ),
    (
        "unknown_field",
        "spec/toy-log.md:5: the grammar has no field units[i].head.total",
        lambda toy: toy.edit("spec/toy-log.md", "head.sum", "head.total"),
    ),
    (
        "unknown_field",
        "spec/toy-log.md:5: the grammar has no field units[i].head[0].sum",
        lambda toy: toy.edit("spec/toy-log.md", "head.sum", "head[0].sum"),
    ),
    (
        "undefined_reason",
        "toy-log/flipped: the chapter's table of reason codes does not list bad-luck",
        lambda toy: toy.change(
            "flipped", expect_strict=REFUSED | {"verdict": "damaged", "reason": "bad-luck"}
        ),
    ),
    (
        "undefined_reason",
        "toy-log/flipped: the chapter's table of reason codes does not list not-a-reason",
        lambda toy: toy.change(
            "flipped",
            accept=[{"answer": REFUSED | {"verdict": "damaged", "reason": "not-a-reason"}}],
        ),
    ),
    (
        "undefined_reason",
        "toy-log/flipped: the chapter's table of reason codes does not list not-strict",
        lambda toy: toy.change(
            "flipped",
            accept=[
                {
                    "answer": REFUSED,
                    "answer_strict": REFUSED | {"verdict": "damaged", "reason": "not-strict"},
                }
            ],
        ),
    ),
    (
        "undefined_reason",
        "toy-log/flipped: refused for bad-sum, which the chapter calls damage",
        lambda toy: toy.change("flipped", expect_strict=REFUSED),
    ),
    (
        "unused_reason",
        "spec/toy-log.md: no vector uses the reason code too-odd",
        lambda toy: toy.edit(
            "spec/toy-log.md", "| `torn-unit`", "| `too-odd` | damage | TOY-001 | |\n| `torn-unit`"
        ),
    ),
    (
        "unused_reason",
        "spec/toy-log.md: no requirement defines the reason code bad-sum",
        lambda toy: toy.edit("spec/toy-log.md", "| damage | TOY-002 |", "| damage | – |"),
    ),
    (
        "stale_table",
        "spec/toy-log.md: no table between <!-- register: context --> marks",
        lambda toy: toy.edit("spec/toy-log.toml", "[[grammars]]", f"{CONTEXT_KEY}\n[[grammars]]"),
    ),
    (
        "stale_table",
        "spec/toy-log.md:9: the table of context is not that of the register",
        lambda toy: (
            toy.edit("spec/toy-log.toml", "[[grammars]]", f"{CONTEXT_KEY}\n[[grammars]]"),
            toy.edit("spec/toy-log.md", "| code |", f"{CONTEXT_TABLE}\n| code |"),
            write_tables(toy.root),
            toy.edit("spec/toy-log.md", "how many", "how few"),
        ),
    ),
    (
        "stale_table",
        "spec/toy2-log.toml: a register without a chapter",
        lambda toy: toy.write(
            "spec/toy2-log.toml",
            (toy.root / "spec" / "toy-log.toml").read_text().replace("toy-log", "toy2-log"),
        ),
    ),
    (
        "stale_schema",
        "conformance/protocol/schemas/toy-log/context.schema.json: not what the register says",
        lambda toy: toy.edit("spec/toy-log.toml", "[[grammars]]", f"{CONTEXT_KEY}\n[[grammars]]"),
    ),
    *(
        (
            "fault_without_reason",
            f"spec/toy-log.toml: {said}",
            lambda toy: toy.edit("spec/toy-log.toml", "reasons = {}\nfields = {}", FAULT),
        )
        for said in (
            "fault 'the sum is wrong': no reason 'bad-sun'",
            "reason 'bad-size': no fault has it",
        )
    ),
    (
        "foreign_prefix",
        "spec/toy-log.toml: prefix YOT: the chapter has TOY",
        lambda toy: toy.edit("spec/toy-log.toml", '"TOY"', '"YOT"'),
    ),
    (
        "unsound_known_failure",
        f"{KNOWN}: there is no vector toy-log/gone",
        lambda toy: toy.known("gone", cause="ignores-sums"),
    ),
    (
        "unsound_known_failure",
        f"{KNOWN}: toy-log/flipped is never asked for write",
        lambda toy: toy.known("flipped", cause="ignores-sums", profile="write"),
    ),
    (
        "unsound_known_failure",
        f"{KNOWN}: toy-log/flipped is listed 2 times for recover",
        lambda toy: toy.known("flipped", cause="ignores-sums", times=2),
    ),
    (
        "unsound_known_failure",
        f"{KNOWN}: the cause unexplained is not explained",
        lambda toy: toy.known("flipped", cause="unexplained"),
    ),
    (
        "unsound_known_failure",
        f"{KNOWN}: the cause ignores-sums is not explained",
        lambda toy: toy.edit(KNOWN, "It does not look at sums.", " "),
    ),
    (
        "unsound_known_failure",
        f"{KNOWN}: the cause ignores-sums is used by no entry",
        lambda toy: toy.known("flipped", cause="unexplained"),
    ),
]


@pytest.mark.parametrize(
    ("rule", "said", "break_it"), BREAKS, ids=[f"{rule}-{said}" for rule, said, _ in BREAKS]
)
def test_a_broken_tie_is_found(
    toy: Toy,
    new_vector: Callable[..., dict[str, Any]],
    rule: str,
    said: str,
    break_it: Callable[[Toy], object],
) -> None:
    toy.vector = new_vector
    break_it(toy)
    found = problems(toy.root)
    assert any(str(problem).startswith(said) and problem.rule == rule for problem in found), (
        "\n".join(map(str, found)) or "nothing was found"
    )


def test_every_rule_is_proven() -> None:
    assert {rule for rule, _, _ in BREAKS} == {rule.__name__ for rule in RULES}


def test_a_table_is_written_from_the_register(toy: Toy) -> None:
    toy.edit("spec/toy-log.toml", "[[grammars]]", f"{CONTEXT_KEY}\n[[grammars]]")
    toy.edit("spec/toy-log.md", "| code |", f"{CONTEXT_TABLE}\n| code |")
    write_tables(toy.root)
    assert problems(toy.root) == []
    assert (
        "| key | type | default | read by | meaning |\n"
        "|---|---|---|---|---|\n"
        '| `units` | number or `all` | `"all"` | read | how many units to read |\n'
    ) in (toy.root / "spec" / "toy-log.md").read_text("utf-8")


def test_a_broken_tie_is_found_once(toy: Toy) -> None:
    """Most breaks are one problem, not a heap of them."""
    toy.write("reference_impl/toy_log.py", "# TOY-003\n")
    (problem,) = problems(toy.root)
    assert str(problem) == (
        "reference_impl/toy_log.py:1: no chapter defines TOY-003 [unknown_citation]"
    )


def test_logs_built_from_nothing_need_no_control(toy: Toy, new_vector: Any) -> None:
    """A limit that is intact, and a foreign log that is refused, have no undamaged sibling."""
    toy.edit(
        "spec/toy-log.md", "| `torn-unit`", "| `not-ours` | refused | TOY-001 | |\n| `torn-unit`"
    )
    refused = REFUSED | {"reason": "not-ours"}
    toy.add(new_vector("foreign", "TOY-001", kind="limit", expect=refused))
    assert problems(toy.root) == []


def test_an_unused_code_of_one_format_is_not_excused_by_another(
    toy: Toy, new_vector: Callable[..., dict[str, Any]]
) -> None:
    """Two formats live side by side, each with its own prefix and codes."""
    chapter = (
        "**OTH-001 (MUST)** Another format.\n\n| code | kind | requirement |\n|---|---|---|\n"
        "| `bad-sum` | damage | OTH-001 |\n"
    )
    toy.write("spec/other-log.md", chapter)
    body = new_vector("sound", "OTH-001")
    toy.add(
        json.loads(json.dumps(body).replace("toy-log/", "other-log/")) | {"format": "other-log"}
    )
    assert [str(problem) for problem in problems(toy.root)] == [
        "spec/other-log.md: no vector uses the reason code bad-sum [unused_reason]"
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
