"""The list of known failures is strict both ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from walproof_vectors.testing import Known, Subject, cases

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
