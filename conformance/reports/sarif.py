"""A run as SARIF 2.1.0, which code hosts read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from conformance import __version__
from conformance.chapter import chapter
from conformance.text import one_line

from .classes import BY_NAME, CLASSES
from .deciding import requirements_of
from .failure import heading
from .json_report import Report
from .summary import of_classes

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(report: Report) -> str:
    """Return a SARIF log of the unexpected results and, as suppressed ones, the known failures."""
    names = [each.name for each in CLASSES if not each.expected or each.name == "known-failure"]
    shown = of_classes(report, names)
    rules = {_rule_id(report, result): _rule(report, result) for _, result in shown}
    driver = {"name": "walproof check", "semanticVersion": __version__, "rules": [*rules.values()]}
    run = {
        "tool": {"driver": driver},
        "results": [_result(report, *each) for each in shown],
        "columnKind": "utf16CodeUnits",
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rule_id(report: Report, result: Mapping[str, Any]) -> str:
    """Return the requirement that an incorrect answer breaks, or the class of any other result."""
    if result["class"] in ("fail", "known-failure") and (ids := requirements_of(report, result)):
        return ids[0]
    return str(result["class"])


def _rule(report: Report, result: Mapping[str, Any]) -> dict[str, Any]:
    id = _rule_id(report, result)
    format = report["vectors"][result["vector"]]["format"]
    if (requirement := chapter(format).requirements.get(id)) is not None:
        return {"id": id, "shortDescription": {"text": requirement.text}}
    return {"id": id, "shortDescription": {"text": BY_NAME[id].meaning if id in BY_NAME else id}}


def _result(
    report: Report, implementation: Mapping[str, Any], result: Mapping[str, Any]
) -> dict[str, Any]:
    difference = one_line(result["difference"] or BY_NAME[result["class"]].meaning)
    name, case = one_line(implementation["name"]), f"{result['vector']}/{result['profile']}"
    text = f"{name}: {heading(report, result)}\n{difference}\nRepeat it: {result['repeat']}"
    location: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": result["vector"], "kind": "resource"}]
    }
    # If a known failure passes, the list of known failures is wrong.
    keys = ("known_failures", "place") if result["class"] == "unexpected-pass" else ("place",)
    if file := next((implementation[key] for key in keys if implementation.get(key)), None):
        location["physicalLocation"] = {"artifactLocation": {"uri": file}}
    entry: dict[str, Any] = {
        "ruleId": _rule_id(report, result),
        "level": "error",
        "message": {"text": text},
        "partialFingerprints": {"case/v1": f"{name}/{case}"},
        "locations": [location],
        "properties": {"class": result["class"]},
    }
    if result["class"] == "known-failure":
        cause = one_line(result.get("cause") or "listed as a known failure")
        entry["suppressions"] = [{"kind": "external", "justification": cause}]
    return entry
