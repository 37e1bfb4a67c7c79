"""Run reports are saved to and loaded from JSON, and invalid ones are refused."""

from __future__ import annotations

import json

import pytest

from conformance.reports import json_report
from conformance.reports.classes import BY_NAME
from tests.conformance.reports.conftest import FLIPPED


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


def test_a_file_names_its_vectors_once(report, tmp_path):
    """Equal results share one entry, and expected answers and records are not repeated."""
    json_report.save(report, tmp_path / "run.json")
    file = json.loads((tmp_path / "run.json").read_text())
    specification, goleveldb, *_ = file["implementations"]
    (passed,) = specification["results"]
    assert {name: len(cases) for name, cases in passed["cases"].items()} == {
        "recover": 7, "strict": 7,
    }  # fmt: skip
    assert passed.keys() == {"class", "cases"}
    (failed,) = [each for each in goleveldb["results"] if each["class"] == "fail"]
    assert "expected" not in failed
    assert failed["actual"]["records"] == [0, {"at": 12, "size": 12, "payload": "627262766f"}]
    assert goleveldb["causes"] == ["It ignores the type."]
    assert [each["cause"] for each in goleveldb["results"] if "cause" in each] == [0]


def test_records_with_some_fields_are_parts_of_expected_records(builder, tmp_path):
    b = builder().load("three-records", "two-blocks").implementation("of payloads")
    alpha, charlie = ({"payload": text.encode().hex()} for text in ("alpha", "charlie"))
    b.wrong("three-records", "fail", [charlie, {"payload": "00"}, alpha, alpha])
    b.wrong("two-blocks", "fail", [])
    report = b.build()
    json_report.save(report, tmp_path / "run.json")
    assert json_report.load(tmp_path / "run.json") == report
    file = json.loads((tmp_path / "run.json").read_text())
    answer = file["implementations"][0]["results"][0]["actual"]
    assert answer["records"] == [2, {"payload": "00"}, 0, 0] and answer["fields"] == ["payload"]


def test_an_answer_of_another_vector_is_not_guessed(report, tmp_path):
    """If a vector has changed since the run, its expected answer at the time is unknown."""
    report["vectors"][f"leveldb-log/{FLIPPED}"]["digest"] = "0" * 16
    full = _first(report, outcome="fail")
    json_report.save(report, tmp_path / "run.json")
    assert _first(json_report.load(tmp_path / "run.json"), outcome="fail") == full
    file = json.loads((tmp_path / "run.json").read_text())
    (failed,) = [r for r in file["implementations"][1]["results"] if r["class"] == "fail"]
    del failed["expected"]
    (tmp_path / "run.json").write_text(json.dumps(file))
    unknown = _first(json_report.load(tmp_path / "run.json"), outcome="fail")
    assert unknown == {**full, "expected": None, "actual": None}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda report: _first(report).update({"class": "flaky"}), "flaky"),
        (lambda report: _first(report, outcome="pass").update(actual={"records": []}), "actual"),
        (lambda report: report.update(colour="red"), "colour"),
        (lambda report: report.update(report_version=1), "report_version"),
    ],
)
def test_an_invalid_report_is_not_saved(report, tmp_path, spoil, message):
    spoil(report)
    path = tmp_path / "run.json"
    with pytest.raises(json_report.InvalidReport, match=message):
        json_report.save(report, path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda file: file["implementations"][1]["results"][0].update({"class": "flaky"}), "flaky"),
        (lambda file: file.update(report_version=1), "report_version"),
    ],
)
def test_an_invalid_report_is_refused(report, tmp_path, spoil, message):
    path = tmp_path / "run.json"
    json_report.save(report, path)
    file = json.loads(path.read_text())
    spoil(file)
    path.write_text(json.dumps(file))
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
