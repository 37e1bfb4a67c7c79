"""A review for code hosts: as SARIF 2.1.0, and as workflow commands that annotate lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from conformance import __version__
from walproof.review.finding import RULES, Finding, Severity
from walproof.review.printing import headline
from walproof.review.review import Review

_LEVELS: Mapping[Severity, str] = {"breaking": "error", "warning": "warning", "note": "note"}
_COMMANDS: Mapping[Severity, str] = {"breaking": "error", "warning": "warning", "note": "notice"}


def sarif(review: Review) -> str:
    """The log of one run. An excused finding is there, suppressed, with the reason."""
    used = sorted({finding.rule for finding in review.findings})
    rules = [{"id": id, "shortDescription": {"text": RULES[id]}} for id in used]
    run = {
        "tool": {
            "driver": {"name": "walproof review", "semanticVersion": __version__, "rules": rules}
        },
        "results": [_result(finding, used) for finding in review.findings],
        "columnKind": "utf16CodeUnits",
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(log, indent=1) + "\n"


def _result(finding: Finding, rules: list[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(finding)},
        "properties": {"classes": list(finding.classes)},
    }
    file, line = finding.place
    if file:
        where: dict[str, Any] = {"artifactLocation": {"uri": file}}
        if line:
            where["region"] = {"startLine": line}
        result["locations"] = [{"physicalLocation": where}]
    if finding.excused is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.excused}]
    return result


def workflow_commands(review: Review) -> str:
    """A line for each finding that nothing excuses: ``::error file=…,line=…,title=…::…``."""
    lines = [f"::notice title=walproof review::{_data(headline(review))}"]
    for finding in review.findings:
        if finding.excused is not None:
            continue
        file, line = finding.place
        places = {"file": file, "line": str(line or ""), "title": finding.rule}
        said = ",".join(f"{key}={_property(value)}" for key, value in places.items() if value)
        lines.append(f"::{_COMMANDS[finding.severity]} {said}::{_data(_message(finding))}")
    return "\n".join(lines) + "\n"


def _message(finding: Finding) -> str:
    classes = " ".join(finding.classes)
    return f"{finding.subject}: {finding.change} ({classes}; hurts {finding.hurts})"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
