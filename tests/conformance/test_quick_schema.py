"""What a compiled schema takes for valid, jsonschema does: whatever is done to a valid value."""

from __future__ import annotations

import copy
import json
import random

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from conformance import VECTORS, quick_schema
from conformance.protocol.messages import SCHEMAS
from conformance.quick_schema import NotCompiled, certainly, compiled
from conformance.reports.json_report import SCHEMA_PATH

MESSAGES = {path.name: json.loads(path.read_text()) for path in SCHEMAS.glob("*.schema.json")}
SCHEMA = {
    **MESSAGES,
    "vector": json.loads((VECTORS / "schema.json").read_text()),
    "report": json.loads(SCHEMA_PATH.read_text()),
}
STRANGE = [
    None, True, False, 0, 1, -1, 1.0, 0.5, -1.0, "", "a", "0a", "0A", "0", "0a\n", "pass", "read",
    [], [1], ["a", "a"], {}, {"payload": "00"}, {"at": 1, "file": "x"}, "length", 2**70,
]  # fmt: skip
RECORD = {"payload": "00ff", "at": 0, "size": 9, "index": "1"}
ANSWER = {
    "verdict": "damaged", "reason": "x", "records": [RECORD, {"payload_sha256": "0" * 64}],
    "lost": [{"from": 1, "to": 2, "reason": "a-b", "file": "f"}], "end": {"file": "f", "at": 1},
    "signals": ["s"],
}  # fmt: skip
HELLO = {
    "name": "n", "version": "1", "language": "C", "formats": ["leveldb-log"],
    "profiles": ["recover", "write"], "reports": ["records", "at"], "homepage": "https://x.y",
}  # fmt: skip
RESULT = {
    "vector": "f/v", "profile": "recover", "class": "fail", "ms": 1.5, "difference": "d",
    "cause": None, "expected": ANSWER, "actual": ANSWER, "stderr": None, "repeat": "r",
}  # fmt: skip
EXAMPLES = {
    "answer.schema.json": [ANSWER, {"records": [], "end": None}, {"records": [], "end": 4}],
    "read-reply.schema.json": [
        {"seq": 1, "answer": ANSWER},
        {"seq": 1, "skipped": "why"},
        {"seq": 1, "structure": {"fields": 1, "sha256": "0" * 64, "listing": ["x"]}},
    ],
    "done-reply.schema.json": [{"seq": 1, "done": True}, {"seq": 1, "refused": "why"}],
    "hello-reply.schema.json": [HELLO],
    "vector": [
        json.loads(path.read_text())
        for format in sorted(VECTORS.iterdir())
        if format.is_dir()
        for path in sorted(format.glob("*.json"))[::40]
    ],
}


def validator(name):
    registry = Registry().with_resources(
        [(name, Resource.from_contents(schema)) for name, schema in MESSAGES.items()]
    )
    return Draft202012Validator(SCHEMA[name], registry=registry)


def changed(value, chance):
    """The value with one thing in it replaced, removed or added."""
    value = copy.deepcopy(value)
    places = []

    def walk(one):
        keys = list(one) if isinstance(one, dict) else range(len(one))
        for key in keys:
            places.append((one, key))
            if isinstance(one[key], (dict, list)):
                walk(one[key])

    walk(value)
    holder, key = chance.choice(places)
    what = chance.randrange(4)
    if what == 0:
        del holder[key]
    elif what == 1 and isinstance(holder, dict):
        holder[chance.choice(["new", "payload", "payload_sha256", "done", "skipped", "size"])] = (
            chance.choice(STRANGE)
        )
    elif what == 2 and isinstance(holder, list):
        holder.append(chance.choice(STRANGE))
    else:
        holder[key] = chance.choice(STRANGE)
    return value


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_valid_is_certain(name):
    check = compiled(SCHEMA[name], MESSAGES)
    for example in EXAMPLES[name]:
        assert validator(name).is_valid(example), example
        assert check(example), example


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_certain_is_valid(name):
    check, decides, chance = compiled(SCHEMA[name], MESSAGES), validator(name), random.Random(1)
    certain = 0
    for _ in range(4000 if name != "vector" else 600):
        value = changed(chance.choice(EXAMPLES[name]), chance)
        if check(value):
            certain += 1
            assert decides.is_valid(value), value
    assert certain > 50  # enough of them to tell


def test_a_report_is_certain_and_a_wrong_result_is_not():
    schema = {**SCHEMA["report"]["$defs"]["result"], "$defs": SCHEMA["report"]["$defs"]}
    check, decides = compiled(schema), Draft202012Validator(schema)
    assert check(RESULT) and decides.is_valid(RESULT)
    assert not check({**RESULT, "class": "pass"})  # a pass has no answer
    assert not decides.is_valid({**RESULT, "class": "pass"})


@pytest.mark.parametrize("name", SCHEMA)
def test_every_schema_of_ours_is_compiled(name):
    compiled(SCHEMA[name], MESSAGES)


@pytest.mark.parametrize("keyword", ["maximum", "patternProperties", "dependentRequired", "else"])
def test_a_keyword_that_is_not_known_is_never_ignored(keyword):
    with pytest.raises(NotCompiled, match=keyword):
        compiled({keyword: {}, "if": {"required": ["a"]}})


def test_a_condition_in_doubt_is_not_compiled():
    with pytest.raises(NotCompiled):
        compiled({"if": {"properties": {"a": {"minimum": 1}}}, "then": {"required": ["b"]}})


def test_a_value_beyond_all_bounds_is_not_certain():
    endless = []
    endless.append(endless)
    schema = {"items": {"$ref": "#/$defs/x"}, "$defs": {"x": {"items": {"$ref": "#/$defs/x"}}}}
    assert not certainly(compiled(schema), endless)


def test_hexadecimal_is_checked_to_the_last_digit():
    check = compiled({"pattern": quick_schema.HEX})
    assert check("00ff" * 5000)
    assert not check("00ff" * 5000 + "0") and not check("0g") and not check("AA")
