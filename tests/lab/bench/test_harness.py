"""A reader that answers at once: the harness is measured on right answers, or not at all."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from conformance.cases import cases_of
from conformance.vectors import load_all
from lab.bench import harness


@pytest.fixture(scope="module")
def few():
    vectors = [each for each in load_all().values() if each.operation == "read"]
    return vectors[::300]


def test_one_wrong_answer_is_no_measurement(few, monkeypatch):
    cases = cases_of(few, ("recover", "strict"))
    lines = harness.replies(cases).splitlines(keepends=True)
    reply = json.loads(lines[3])
    reply["answer"]["end"] = 987654
    lines[3] = json.dumps(reply).encode() + b"\n"
    monkeypatch.setattr(harness, "replies", lambda _: b"".join(lines))
    with pytest.raises(harness.WrongAnswers, match="end: expected"):
        harness.run_harness(cases)


def test_without_the_peer_its_row_says_why(few, monkeypatch):
    monkeypatch.setattr(harness, "TOOLS", {"none": "example.invalid/none@v1"})
    monkeypatch.setattr(harness, "shutil", SimpleNamespace(which=lambda _: None))
    mine, peer = harness.measure(few, 2)
    assert mine.count == 2 * len(few) and len(mine.seconds) == 2 and min(mine.seconds) > 0
    assert mine.ratio is None
    assert peer.unavailable == "go not found"


def test_a_ratio_is_by_the_case(few, monkeypatch):
    monkeypatch.setattr(harness, "toml_test", dict)
    monkeypatch.setattr(harness, "run_toml_test", lambda *_: (600, 60.0))
    monkeypatch.setattr(harness, "run_harness", lambda cases: len(cases) * 0.01)
    mine, peer = harness.measure(few, 3)
    assert mine.ratio == pytest.approx(10)
    assert peer.is_peer and list(peer.seconds) == [60.0] * 3
