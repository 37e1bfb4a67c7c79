"""Read and write the run report as a JSON file, with validation.

The schema is `report.schema.json` in this directory.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

from conformance import json_schema, saving
from conformance.declaration import BrokenDeclaration

Report: TypeAlias = dict[str, Any]

SCHEMA_PATH = Path(__file__).with_name("report.schema.json")
_SHOWN = 5


class InvalidReport(BrokenDeclaration):
    """The object is not a run report. `problems` holds one line per fault."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        more = len(problems) - _SHOWN
        lines = problems[:_SHOWN] + ([f"and {more} more"] if more > 0 else [])
        super().__init__("not a run report:\n  " + "\n  ".join(lines))


def validate(report: Report) -> None:
    """Raise `InvalidReport` unless `report` is a run report."""
    problems = [
        f"${'/' * bool(where)}{where}: {message}"
        for where, message in json_schema.problems(SCHEMA_PATH, report)
    ]
    if problems:
        raise InvalidReport(problems)


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
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InvalidReport([f"{path}: {error}"]) from error
    validate(report)
    assert isinstance(report, dict)
    return report
