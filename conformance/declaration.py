"""TOML that is written by hand, such as ``implementation.toml``: read, and held to its schema."""

from __future__ import annotations

import functools
import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


class BrokenDeclaration(Exception):
    """A file is not what its schema describes; the text names the file and what was expected."""


def read(path: Path, schema: Path) -> dict[str, Any]:
    """What a file declares. Raises :class:`BrokenDeclaration`, ``OSError``."""
    try:
        body = tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:  # neither TOML nor UTF-8
        raise BrokenDeclaration(f"{path}: {error}") from None
    # Not loaded by the many commands that only name this exception.
    from jsonschema.exceptions import best_match

    wrong = best_match(_validator(schema).iter_errors(body))
    if wrong is not None:
        where = "/".join(map(str, wrong.absolute_path))
        raise BrokenDeclaration(f"{path}: {f'{where}: ' if where else ''}{wrong.message[:300]}")
    return body


@functools.cache
def _validator(schema: Path) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema.read_text("utf-8")))
