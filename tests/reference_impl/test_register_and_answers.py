"""The answers in the vectors have only fields, types and reason codes from the registers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import NoneType
from typing import Any

import pytest

from conformance.vectors import load_all
from reference_impl.register import Register, registers

# In every format, this field replaces a ``payload`` of more than 4096 bytes (spec/conventions.md).
COMMON = {"payload_sha256": ("hex",)}
VERDICTS = {"torn": "torn", "damaged": "damage", "refused": "refused"}


@pytest.mark.parametrize("format", list(registers()))
def test_answers_match_the_register(format: str) -> None:
    register = registers()[format]
    assert sorted(set(strangers(register, list(answers(format))))) == []


@pytest.mark.parametrize("format", list(registers()))
def test_a_field_that_is_not_optional_is_in_every_record(format: str) -> None:
    required = {field.name for field in registers()[format].fields.values() if not field.optional}
    for answer in answers(format):
        for record in answer["records"]:
            assert required - {"payload"} <= record.keys()


def answers(format: str) -> Iterator[Mapping[str, Any]]:
    for vector in load_all().values():
        if vector.body["format"] == format:
            yield vector.body["expect"]
            if "expect_strict" in vector.body:
                yield vector.body["expect_strict"]


def strangers(register: Register, answers: list[Mapping[str, Any]]) -> Iterator[str]:
    """Yield codes, fields and field types that occur in answers but not in the register."""
    types = {name: field.types for name, field in register.fields.items()} | COMMON
    for answer in answers:
        if (reason := answer["reason"]) is not None:
            kinds = register.reasons[reason].kinds if reason in register.reasons else ()
            if VERDICTS[answer["verdict"]] not in kinds:
                yield f"{answer['verdict']}: {reason}"
        yield from (f"lost: {gap['reason']}" for gap in answer["lost"]
                    if gap["reason"] not in register.reasons)  # fmt: skip
        for record in answer["records"]:
            for name, value in record.items():
                if not any(is_of(type_name, value) for type_name in types.get(name, ())):
                    yield f"{name}: {value!r:.60}"


def is_of(type: str, value: Any) -> bool:
    """Return whether a JSON value has a type, given by its name in the registers."""
    if isinstance(value, str):
        patterns = {"text": ".*", "hex": "([0-9a-f]{2})*", "decimal": "-?[0-9]+"}
        return type in patterns and bool(re.fullmatch(patterns[type], value, re.DOTALL))
    if isinstance(value, bool):  # a bool is an int in Python but not a number in JSON
        return type == "boolean"
    named = {"integer": int, "object": dict, "list": list, "null": NoneType}
    return type in named and isinstance(value, named[type])
