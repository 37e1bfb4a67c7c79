"""The JSON report: valid and invalid run reports."""

from __future__ import annotations

import json

import pytest

from conformance.reports import json_report
from conformance.reports.classes import BY_NAME


def _first(report, implementation="goleveldb", outcome=None):
    entry = next(e for e in report["implementations"] if e["name"] == implementation)
    return next(r for r in entry["results"] if outcome in (None, r["class"]))


def test_a_saved_report_loads_unchanged(report, tmp_path):
    path = tmp_path / "new folder" / "run.json"
    json_report.save(report, path)
    assert json_report.load(path) == report
    assert [each.name for each in path.parent.iterdir()] == ["run.json"]


def test_schema_and_code_have_the_same_classes():
    schema = json.loads(json_report.SCHEMA_PATH.read_text())
    assert set(schema["$defs"]["result"]["properties"]["class"]["enum"]) == set(BY_NAME)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda report: _first(report).update({"class": "flaky"}), "flaky"),
        (lambda report: _first(report, outcome="pass").update(actual={"records": []}), "actual"),
        (lambda report: report.update(colour="red"), "colour"),
        (lambda report: report.update(report_version=2), "report_version"),
    ],
)
def test_an_invalid_report_is_refused(report, tmp_path, spoil, message):
    spoil(report)
    path = tmp_path / "run.json"
    with pytest.raises(json_report.InvalidReport, match=message):
        json_report.save(report, path)
    assert not path.exists()
    path.write_text(json.dumps(report))
    with pytest.raises(
        json_report.InvalidReport, match=rf"run\.json: not a run report: .*{message}"
    ):
        json_report.load(path)


def test_a_file_that_is_not_json_is_refused(tmp_path):
    path = tmp_path / "run.json"
    path.write_bytes(b"\xff{")
    with pytest.raises(json_report.InvalidReport, match=r"run\.json"):
        json_report.load(path)


def test_stderr_that_is_not_unicode_survives(report, tmp_path):
    result = _first(report, outcome="fail")
    result["stderr"] = b"bad \xff byte".decode("utf-8", "surrogateescape")
    json_report.save(report, tmp_path / "run.json")
    assert _first(json_report.load(tmp_path / "run.json"), outcome="fail") == result
