"""A run as SARIF 2.1.0, for code hosts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from conformance import code_host
from conformance.chapter import chapter
from conformance.text import one_line

from .classes import BY_NAME
from .json_report import Report

Entry = Mapping[str, Any]


def sarif(report: Report) -> str:
    """Return the log with each unexpected result, and each known failure as suppressed."""
    shown = [
        (implementation, result)
        for implementation, result in _results(report)
        if not BY_NAME[result["class"]].expected or result["class"] == "known-failure"
    ]
    rules: dict[str, dict[str, Any]] = {}
    for _, result in shown:
        id = _rule_of(report, result)
        rules.setdefault(id, _rule(report, result, id))
    order = sorted(rules)
    results = [_sarif(report, *each, order) for each in shown]
    return code_host.sarif_log("walproof check", [rules[id] for id in order], results)


def place_of(implementation: Entry, result: Entry) -> tuple[str, int]:
    """Return the file and the line of a result, relative to the run's directory, or ``("", 0)``."""
    listed = implementation.get("known_failures")
    if result["class"] == "unexpected-pass" and listed:
        return listed, _line_in(Path(listed), result)
    return implementation.get("place") or "", 0


def _line_in(listed: Path, result: Entry) -> int:
    """Return the line of a case in a list of known failures: of its vector, then its profile."""
    try:
        lines = listed.read_text("utf-8").splitlines()
    except OSError:
        return 0
    vector = f'"vector": {json.dumps(result["vector"])}'
    profile = f'"profile": {json.dumps(result["profile"])}'
    for number, line in enumerate(lines, 1):
        if vector in line and any(profile in near for near in lines[number - 1 : number + 1]):
            return number
    return 0


def _results(report: Report) -> Iterable[tuple[Entry, Entry]]:
    for implementation in report["implementations"]:
        if not implementation["baseline"]:
            yield from ((implementation, result) for result in implementation["results"])


def _rule_of(report: Report, result: Entry) -> str:
    """Return the requirement that an incorrect answer breaks, or the class of any other result."""
    requirements = report["vectors"][result["vector"]]["requirements"]
    if result["class"] in ("fail", "known-failure") and requirements:
        return str(requirements[0])
    return str(result["class"])


def _rule(report: Report, result: Entry, id: str) -> dict[str, Any]:
    format = report["vectors"][result["vector"]]["format"]
    requirement = chapter(format).requirements.get(id)
    if requirement is None:
        outcome = BY_NAME.get(id)
        return {"id": id, "shortDescription": {"text": outcome.meaning if outcome else id}}
    return {
        "id": id,
        "shortDescription": {"text": requirement.first_sentence},
        "fullDescription": {"text": requirement.text},
        "help": {"text": f"{requirement.text}\n\nwalproof explain {id}"},
        "properties": {"tags": [format, requirement.level]},
    }


def _sarif(
    report: Report, implementation: Entry, result: Entry, rules: list[str]
) -> dict[str, Any]:
    id = _rule_of(report, result)
    vector = report["vectors"][result["vector"]]
    difference = one_line(result["difference"] or BY_NAME[result["class"]].meaning)
    about = f"{result['vector']} ({result['profile']}): {vector['title']}"
    name = one_line(implementation["name"])
    entry: dict[str, Any] = {
        "ruleId": id,
        "ruleIndex": rules.index(id),
        "level": "error",
        "message": {"text": f"{name}, {about}\n{difference}\nRepeat it: {result['repeat']}"},
        "partialFingerprints": {"case/v1": f"{name}/{result['vector']}/{result['profile']}"},
        "properties": {"class": result["class"], "requirements": vector["requirements"]},
    }
    file, line = place_of(implementation, result)
    logical = [{"fullyQualifiedName": result["vector"], "kind": "resource"}]
    entry["locations"] = [
        (code_host.location(file, line) if file else {}) | {"logicalLocations": logical}
    ]
    if result["class"] == "known-failure":
        cause = one_line(result.get("cause") or "listed as a known failure")
        entry["suppressions"] = [{"kind": "external", "justification": cause}]
    return entry
