"""A review as SARIF 2.1.0, for code hosts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.code_host import location, sarif_log
from walproof.review.finding import RULES, Finding, Severity
from walproof.review.review import Review

_LEVELS: Mapping[Severity, str] = {"breaking": "error", "warning": "warning", "note": "note"}


def sarif(review: Review) -> str:
    """The log of one run. An excused finding is there, suppressed, with the reason."""
    used = sorted({finding.rule for finding in review.findings})
    rules = [{"id": id, "shortDescription": {"text": RULES[id]}} for id in used]
    return sarif_log("walproof review", rules, [_result(one, used) for one in review.findings])


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
        result["locations"] = [location(file, line)]
    if finding.excused is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.excused}]
    return result


def _message(finding: Finding) -> str:
    classes = " ".join(finding.classes)
    return f"{finding.subject}: {finding.change} ({classes}; hurts {finding.hurts})"
