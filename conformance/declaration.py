"""TOML that is written by hand, such as ``implementation.toml``: read, and held to its schema."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any


class BrokenDeclaration(Exception):
    """A file is not what its schema describes; the text names the file and what was expected."""


def read(path: Path, schema: Path) -> dict[str, Any]:
    """What a file declares. Raises :class:`BrokenDeclaration`, ``OSError``."""
    try:
        body = tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:  # neither TOML nor UTF-8
        raise BrokenDeclaration(f"{path}: {error}") from None
    # Not loaded by the many commands that only name this exception.
    from conformance.json_schema import first_problem

    if (problem := first_problem(schema, body)) is not None:
        raise BrokenDeclaration(f"{path}: {': '.join(filter(None, problem))}")
    return body
