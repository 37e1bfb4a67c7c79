"""Read and write the run report as a JSON file, with validation.

The schema is `report.schema.json` in this directory. This module also checks rules that JSON Schema
cannot express, for example that each result refers to a vector in the report.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from conformance import json_schema, saving

Report: TypeAlias = dict[str, Any]

SCHEMA_PATH = Path(__file__).with_name("report.schema.json")
_SHOWN = 5


class InvalidReport(ValueError):
    """The object is not a run report. `problems` holds one line per fault."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        more = len(problems) - _SHOWN
        lines = problems[:_SHOWN] + ([f"and {more} more"] if more > 0 else [])
        super().__init__("not a run report:\n  " + "\n  ".join(lines))


def validate(report: Report) -> None:
    """Raise `InvalidReport` unless `report` is a consistent run report."""
    problems = [
        f"${'/' * bool(where)}{where}: {message}"
        for where, message in json_schema.problems(SCHEMA_PATH, report)
    ]
    # The second check relies on the first one.
    problems = problems or list(_contradictions(report))
    if problems:
        raise InvalidReport(problems)


def _contradictions(report: Report) -> Iterator[str]:
    vectors = report["vectors"]
    for vector_id, vector in vectors.items():
        if not vector_id.startswith(vector["format"] + "/"):
            yield f"vector {vector_id}: its format is {vector['format']}"
    names: set[str] = set()
    for implementation in report["implementations"]:
        name = implementation["name"]
        if name in names:
            yield f"implementation {name} occurs twice"
        names.add(name)
        if (implementation["status"] == "ran") != (implementation["because"] is None):
            yield f"implementation {name}: `because` belongs to every status but ran"
        if implementation["status"] == "ran" and implementation["score"] is None:
            yield f"implementation {name}: ran, but has no score"
        score = implementation["score"]
        if score is not None and score["pairs_passed"] > score["pairs_total"]:
            yield f"implementation {name}: more pairs passed than there are"
        seen: set[tuple[str, str]] = set()
        for result in implementation["results"]:
            key = (result["vector"], result["profile"])
            if result["vector"] not in vectors:
                yield f"implementation {name}: result for unknown vector {result['vector']}"
            if key in seen:
                yield f"implementation {name}: two results for {key[0]} in profile {key[1]}"
            seen.add(key)


def save(report: Report, path: Path | str) -> None:
    """Validate `report` and write it to `path` atomically."""
    validate(report)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    # ASCII only: stderr of a program may hold lone surrogates, which UTF-8 cannot encode.
    saving.save(Path(path), json.dumps(report) + "\n")


def load(path: Path | str) -> Report:
    """Read a run report from a file, or from `report.json` in a directory.

    Raises `OSError` if the file is unreadable, and `InvalidReport` if it is invalid.
    """
    path = Path(path) / "report.json" if Path(path).is_dir() else Path(path)
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InvalidReport([f"{path}: {error}"]) from error
    validate(report)
    assert isinstance(report, dict)
    return report
