"""A reader that answers at once: the harness is measured on right answers, or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.cases import cases_of
from conformance.vectors import load_all
from lab.bench import harness, noop_reader


@pytest.fixture(scope="module")
def few():
    vectors = [each for each in load_all().values() if each.operation == "read"]
    return vectors[::60]


@pytest.fixture(scope="module")
def cases(few):
    return cases_of(few, ("recover", "strict"))


def test_every_case_is_asked_and_passes(cases):
    assert harness.run_harness(cases) > 0


def test_one_wrong_answer_is_no_measurement(cases, monkeypatch):
    right = harness.replies(cases)
    lines = right.splitlines(keepends=True)
    reply = json.loads(lines[3])
    reply["answer"]["end"] = 987654
    lines[3] = json.dumps(reply).encode() + b"\n"
    monkeypatch.setattr(harness, "replies", lambda _: b"".join(lines))
    with pytest.raises(harness.WrongAnswers, match="end: expected"):
        harness.run_harness(cases)


def test_the_reader_gives_a_line_for_a_line(tmp_path):
    path = tmp_path / "replies"
    path.write_bytes(b"one\ntwo\n")
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(Path(noop_reader.__file__)), str(path)],
        input=b"hello\na\nb\nbye\n", capture_output=True, check=True, timeout=30,
    )  # fmt: skip
    hello, *rest = done.stdout.splitlines()
    assert json.loads(hello)["profiles"] == ["recover", "strict"]
    assert rest == [b"one", b"two"]


def test_without_the_peer_its_row_says_why(few, monkeypatch):
    monkeypatch.setattr(harness, "TOOLS", {"none": "example.invalid/none@v1"})
    monkeypatch.setattr(harness, "shutil", SimpleNamespace(which=lambda _: None))
    mine, peer = harness.measure(few, 2)
    assert mine["cases_per_second"] > 0 and len(mine["seconds_per_case"]) == 2
    assert mine["peer"] is None and mine["ratio_to_peer"] is None
    assert peer["unavailable"] == "go not found"


def test_both_are_measured_in_every_round(few, monkeypatch):
    monkeypatch.setattr(harness, "toml_test", dict)
    monkeypatch.setattr(harness, "run_toml_test", lambda *_: (600, 60.0))
    mine, peer = harness.measure(few, 3)
    assert peer["cases_per_second"] == 10.0 and peer["ratio_to_peer"] == 1
    assert mine["peer"] == "toml-test" and mine["ratio_to_peer"] > 1
    assert len(mine["seconds_per_case"]) == len(peer["seconds_per_case"]) == 3
