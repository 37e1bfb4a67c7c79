"""Read and write the run report as a JSON file, with validation.

The file is more compact than the report in memory. Cases with equal results share one entry, which
lists them by profile and vector. Each cause is listed once per implementation. The file contains an
expected answer only if it differs from the one in the vector. In an actual answer, numbers replace
the records and lost ranges that are also in the expected answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from conformance import json_schema, saving
from conformance.case_results import commands
from conformance.declaration import BrokenDeclaration, parse_json
from conformance.vector_cases import STRUCTURE, VectorCase
from conformance.vectors import Vector, load_all

Report: TypeAlias = dict[str, Any]
Result: TypeAlias = dict[str, Any]

SCHEMA_PATH = Path(__file__).with_name("report.schema.json")
#: The file omits these keys of a result if they are null.
OPTIONAL = ("difference", "found", "cause", "actual", "stderr")
#: Results in the same entry of the file may differ in these keys.
CASE = ("vector", "profile", "ms")
#: Parts of an answer that are lists.
LISTS = {"records", "lost"}
PROFILES = ("recover", "strict", "write", "append", STRUCTURE)


class InvalidReport(BrokenDeclaration):
    """The object is not a run report."""


def validate(report: Report) -> None:
    """Raise `InvalidReport` unless `report` is the content of a report file."""
    if (problem := json_schema.first_problem(SCHEMA_PATH, report)) is not None:
        where, message = problem
        raise InvalidReport(f"not a run report: {where or 'the report'}: {message}")


def json_text(report: Report) -> str:
    """Return `report` as the text of a file. Raises `InvalidReport`."""
    vectors = _unchanged(report)
    compact = {
        **report,
        "implementations": [_compact(each, vectors) for each in report["implementations"]],
    }
    validate(compact)
    # The text is ASCII, because stderr of a program may contain lone surrogates, which UTF-8 cannot
    # encode.
    return json.dumps(compact, separators=(",", ":")) + "\n"


def save(report: Report, path: Path | str) -> None:
    """Validate `report` and write it to `path` atomically."""
    text = json_text(report)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    saving.save(Path(path), text)


def load(path: Path | str) -> Report:
    """Read a run report from a file, or from `report.json` in a directory.

    If a vector has changed since the run, its results lack the expected and the actual answer.
    Raises `OSError` and `InvalidReport`.
    """
    path = Path(path) / "report.json" if Path(path).is_dir() else Path(path)
    report = parse_json(path.read_bytes(), path, InvalidReport)
    try:
        validate(report)
    except InvalidReport as error:
        raise InvalidReport(f"{path}: {error}") from error
    assert isinstance(report, dict)
    vectors = _unchanged(report)
    order = {id: number for number, id in enumerate(report["vectors"])}
    for entry in report["implementations"]:
        results = list(_single(entry, entry.pop("causes"), vectors))
        results.sort(key=lambda each: (order[each["vector"]], PROFILES.index(each["profile"])))
        entry["results"] = results
    return report


def _unchanged(report: Report) -> dict[str, Vector]:
    """Return the vectors of this tree that have not changed since the run."""
    tree = load_all()
    return {
        id: tree[id]
        for id, described in report["vectors"].items()
        if id in tree and described.get("digest") == tree[id].short_digest
    }


def _compact(entry: Mapping[str, Any], vectors: Mapping[str, Vector]) -> dict[str, Any]:
    """Return an implementation's entry in the file."""
    causes = list(dict.fromkeys(each["cause"] for each in entry["results"] if each["cause"]))
    return {**entry, "causes": causes, "results": list(_grouped(entry, causes, vectors))}


def _grouped(
    entry: Mapping[str, Any], causes: Sequence[str], vectors: Mapping[str, Vector]
) -> Iterator[Result]:
    """Yield the file's entries for an implementation's results."""
    groups: dict[str, Result] = {}
    for result in entry["results"]:
        id, profile = result["vector"], result["profile"]
        common = {
            name: value
            for name, value in result.items()
            if name not in CASE and not (name in OPTIONAL and value is None)
        }
        for name, command in _commands(entry, id, profile).items():
            if common.get(name) == command:
                del common[name]
        if "cause" in common:
            common["cause"] = causes.index(common["cause"])
        expected = result["expected"]
        if expected and "actual" in common:
            common["actual"] = _numbered(common["actual"], expected)
        if expected == _expected(result["class"], vectors.get(id), profile):
            del common["expected"]
        group = groups.setdefault(json.dumps(common, sort_keys=True), {**common, "cases": {}})
        group["cases"].setdefault(profile, {})[id] = result["ms"]
    yield from groups.values()


def _single(
    entry: Mapping[str, Any], causes: Sequence[str], vectors: Mapping[str, Vector]
) -> Iterator[Result]:
    """Yield the results of an implementation from its entries in the file."""
    for group in entry["results"]:
        common = {name: value for name, value in group.items() if name != "cases"}
        if "cause" in common:
            common["cause"] = causes[common["cause"]]
        for profile, cases in group["cases"].items():
            for id, ms in cases.items():
                result = {
                    "vector": id,
                    "profile": profile,
                    "ms": ms,
                    **dict.fromkeys(OPTIONAL),
                    "expected": _expected(common["class"], vectors.get(id), profile),
                    **_commands(entry, id, profile),
                    **common,
                }
                if result["actual"] and result["expected"]:
                    result["actual"] = _resolved(result["actual"], result["expected"])
                elif result["actual"] and "expected" not in common:
                    result["actual"] = None  # its numbers refer to items of another answer
                yield result


def _commands(entry: Mapping[str, Any], id: str, profile: str) -> dict[str, str]:
    return commands(entry.get("repeat"), entry.get("ask"), id, profile)


def _expected(outcome: str, vector: Vector | None, profile: str) -> Any:
    if vector is None or profile == STRUCTURE or outcome in ("pass", "skipped", "unexpected-pass"):
        return None
    return VectorCase(vector, profile).expect


def _numbered(actual: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer in which numbers replace the items of the expected answer.

    If a reader reports only some fields of records, only these fields are compared, and the file
    lists their names.
    """
    numbered = dict(actual)
    fields = {name for each in actual.get("records", ()) for name in each}
    if any(each.keys() - fields for each in expected.get("records", ())):
        numbered["fields"] = sorted(fields)
    for part in LISTS & actual.keys() & expected.keys():
        items = _items(numbered, expected, part)
        numbers = {json.dumps(each, sort_keys=True): number for number, each in enumerate(items)}
        numbered[part] = [
            numbers.get(json.dumps(each, sort_keys=True), each) for each in actual[part]
        ]
    return numbered


def _resolved(numbered: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer in which items of the expected answer replace their numbers."""
    actual = {name: value for name, value in numbered.items() if name != "fields"}
    for part in LISTS & numbered.keys() & expected.keys():
        items = _items(numbered, expected, part)
        actual[part] = [items[each] if isinstance(each, int) else each for each in numbered[part]]
    return actual


def _items(numbered: Mapping[str, Any], expected: Mapping[str, Any], part: str) -> list[Any]:
    fields = numbered.get("fields")
    if part != "records" or fields is None:
        return list(expected[part])
    return [{name: each[name] for name in fields if name in each} for each in expected[part]]
