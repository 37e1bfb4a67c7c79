"""Read and write the run report as a JSON file, with validation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

from conformance import json_schema, saving
from conformance.declaration import BrokenDeclaration, parse_json

Report: TypeAlias = dict[str, Any]

SCHEMA_PATH = Path(__file__).with_name("report.schema.json")


class InvalidReport(BrokenDeclaration):
    """The object is not a run report."""


def validate(report: Report) -> None:
    """Raise `InvalidReport` unless `report` is a run report."""
    if (problem := json_schema.first_problem(SCHEMA_PATH, report)) is not None:
        where, message = problem
        raise InvalidReport(f"not a run report: {where or 'the report'}: {message}")


def save(report: Report, path: Path | str) -> None:
    """Validate `report` and write it to `path` atomically."""
    validate(report)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    # ASCII only: stderr of a program may hold lone surrogates, which UTF-8 cannot encode.
    saving.save(Path(path), json.dumps(report) + "\n")


def load(path: Path | str) -> Report:
    """Read a run report from a file, or from `report.json` in a directory.

    Raises `OSError` and `InvalidReport`.
    """
    path = Path(path) / "report.json" if Path(path).is_dir() else Path(path)
    report = parse_json(path.read_bytes(), path, InvalidReport)
    try:
        validate(report)
    except InvalidReport as error:
        raise InvalidReport(f"{path}: {error}") from error
    assert isinstance(report, dict)
    return report
