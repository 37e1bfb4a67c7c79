"""Ways to break the toy tree, with the rule that must detect each, and the message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.damage.text import parse
from conformance.traceability.write_tables import write_tables
from conformance.undetected_flips import text_of

# The class ``ToyTree`` of conftest.py.
Toy = Any


Break = Callable[[Toy], object]

MD, TOML = "spec/toy-log.md", "spec/toy-log.toml"
NOT_LISTED = "the register does not list the reason code"
REASONS = "<!-- register: reasons -->"
REFUSED: dict[str, Any] = {
    "verdict": "refused", "reason": "bad-sum", "records": [], "lost": [], "end": None,
}  # fmt: skip
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
TOO_ODD = 'reasons.too-odd = {words = "odd", kinds = ["refused"], requirements = ["TOY-001"]}'
CONTEXT_TABLE = """<!-- register: context -->
<!-- end -->
"""

UNSEEN = """[[unseen]]
fields = ["units[].body"]
effects = ["changed"]
why = "Nothing covers the body."
requirements = ["TOY-001"]
"""


UNPROVEN = """[[unproven]]
readers = ["toy"]
reasons = ["bad-sum"]
requirement = "TOY-002"
vector = "toy-log/flipped"
why = "It does not look at sums."
"""


def searched(toy: Toy) -> None:
    """Add the result of a search that flipped each bit and found three undetected flips."""
    toy.edit("spec/toy-log.toml", "[[grammars]]", f"{UNSEEN}\n[[grammars]]")
    toy.edit("spec/toy-log.md", "| code | meaning |", f"{UNSEEN_TABLE}\n| code | meaning |")
    unseen = {"units[].body": {"changed": 3}}
    log = {"fingerprint": "0123", "bits": 32, "flips": 32, "unseen": unseen}
    tried = {"units[].body": 24, "units[].head.sum": 8}
    result = {"format": "toy-log", "at_most": 32, "tried": tried, "logs": {"toy-log/sound": log}}
    toy.write("spec/one-bit/toy-log.json", text_of(result))


UNSEEN_TABLE = """<!-- register: unseen -->
<!-- end -->
"""


def edit(path: str, old: str, new: str) -> Break:
    return lambda toy: toy.edit(path, old, new)


def write(path: str, text: str) -> Break:
    return lambda toy: toy.write(path, text)


def change(slug: str, **parts: Any) -> Break:
    return lambda toy: toy.change(slug, **parts)


def decide(slug: str, table: Any = None, **ids: Any) -> Break:
    def act(toy: Toy) -> None:
        decided = toy.body(slug)["decided_by"]
        decided["expect"] |= ids
        toy.change(slug, decided_by=decided | ({"table": table} if table else {}))

    return act


def known(slug: str, cause: str, **more: Any) -> Break:
    return lambda toy: toy.known(slug, cause=cause, **more)


def same_bytes(toy: Toy) -> None:
    for slug in ("sound", "flipped"):
        toy.change(slug, sha256="0" * 64)


def damaged_by(slug: str, operation: str) -> Break:
    return change(slug, made_by={"recipe": f"toy_log.faults.{slug}", "damage": [parse(operation)]})


def tables(toy: Toy) -> None:
    write_tables(toy.root)


def register(addition: str) -> Break:
    return edit(TOML, "[[grammars]]", f"{addition}\n[[grammars]]")


NO_REASON = REFUSED | {"verdict": "damaged", "reason": "bad-luck"}
FIXED_CONTEXT = (register(CONTEXT_KEY), edit(MD, REASONS, f"{CONTEXT_TABLE}\n{REASONS}"), tables)

# Maps each rule to its messages, each with the edits that break the tree and cause the message.
BREAKS_BY_RULE: dict[str, list[tuple[str, *tuple[Break, ...]]]] = {
    "malformed_requirement": [
        (f"{MD}:3: expected an id, then (MUST)", edit(MD, "**TOY-001 (MUST)**", "**TOY-001**")),
    ],
    "duplicate_requirement": [
        (f"{MD}:9: TOY-004 is defined already in {MD}:7",
         edit(MD, REASONS, f"**TOY-004 (MAY)** Again.\n\n{REASONS}")),
        (f"spec/toy2-log.md:1: TOY-001 is defined already in {MD}:3",
         write("spec/toy2-log.md", "**TOY-001 (MUST)** Reused.\n")),
    ],
    "unknown_citation": [
        ("reference_impl/toy_log.py:1: no chapter defines TOY-003",
         write("reference_impl/toy_log.py", "# TOY-003: never used\n")),
        (f"{MD}:3: no chapter defines TOY-999", edit(MD, "of units.", "of units (TOY-999).")),
        ("conformance/implementations/toy/main.go:1: no chapter defines TYO-001",
         write("conformance/implementations/toy/main.go", "// TYO-001\n")),
    ],
    "requirement_without_vector": [
        (f"{MD}:9: no vector exercises TOY-005",
         edit(MD, REASONS, f"**TOY-005 (MUST)** New.\n\n{REASONS}")),
    ],
    "vector_with_unknown_requirement": [
        ("toy-log/sound: the chapter toy-log does not define TOY-003",
         change("sound", requirements=["TOY-001", "TOY-003"])),
        ("toy-log/sound: the chapter toy-log does not define TOY-077",
         change("sound", notes="See TOY-077.")),
    ],
    "unknown_requirement_in_grammar": [
        ("ksy/toy_log.ksy: types/head/seq/sum: -requirement: 'sums' is no id of it",
         edit("ksy/toy_log.ksy", "[TOY-002]", "[TOY-002, sums]")),
        ("ksy/toy_sum.ksy: seq/low: -requirement: 'no id' is no id of it",
         edit("ksy/toy_sum.ksy", "TOY-002", "no id")),
    ],
    "damage_without_control": [
        ("toy-log/flipped: damaged (flip bit 0 of units[0].head.sum.low), but it has no control",
         change("flipped", control=None)),
        ("toy-log/cut: torn, but it has no control",
         change("cut", control=None, made_by={"recipe": "toy_log.faults.cut"})),
    ],
    "broken_control": [
        ("toy-log/flipped: its control toy-log/none does not exist",
         change("flipped", control="toy-log/none")),
        ("toy-log/cut: its control toy-log/flipped is damaged, too",
         change("cut", control="toy-log/flipped")),
        ("toy-log/cut: its control toy-log/sound has no records to lose",
         change("sound", expect=INTACT)),
        ("toy-log/flipped: its control toy-log/sound has the same bytes",
         same_bytes),
        ("toy-log/cut: its control toy-log/sound never runs with profile append",
         change("cut", operation="append")),
    ],
    "missing_recipe": [
        ("toy-log/cut: made by toy_log.faults.cut, which does not exist",
         edit("conformance/recipes/toy_log/faults.py", "def cut", "def renamed")),
    ],
    "unknown_field": [
        ("toy-log/flipped: the grammar has no field units[0].head.crc",
         damaged_by("flipped", "zero units[0].head.crc")),
        (f"{MD}:5: the grammar has no field units[i].head.total",
         edit(MD, "head.sum", "head.total")),
    ],
    "undefined_reason": [
        (f"toy-log/flipped: {NOT_LISTED} bad-luck", change("flipped", expect_strict=NO_REASON)),
        (f"toy-log/flipped: {NOT_LISTED} bad-luck",
         change("flipped", accept=[{"answer": REFUSED, "answer_strict": NO_REASON}])),
        ("toy-log/flipped: refused for bad-sum, which the register calls damage",
         change("flipped", expect_strict=REFUSED)),
    ],
    "unused_reason": [
        (f"{TOML}: no vector uses the reason code too-odd",
         edit(TOML, "fields = {}", f"{TOO_ODD}\nfields = {{}}")),
        (f"{TOML}: no requirement defines the reason code bad-sum",
         edit(TOML, '["TOY-002"]', '["TOY-009"]')),
    ],
    "wrong_decision": [
        ("toy-log/sound: decided_by: end: expected TOY-004, found None",
         change("sound", decided_by={})),
        ("toy-log/flipped: decided_by: bad-sum: expected TOY-002, found TOY-004",
         decide("flipped", lost=["TOY-004"])),
        ("toy-log/flipped: decided_by: bad-sum: expected TOY-002, found None",
         decide("flipped", lost=[])),
        ("toy-log/flipped: decided_by: lost: expected nothing, found TOY-002",
         decide("flipped", lost=["TOY-002", "TOY-002"])),
        ("toy-log/sound: decided_by: reason: expected nothing, found TOY-002",
         decide("sound", reason="TOY-002")),
        ("toy-log/sound: decided_by: verdict: expected TOY-001, found TOY-002",
         decide("sound", verdict="TOY-002")),
        ("toy-log/flipped: decided_by: strict: expected TOY-001, found None",
         change("flipped", expect_strict=INTACT)),
        ("toy-log/cut: decided_by: torn-unit: expected TOY-004, found TOY-002",
         change("cut", table=[{"from": 1, "verdict": "torn", "reason": "torn-unit"}]),
         decide("cut", table={"1": "TOY-002"})),
        ("toy-log/flipped: decided_by: the chapter toy-log does not define TOY-003",
         edit(TOML, '["TOY-002"]', '["TOY-002", "TOY-003"]'), decide("flipped", lost=["TOY-003"])),
    ],
    "unexercised_decision": [
        (f"{TOML}: bad-sum: no vector that lists TOY-001 has a range or reason by it",
         edit(TOML, '["TOY-002"]', '["TOY-002", "TOY-001"]')),
        (f"{TOML}: bad-sum: no vector that lists TOY-002 has a range or reason by it",
         change("flipped", requirements=["TOY-001"])),
    ],
    "stale_table": [
        (f"{MD}: no table between <!-- register: context --> marks", register(CONTEXT_KEY)),
        (f"{MD}:9: the table of context differs from the register",
         *FIXED_CONTEXT, edit(MD, "how many", "how few")),
        ("spec/toy2-log.toml: a register without a chapter",
         lambda toy: toy.write("spec/toy2-log.toml", (toy.root / TOML).read_text().replace(
             "toy-log", "toy2-log"))),
        (f"{MD}:16: the table of unseen differs from the register",
         searched, tables, edit("spec/one-bit/toy-log.json", '"changed": 3', '"changed": 2')),
    ],
    "stale_schema": [
        ("conformance/protocol/schemas/toy-log/context.schema.json: it differs from the register",
         register(CONTEXT_KEY)),
    ],
    "fault_without_reason": [
        (f"{TOML}: {message}", edit(TOML, "fields = {}", FAULT))
        for message in ("fault 'the sum is wrong': no reason 'bad-sun'",
                        "reason 'bad-size': no fault has it")
    ],
    "undecided_part": [
        (f"{TOML}: decides: expected a requirement that decides end, found TOY-009",
         edit(TOML, 'end = "TOY-004"', 'end = "TOY-009"')),
        (f"{TOML}: decides: expected a requirement that decides strict, found nothing",
         edit(TOML, 'strict = "TOY-001"\n', "")),
    ],
    "foreign_prefix": [
        (f"{TOML}: prefix YOT: the chapter has TOY", edit(TOML, '"TOY"', '"YOT"')),
    ],
    "unexplained_flip": [
        (f"{TOML}: nothing explains what 3 flips of units[].body do: changed",
         searched, edit(TOML, '"units[].body"', '"units[].bo"')),
        (f"{TOML}: 2 entries of unseen explain what 3 flips of units[].body do: changed",
         searched, register(UNSEEN.replace(".body", ".b*"))),
        (f"{TOML}: unseen 1 explains no flip: units[].head",
         searched, edit(TOML, "units[].body", "units[].head")),
        ("spec/one-bit/toy-log.json: there is no vector toy-log/gone",
         searched, edit("spec/one-bit/toy-log.json", "toy-log/sound", "toy-log/gone")),
        (f"{TOML}: reasons for unseen flips, but no search", register(UNSEEN)),
    ],
    "unproven_without_vector": [
        (f"{TOML}: unproven: there is no vector toy-log/gone", register(UNPROVEN),
         edit(TOML, "toy-log/flipped", "toy-log/gone")),
        (f"{TOML}: toy-log/flipped does not list TOY-004", register(UNPROVEN),
         edit(TOML, 'requirement = "TOY-002"', 'requirement = "TOY-004"')),
        (f"{TOML}: toy-log/flipped has no reason of TOY-002", register(UNPROVEN),
         edit(TOML, 'reasons = ["bad-sum"]', 'reasons = ["bad-luck"]')),
    ],
    "unsound_known_failure": [
        (f"{KNOWN}: there is no vector toy-log/gone", known("gone", "ignores-sums")),
        (f"{KNOWN}: toy-log/flipped never runs with profile write",
         known("flipped", "ignores-sums", profile="write")),
        (f"{KNOWN}: toy-log/flipped is listed 2 times for recover",
         known("flipped", "ignores-sums", times=2)),
        (f"{KNOWN}: the cause unexplained is not explained", known("flipped", "unexplained")),
        (f"{KNOWN}: the cause ignores-sums is not explained",
         edit(KNOWN, "It does not look at sums.", " ")),
        (f"{KNOWN}: the cause ignores-sums is used by no entry", known("flipped", "unexplained")),
    ],
}  # fmt: skip
BREAKS = [
    (rule, message, actions)
    for rule, breaks in BREAKS_BY_RULE.items()
    for message, *actions in breaks
]
