"""Load the JSON Schemas of the suite once, and validate values with jsonschema-rs."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator, Registry, ValidationError

MAX_MESSAGE_CHARACTERS = 300


@functools.cache
def validator(path: Path) -> Draft202012Validator:
    """Return the validator of a schema, which may refer to schemas in its directory by name."""
    siblings = [
        (other.name, json.loads(other.read_text("utf-8")))
        for other in path.parent.glob("*.schema.json")
    ]
    schema = json.loads(path.read_text("utf-8"))
    return Draft202012Validator(schema, registry=Registry(siblings))


def first_problem(path: Path, value: Any) -> tuple[str, str] | None:
    """Return the path and message of the first schema violation in a value, or None.

    The path is empty if the value as a whole is invalid.
    """
    error = next(validator(path).iter_errors(value), None)
    return None if error is None else ("/".join(map(str, error.instance_path)), _message(error))


def _message(error: ValidationError) -> str:
    text = error.message
    if len(text) <= MAX_MESSAGE_CHARACTERS:
        return text
    # Keep both ends: a message begins with the value and ends with the reason.
    half = MAX_MESSAGE_CHARACTERS // 2
    return f"{text[:half]}…{text[-half:]}"
