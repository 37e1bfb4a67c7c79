"""The JSON report: valid and invalid run reports."""

from __future__ import annotations

import copy
import json

import pytest

from conformance.reports import json_report
from conformance.reports.classes import BY_NAME


def _first(report, implementation="goleveldb", outcome=None):
    entry = next(e for e in report["implementations"] if e["name"] == implementation)
    return next(r for r in entry["results"] if outcome in (None, r["class"]))


def _properties(schema):
    """Yield every property and item of the schema with its path."""
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            for name, each in value.items():
                yield name, each
                yield from _properties(each)
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            yield key, value
            yield from _properties(value)


def test_a_saved_report_loads_unchanged(report, tmp_path):
    path = tmp_path / "new folder" / "run.json"
    json_report.save(report, path)
    assert json_report.load(path) == report
    assert [each.name for each in path.parent.iterdir()] == ["run.json"]


def test_every_property_is_described_and_closed():
    schema = json.loads(json_report.SCHEMA_PATH.read_text())
    entries = list(_properties(schema))
    assert len(entries) > 50
    for name, each in entries:
        assert "description" in each or "$ref" in each, name
        if "properties" in each and name != "record":
            assert each["additionalProperties"] is False or isinstance(
                each["additionalProperties"], dict
            ), name


def test_schema_and_code_have_the_same_classes():
    schema = json.loads(json_report.SCHEMA_PATH.read_text())
    assert set(schema["$defs"]["result"]["properties"]["class"]["enum"]) == set(BY_NAME)


def _unknown_class(report):
    _first(report)["class"] = "flaky"


def _pass_with_answer(report):
    _first(report, outcome="pass")["actual"] = {"records": []}


def _unknown_key(report):
    report["implementations"][0]["colour"] = "red"


def _uppercase_payload(report):
    _first(report, outcome="fail")["expected"]["records"][0]["payload"] = "616C"


def _same_bad_answer_twice(report):
    bad = {"records": [{"at": -1}]}
    for result in [r for e in report["implementations"] for r in e["results"]]:
        if result["class"] != "pass":
            result["actual"] = copy.deepcopy(bad)


def _pass_with_an_answer_seen_before(report):
    seen = _first(report, outcome="fail")["actual"]
    late = report["implementations"][-1]["results"]
    next(r for r in late if r["class"] == "pass")["actual"] = copy.deepcopy(seen)


def _missing_repeat(report):
    del _first(report)["repeat"]


def _other_version(report):
    report["report_version"] = 2


def _unknown_vector(report):
    _first(report)["vector"] = "leveldb-log/nowhere"


def _twice_the_same(report):
    results = report["implementations"][0]["results"]
    results.append(copy.deepcopy(results[0]))


def _same_name(report):
    report["implementations"][1]["name"] = report["implementations"][0]["name"]


def _ran_with_excuse(report):
    report["implementations"][0]["because"] = "it rained"


def _unavailable_without_reason(report):
    entry = next(e for e in report["implementations"] if e["status"] == "unavailable")
    entry["because"] = None


def _too_many_pairs(report):
    report["implementations"][0]["score"]["pairs_passed"] = 1000


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_unknown_class, "flaky"),
        (_pass_with_answer, "actual"),
        (_unknown_key, "colour"),
        (_uppercase_payload, "616C"),
        (_same_bad_answer_twice, "-1 is less than the minimum"),
        (_pass_with_an_answer_seen_before, "actual"),
        (_missing_repeat, "repeat"),
        (_other_version, "report_version"),
        (_unknown_vector, "unknown vector leveldb-log/nowhere"),
        (_twice_the_same, "two results"),
        (_same_name, "occurs twice"),
        (_ran_with_excuse, "because"),
        (_unavailable_without_reason, "because"),
        (_too_many_pairs, "more pairs"),
    ],
)
def test_an_invalid_report_is_refused(report, tmp_path, spoil, message):
    spoil(report)
    path = tmp_path / "run.json"
    with pytest.raises(json_report.InvalidReport, match=message):
        json_report.save(report, path)
    assert not path.exists()
    path.write_text(json.dumps(report))
    with pytest.raises(json_report.InvalidReport, match=message):
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
