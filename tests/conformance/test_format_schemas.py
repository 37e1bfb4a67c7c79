"""The schemas that are generated from the registers accept every vector."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, Registry

from conformance.protocol.messages import SCHEMAS
from conformance.vectors import load_all
from reference_impl.register import registers

FORMATS = list(registers())


def validator(format: str, name: str) -> Draft202012Validator:
    paths = [SCHEMAS / "answer.schema.json", SCHEMAS / format / f"{name}.schema.json"]
    schemas = [json.loads(path.read_text()) for path in paths]
    registry = Registry([(schema["$id"], schema) for schema in schemas])
    return Draft202012Validator(schemas[1], registry=registry)


def vectors(format: str) -> Iterator[Mapping[str, Any]]:
    return (each.body for each in load_all().values() if each.body["format"] == format)


@pytest.mark.parametrize("format", FORMATS)
def test_every_answer_in_the_vectors_fits(format: str) -> None:
    schema = validator(format, "answer")
    for body in vectors(format):
        for part in ("expect", "expect_strict"):
            for error in schema.iter_errors(body.get(part, {"records": []})):
                pytest.fail(f"{body['id']}: {part}: {error.instance_path}: {error.message}")


@pytest.mark.parametrize("format", FORMATS)
def test_every_context_in_the_vectors_fits(format: str) -> None:
    schema = validator(format, "context")
    for body in vectors(format):
        for error in schema.iter_errors(body.get("context", {})):
            pytest.fail(f"{body['id']}: {error.instance_path}: {error.message}")


@pytest.mark.parametrize("format", FORMATS)
def test_unknown_fields_and_codes_do_not_fit(format: str) -> None:
    answer = validator(format, "answer")
    body = next(b for b in vectors(format) if b["expect"]["lost"] and b["expect"]["records"])
    good = body["expect"]
    assert answer.is_valid(good)
    for change in (
        lambda bad: bad.update(reason="no-such-code"),
        lambda bad: bad["lost"][0].update(reason="no-such-code"),
        lambda bad: bad["records"][0].update(colour="red"),
    ):
        bad = copy.deepcopy(good)
        change(bad)
        assert not answer.is_valid(bad)
    assert not validator(format, "context").is_valid({"no_such_key": 1})
