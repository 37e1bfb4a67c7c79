"""Ways to break the toy tree: the rule that must detect it, and its message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.traceability.write_tables import write_tables
from conformance.undetected_flips import Searched, SearchedLog, text_of

# The class ``ToyTree`` of conftest.py.
Toy = Any


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
FAULT = """reasons.bad-size = {words = "a bad size", kinds = ["damage"], requirements = ["TOY-002"]}

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

UNSEEN = """[[unseen]]
fields = ["units[].body"]
effects = ["changed"]
why = "Nothing covers the body."
requirements = ["TOY-001"]
"""


def searched(toy: Toy) -> None:
    """Return a search that flipped each bit, with three undetected flips."""
    toy.edit("spec/toy-log.toml", "[[grammars]]", f"{UNSEEN}\n[[grammars]]")
    toy.edit("spec/toy-log.md", "| code | meaning |", f"{UNSEEN_TABLE}\n| code | meaning |")
    log = SearchedLog("toy-log/sound", "0123", 32, 32, {("units[].body", "changed"): 3})
    result = Searched("toy-log", 32, {"units[].body": 24, "units[].head.sum": 8}, {log.id: log})
    toy.write("spec/one-bit/toy-log.json", text_of(result))


UNSEEN_TABLE = """<!-- register: unseen -->
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
        "toy-log/flipped: damaged (flip bit 0 of units[0].head.sum.low), but it has no control",
        lambda toy: toy.change("flipped", control=None),
    ),
    (
        "damage_without_control",
        "toy-log/cut: torn, but it has no control",
        lambda toy: toy.change("cut", control=None, made_by={"recipe": "toy_log.faults.cut"}),
    ),
    (
        "broken_control",
        "toy-log/flipped: its control toy-log/none does not exist",
        lambda toy: toy.change("flipped", control="toy-log/none"),
    ),
    (
        "broken_control",
        "toy-log/cut: its control toy-log/flipped is damaged, too",
        lambda toy: toy.change("cut", control="toy-log/flipped"),
    ),
    (
        "broken_control",
        "toy-log/cut: its control toy-log/sound has no records to lose",
        lambda toy: toy.change("sound", expect=INTACT),
    ),
    (
        "broken_control",
        "toy-log/cut: its control toy-log/sound never runs with profile append",
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
        "spec/toy-log.md:9: the table of context differs from the register",
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
        "conformance/protocol/schemas/toy-log/context.schema.json: it differs from the register",
        lambda toy: toy.edit("spec/toy-log.toml", "[[grammars]]", f"{CONTEXT_KEY}\n[[grammars]]"),
    ),
    *(
        (
            "fault_without_reason",
            f"spec/toy-log.toml: {message}",
            lambda toy: toy.edit("spec/toy-log.toml", "reasons = {}\nfields = {}", FAULT),
        )
        for message in (
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
        "unexplained_flip",
        "spec/toy-log.toml: nothing explains what 3 flips of units[].body do: changed",
        lambda toy: (
            searched(toy),
            toy.edit("spec/toy-log.toml", '"units[].body"', '"units[].bo"'),
        ),
    ),
    (
        "unexplained_flip",
        "spec/toy-log.toml: 2 entries of unseen explain what 3 flips of units[].body do: changed",
        lambda toy: (
            searched(toy),
            toy.edit(
                "spec/toy-log.toml",
                "[[grammars]]",
                UNSEEN.replace(".body", ".b*") + "[[grammars]]",
            ),
        ),
    ),
    (
        "unexplained_flip",
        "spec/toy-log.toml: unseen 1 explains no flip: units[].head",
        lambda toy: (searched(toy), toy.edit("spec/toy-log.toml", "units[].body", "units[].head")),
    ),
    (
        "unexplained_flip",
        "spec/one-bit/toy-log.json: there is no vector toy-log/gone",
        lambda toy: (
            searched(toy),
            toy.edit("spec/one-bit/toy-log.json", "toy-log/sound", "toy-log/gone"),
        ),
    ),
    (
        "unexplained_flip",
        "spec/toy-log.toml: reasons for unseen flips, but no search",
        lambda toy: toy.edit("spec/toy-log.toml", "[[grammars]]", f"{UNSEEN}\n[[grammars]]"),
    ),
    (
        "stale_table",
        "spec/toy-log.md:14: the table of unseen differs from the register",
        lambda toy: (
            searched(toy),
            write_tables(toy.root),
            toy.edit("spec/one-bit/toy-log.json", '"changed": 3', '"changed": 2'),
        ),
    ),
    (
        "unsound_known_failure",
        f"{KNOWN}: there is no vector toy-log/gone",
        lambda toy: toy.known("gone", cause="ignores-sums"),
    ),
    (
        "unsound_known_failure",
        f"{KNOWN}: toy-log/flipped never runs with profile write",
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
