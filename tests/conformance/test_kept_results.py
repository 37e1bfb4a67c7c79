"""Whom nothing has changed for is not asked again, and whoever something has changed for is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance import kept_results
from conformance.kept_results import KeptResults
from conformance.known_failures import KnownFailures
from conformance.protocol.child import Limits
from conformance.reports.freshness import kept_in
from conformance.run import Plan, run
from conformance.subject import Subject

RIGHT = """
from pathlib import Path
def reply(request):
    with open(ASKED, "a") as out:
        out.write("x")
    return {"seq": request["seq"], "answer": {"records": RECORDS}}
"""


class Asked:
    """A program that counts its requests, in runs that keep results in a folder of the test."""

    def __init__(self, program, vector, folder):
        self.vectors = [vector("empty-log")]
        self.kept = KeptResults(Limits(), folder / "kept")
        self.log = folder / "asked"
        self.list = folder / "known-failures.json"
        self.list.write_text("{}")
        self.program = program
        self.subject = self.answering("[]")

    def answering(self, records):
        lines = RIGHT.replace("ASKED", repr(str(self.log))).replace("RECORDS", records)
        command = self.program(lines)
        known = KnownFailures(self.list)
        return Subject("s", "s", command, known, isolated=False, stamp=lambda: "1")

    def run(self, **changes):
        """How many requests a run sent, and its report."""
        self.log.write_text("")
        report = run(Plan([replace(self.subject, **changes)], self.vectors), kept=self.kept)
        return len(self.log.read_text()), report


@pytest.fixture
def asked(program, vector, tmp_path):
    return Asked(program, vector, tmp_path)


def test_whom_nothing_has_changed_for_is_not_asked_again(asked):
    first, before = asked.run()
    again, after = asked.run()
    assert first > 0 and again == 0
    (old,), (new,) = before["implementations"], after["implementations"]
    assert old["results"] == new["results"] and old["score"] == new["score"]
    assert new["asked"] == before["started"] and "asked" not in old
    assert kept_in(before) is None and before["started"] in kept_in(after)


@pytest.mark.parametrize(
    "change", [{"stamp": lambda: "2"}, {"repeat": "walproof check --memory 9"}, {"needs": ["sh"]}]
)
def test_what_its_answers_depend_on_is_looked_at(asked, change):
    asked.run()
    assert asked.run(**change)[0] > 0


def test_another_list_of_known_failures_is_a_change(asked):
    asked.run()
    asked.list.write_text("{ }")
    assert asked.run()[0] > 0


def test_other_vectors_are_a_change(asked, vector):
    asked.run()
    asked.vectors = [vector("empty-log"), vector("one-record")]
    asked.run()
    body = {**asked.vectors[0].body, "title": "another"}
    asked.vectors = [replace(asked.vectors[0], body=body)]
    assert asked.run()[0] > 0


def test_another_harness_or_limit_is_a_change(asked, monkeypatch):
    asked.run()
    asked.kept = KeptResults(Limits(memory_bytes=1 << 30), asked.kept.folder)
    assert asked.run()[0] > 0 == asked.run()[0]
    monkeypatch.setattr(kept_results, "_harness", lambda: b"another")
    assert asked.run()[0] > 0


def test_what_is_wrong_is_asked_each_time(asked):
    asked.run()
    asked.subject = asked.answering("[{}]")
    assert asked.run(stamp=lambda: "2")[0] > 0
    assert asked.run(stamp=lambda: "2")[0] > 0


def test_a_program_that_is_not_ours_is_asked_each_time(asked):
    asked.run(stamp=None)
    assert asked.run(stamp=None)[0] > 0


def test_a_kept_file_that_was_cut_is_as_none(asked):
    asked.run()
    (file,) = asked.kept.folder.iterdir()
    file.write_text(file.read_text()[:-9])
    assert asked.run()[0] > 0


def test_the_harness_is_all_that_judges_and_no_adapter():
    names = {path.name for path in kept_results._sources()}
    assert {"compare.py", "cases.py", "runner.py", "register.py"} <= names
    places = {str(path) for path in kept_results._sources()}
    assert not any("/implementations/" in place for place in places)
