"""A run as SARIF 2.1.0, for code hosts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance import code_host
from conformance.chapter import chapter
from conformance.text import one_line

from .classes import BY_NAME, CLASSES
from .json_report import Report
from .summary import of_classes

Entry = Mapping[str, Any]


def sarif(report: Report) -> str:
    """Return the log with each unexpected result, and each known failure as suppressed."""
    names = [each.name for each in CLASSES if not each.expected or each.name == "known-failure"]
    shown = of_classes(report, names)
    rules: dict[str, dict[str, Any]] = {}
    for _, result in shown:
        id = _rule_of(report, result)
        rules.setdefault(id, _rule(report, result, id))
    order = sorted(rules)
    results = [_sarif(report, *each, order) for each in shown]
    return code_host.sarif_log("walproof check", [rules[id] for id in order], results)


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
    # A known failure that passes is a fault of the list.
    keys = ("known_failures", "place") if result["class"] == "unexpected-pass" else ("place",)
    file = next((implementation[key] for key in keys if implementation.get(key)), "")
    logical = [{"fullyQualifiedName": result["vector"], "kind": "resource"}]
    entry["locations"] = [
        (code_host.location(file) if file else {}) | {"logicalLocations": logical}
    ]
    if result["class"] == "known-failure":
        cause = one_line(result.get("cause") or "listed as a known failure")
        entry["suppressions"] = [{"kind": "external", "justification": cause}]
    return entry
