"""A run as JUnit XML, for continuous integration: a test suite for each implementation.

Known failures are skipped test cases, because JUnit has no class for expected failures. Null
baselines are left out, because they fail by design.
"""

from __future__ import annotations

import io
from typing import Any
from xml.etree import ElementTree

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from conformance.text import one_line

from .classes import BY_NAME
from .failure import failure_text
from .json_report import Report

_MAX_STDERR_CHARACTERS = 4000


def junit(report: Report) -> str:
    """Return the XML as text."""
    document = JUnitXml("walproof")
    for implementation in report["implementations"]:
        if not implementation["baseline"]:
            document.add_testsuite(_suite(report, implementation))
    document.update_statistics()  # type: ignore[no-untyped-call]
    # Indent the document here, because the library's option ``pretty`` would parse it again.
    ElementTree.indent(document._elem)
    file = io.BytesIO()
    document.write(file)
    return file.getvalue().decode()


def _suite(report: Report, implementation: dict[str, Any]) -> TestSuite:
    suite = TestSuite(implementation["name"])
    suite.timestamp = str(implementation.get("asked") or report["started"])
    properties = {key: implementation[key] for key in ("title", "version", "language")}
    if isolation := report.get("isolation"):
        properties["isolation"] = ", ".join(isolation["by"])
        properties["not-held"] = "; ".join(isolation["could"]) or "nothing known"
    if score := implementation["score"]:
        properties["score-in-pairs"] = f"{score['pairs_passed']}/{score['pairs_total']}"
        if score.get("written_total"):
            properties["score-written"] = f"{score['written_passed']}/{score['written_total']}"
    for key, value in properties.items():
        if value:
            suite.add_property(key, one_line(value))
    if implementation["status"] != "ran":
        case = TestCase("set-up", implementation["name"])
        because = one_line(f"{implementation['status']}: {implementation['because']}")
        result_type = Skipped if implementation["status"] == "unavailable" else Error
        case.result = [result_type(because, implementation["status"])]
        suite.add_testcase(case)
    # Add all test cases at once, because the library recounts the suite after each call.
    suite.add_testcases(
        [_case(report, implementation, result) for result in implementation["results"]]
    )
    return suite


def _case(report: Report, implementation: dict[str, Any], result: dict[str, Any]) -> TestCase:
    class_name = f"{implementation['name']}.{result['profile']}"
    case = TestCase(result["vector"], class_name, (result["ms"] or 0.0) / 1000)
    outcome = BY_NAME[result["class"]]
    if outcome.junit == "passed":
        return case
    message = result.get("difference") or outcome.meaning
    if outcome.name == "known-failure":
        cause = f" ({result['cause']})" if result.get("cause") else ""
        message = f"known failure: {message}{cause}"
    result_type = {"failure": Failure, "error": Error, "skipped": Skipped}[outcome.junit]
    entry = result_type(one_line(message), outcome.name)
    if outcome.junit != "skipped":
        entry.text = failure_text(report, implementation, result)
    case.result = [entry]
    if result.get("stderr"):
        case.system_err = one_line(result["stderr"].strip()[-_MAX_STDERR_CHARACTERS:])
    return case
