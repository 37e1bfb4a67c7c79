"""JUnit: every result is counted once, in the correct column."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest

from conformance.reports import junit

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
def document(report, tmp_path):
    path = tmp_path / "junit.xml"
    junit.write(report, path)
    return ElementTree.parse(path).getroot()


def _suites(document):
    return {suite.get("name"): suite for suite in document.iter("testsuite")}


def test_counts_of_each_suite_are_those_of_the_report(report, document):
    suites = _suites(document)
    for implementation in report["implementations"]:
        if implementation["baseline"] or implementation["status"] != "ran":
            continue
        suite = suites[implementation["name"]]
        columns = Counter(WANTED[result["class"]] for result in implementation["results"])
        assert int(suite.get("tests")) == len(implementation["results"])
        assert int(suite.get("failures")) == columns["failure"]
        assert int(suite.get("errors")) == columns["error"]
        assert int(suite.get("skipped")) == columns["skipped"]


def test_every_result_is_one_test_case_of_its_class(report, document):
    suites = _suites(document)
    for implementation in report["implementations"]:
        if implementation["baseline"] or implementation["status"] != "ran":
            continue
        name = implementation["name"]
        actual = {
            (case.get("name"), case.get("classname")): [
                child.tag for child in case if child.tag in ("failure", "error", "skipped")
            ]
            for case in suites[name].iter("testcase")
        }
        for result in implementation["results"]:
            expected = WANTED[result["class"]]
            key = (result["vector"], f"{name}.{result['profile']}")
            assert actual.pop(key) == ([expected] if expected else [])
        assert not actual


def test_unavailable_implementations_are_listed_and_baselines_are_not(document):
    suites = _suites(document)
    assert "accepts-all" not in suites
    assert suites["iq80"].get("skipped") == "1"
    assert "mvn" in suites["iq80"].find("testcase/skipped").get("message")
    assert suites["my-reader"].get("errors") == "1"


def test_a_failure_has_its_details(document):
    cases = _suites(document)["goleveldb"].iter("testcase")
    failure = next(
        case.find("failure") for case in cases if case.get("name").endswith("/checksum-bit-flip")
    )
    for text in ("LDB-028", "flip bit 3", '"brbvo"', "lost [12, 32768)", "walproof check --impl"):
        assert text in failure.text
    assert failure.get("message") == "1 record that nobody wrote"


def test_a_known_failure_gives_its_cause(document):
    skipped = _suites(document)["goleveldb"].find("testcase/skipped")
    assert skipped.get("message").startswith("known failure: a joined record was invented")
    assert "While a record is open" in skipped.get("message")


def test_control_characters_do_not_break_the_file(document):
    crash = next(
        case
        for case in _suites(document)["rusty-leveldb"].iter("testcase")
        if case.find("error") is not None
    )
    assert "\\x1b[0mnote" in crash.find("system-err").text


def test_a_message_with_control_characters_is_written_readably(builder, tmp_path):
    report = (
        builder()
        .vector("flip", "checksum")
        .implementation("reader")
        .result("flip", "fail", difference="said \x1b[31mred\x00")
        .build()
    )
    junit.write(report, tmp_path / "junit.xml")
    failure = ElementTree.parse(tmp_path / "junit.xml").find(".//failure")
    assert failure.get("message") == "said \\x1b[31mred\\x00"
