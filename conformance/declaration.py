"""Read TOML and JSON files that people or programs write, such as ``implementation.toml``."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any


class BrokenDeclaration(Exception):
    """Raised if a file does not match its schema. The message names the file and the fault."""


def read(path: Path, schema: Path) -> dict[str, Any]:
    """Return the declaration in a file. Raises :class:`BrokenDeclaration`, ``OSError``."""
    try:
        body = tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:  # not TOML, or not UTF-8
        raise BrokenDeclaration(f"{path}: {error}") from None
    # This import is local, because many commands need only the exception of this module.
    from conformance.json_schema import first_problem

    if (problem := first_problem(schema, body)) is not None:
        raise BrokenDeclaration(f"{path}: {': '.join(filter(None, problem))}")
    return body


def parse_json(
    data: str | bytes, where: Path | str, broken: type[BrokenDeclaration] = BrokenDeclaration
) -> Any:
    """Return the value of a JSON text. Raises ``broken`` with the location ``where``."""
    try:
        return json.loads(data)
    except ValueError as error:  # not JSON, or not UTF-8
        raise broken(f"{where}: not JSON: {error}") from None
    except RecursionError:
        raise broken(f"{where}: not JSON: its values are nested too deeply") from None
