"""The list of known failures is strict both ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from walproof_vectors.known import Known
from walproof_vectors.testing import Request, Subject, cases

WRITTEN = {
    "causes": {"why": "Because."},
    "failures": [
        {"vector": vector, "profile": profile, "result": result, "difference": text, "cause": "why"}
        for vector, profile, result, text in (
            ("a/one", "recover", "fail", "records [0123abcd]"),
            ("a/two", "append", "fail", "files [0123abcd]"),
            ("a/three", "recover", "crash", "it fell"),
        )
    ],
}


def listed(folder: Path, body: object = WRITTEN) -> Path:
    path = folder / "known.json"
    path.write_text(json.dumps(body))
    return path


@pytest.mark.parametrize(
    ("vector", "profile", "kind", "difference", "expected"),
    [
        ("a/one", "recover", "fail", "in other words [0123abcd]", "known-failure"),
        ("a/one", "recover", "fail", "records [ffffffff]", "fail"),
        ("a/one", "recover", "crash", "", "crash"),
        ("a/one", "recover", "pass", "", "unexpected-pass"),
        ("a/one", "recover", "skipped", "not today", "skipped"),
        ("a/one", "strict", "fail", "records [0123abcd]", "fail"),
        ("a/two", "append", "fail", "whatever", "known-failure"),
        ("a/three", "recover", "crash", "elsewhere", "known-failure"),
        ("a/four", "recover", "pass", "", "pass"),
    ],
)
def test_strict(vector, profile, kind, difference, expected, tmp_path: Path) -> None:
    found, why = Known(listed(tmp_path)).compared(vector, profile, kind, difference)
    assert found == expected
    assert (found == "known-failure") == (why == "Because.")


def test_a_list_that_does_not_hold_together(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the cause 'why' is not there"):
        Known(listed(tmp_path, {**WRITTEN, "causes": {}}))
    assert Known(tmp_path / "none.json").failures == {}
    assert Known(listed(tmp_path)).strangers("a", {"a/one", "a/two"}) == ["a/three"]


def test_an_entry_about_no_vector(tmp_path: Path) -> None:
    row = {**WRITTEN["failures"][0], "vector": "leveldb-log/gone"}
    path = listed(tmp_path, {**WRITTEN, "failures": [row]})
    with pytest.raises(ValueError, match="leveldb-log/gone"):
        cases("leveldb-log", Subject(known=path))
    with pytest.raises(ValueError, match="no vectors of"):
        cases("nothing", Subject())


@pytest.fixture(autouse=True)
def in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """As far as a list knows, whoever runs these tests: several processes may not write one."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)


def test_an_update_writes_what_is_new_and_takes_off_what_is_right(tmp_path: Path) -> None:
    path = listed(tmp_path)
    known = Known(path, updates=True)
    said = [
        known.updated("a/one", "recover", "pass", ""),
        known.updated("a/two", "append", "fail", "whatever"),
        known.updated("a/three", "recover", "fail", "é [ffffffff]"),
        known.updated("a/four", "recover", "timeout", "no answer"),
        known.updated("a/five", "recover", "skipped", "not today"),
        known.updated("a/six", "recover", "pass", ""),
    ]
    assert [kind for kind, _ in said] == [
        "pass", "known-failure", "known-failure", "known-failure", "skipped", "pass",
    ]  # fmt: skip
    body = json.loads(path.read_text("utf-8"))
    assert body["causes"] == {"unexplained": "", "why": "Because."}
    assert [tuple(one.values()) for one in body["failures"]] == [
        ("a/four", "recover", "timeout", "no answer", "unexplained"),
        ("a/three", "recover", "fail", "é [ffffffff]", "why"),
        ("a/two", "append", "fail", "files [0123abcd]", "why"),
    ]
    again = Known(path)
    assert again.compared("a/three", "recover", "fail", "[ffffffff]") == (
        "known-failure",
        "Because.",
    )
    for vector, profile in (("a/four", "recover"), ("a/three", "recover"), ("a/two", "append")):
        known.updated(vector, profile, "pass", "")
    assert not path.exists(), "an empty list is removed"


def test_an_update_needs_a_file_and_forgets_what_is_no_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WALPROOF_UPDATE_KNOWN", "1")
    with pytest.raises(ValueError, match="no file of known failures"):
        cases("leveldb-log", Subject())
    rows = [{**WRITTEN["failures"][0], "vector": id} for id in ("leveldb-log/gone", "b/kept")]
    path = listed(tmp_path, {**WRITTEN, "failures": rows})

    def read(request: Request) -> dict:
        return {"records": [], "signals": []}

    subject = Subject(read, known=path, choose=lambda one: one.id == "leveldb-log/one-record")
    (case,) = cases("leveldb-log", subject)
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    with pytest.raises(ValueError, match="by one process"):
        cases("leveldb-log", subject)
    with pytest.raises(pytest.xfail.Exception, match="written to"):
        case.check()
    ids = [one["vector"] for one in json.loads(path.read_text("utf-8"))["failures"]]
    assert ids == ["b/kept", "leveldb-log/one-record"]
    monkeypatch.delenv("WALPROOF_UPDATE_KNOWN")
    (case,) = cases("leveldb-log", subject)
    with pytest.raises(pytest.xfail.Exception):
        case.check()
