"""In the JUnit report, each result is one test case with its class and details."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest

from conformance.reports.junit import junit
from tests.conformance.reports.conftest import FLIPPED

WANTED = {
    "pass": None,
    "fail": "failure",
    "unexpected-pass": "failure",
    "crash": "error",
    "timeout": "error",
    "over-limit": "error",
    "protocol-error": "error",
    "skipped": "skipped",
    "known-failure": "skipped",
}


@pytest.fixture
def suites(report):
    document = ElementTree.fromstring(junit(report).encode())
    return {each.get("name"): each for each in document.iter("testsuite")}


def test_every_result_is_one_test_case_of_its_class(report, suites):
    for implementation in report["implementations"]:
        if implementation["baseline"] or implementation["status"] != "ran":
            continue
        suite, name = suites[implementation["name"]], implementation["name"]
        cases = [
            (case.get("name"), case.get("classname"), child.tag if child is not None else None)
            for case in suite.iter("testcase")
            for child in [next((x for x in case if x.tag != "system-err"), None)]
        ]
        assert sorted(cases, key=str) == sorted(
            (
                (each["vector"], f"{name}.{each['profile']}", WANTED[each["class"]])
                for each in implementation["results"]
            ),
            key=str,
        )
        columns = Counter(tag for _, _, tag in cases)
        assert int(suite.get("tests")) == len(cases)
        for column in ("failure", "error", "skipped"):
            plural = column + "s" * (column != "skipped")
            assert int(suite.get(plural)) == columns[column]


def test_unavailable_implementations_are_listed_and_baselines_are_not(suites):
    assert "null: refused" not in suites
    assert suites["iq80"].get("skipped") == "1"
    assert "mvn" in suites["iq80"].find("testcase/skipped").get("message")
    assert suites["my-reader"].get("errors") == "1"


def test_a_failure_has_its_details(suites):
    case = next(
        case for case in suites["goleveldb"].iter("testcase") if case.get("name").endswith(FLIPPED)
    )
    failure = case.find("failure")
    for text in ("LDB-028", "flip bit 17", 'nothing, found "brbvo"', "walproof check --impl"):
        assert text in failure.text
    assert failure.get("message").startswith("records: expected 1, found 2; not in the log")
    assert case.find("system-err").text == "bad \\x1b[0m block"
    known = suites["goleveldb"].find("testcase/skipped").get("message")
    assert known.startswith("known failure: ") and "It ignores the type." in known


def test_external_text_is_on_one_line_with_control_characters_escaped(builder):
    text = "said \x1b[31mred\x00\n::error::forged"
    report = (
        builder()
        .vector("flip", "checksum")
        .implementation("reader")
        .result("flip", "fail", difference=text, stderr=text)
        .build()
    )
    case = ElementTree.fromstring(junit(report).encode()).find(".//testcase")
    escaped = "said \\x1b[31mred\\x00\\n::error::forged"
    assert case.find("failure").get("message") == escaped
    assert case.find("system-err").text == escaped
    assert not any(line.lstrip().startswith("::") for line in junit(report).splitlines())
