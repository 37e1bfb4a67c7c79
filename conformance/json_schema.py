"""JSON Schemas of the suite: loaded once, checked by jsonschema-rs."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator, Registry, ValidationError

MAX_MESSAGE_CHARACTERS = 300


@functools.cache
def validator(path: Path) -> Draft202012Validator:
    """Return the validator of a schema; it may refer to other schemas in its directory by name."""
    siblings = [
        (other.name, json.loads(other.read_text("utf-8")))
        for other in path.parent.glob("*.schema.json")
    ]
    schema = json.loads(path.read_text("utf-8"))
    return Draft202012Validator(schema, registry=Registry(siblings))


def problems(path: Path, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the path and the message of each violation of a schema.

    The path is empty if the value as a whole is invalid.
    """
    for error in validator(path).iter_errors(value):
        yield "/".join(map(str, error.instance_path)), _message(error)


def first_problem(path: Path, value: Any) -> tuple[str, str] | None:
    """Return the first of :func:`problems`, or None for a valid value."""
    return next(problems(path, value), None)


def _message(error: ValidationError) -> str:
    text = error.message
    if len(text) <= MAX_MESSAGE_CHARACTERS:
        return text
    # The value comes first in a message, the reason last.
    half = MAX_MESSAGE_CHARACTERS // 2
    return f"{text[:half]}…{text[-half:]}"
