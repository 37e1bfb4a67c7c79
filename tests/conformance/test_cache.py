"""Unchanged implementations are skipped, changed ones run, and digests of listings are reused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance import cache
from conformance.cache import DigestCache, ResultCache
from conformance.known_failures import KnownFailures
from conformance.process import Limits
from conformance.reports.summary import cached_in
from conformance.run import Plan, run
from conformance.structure import listing
from conformance.structure.listing import Digest, Tells, digest, expected_digest
from conformance.subject import Subject

RIGHT = """
from pathlib import Path
def reply(request):
    with open(ASKED, "a") as out:
        out.write("x")
    return {"seq": request["seq"], "answer": {"records": RECORDS}}
"""


class CountedRuns:
    """A program that counts its requests, with a result cache in a directory of the test."""

    def __init__(self, program, vector, folder):
        self.vectors = [vector("empty-log")]
        self.cache = ResultCache(Limits(), folder / "results")
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
        """Run the program; return the number of its requests and the report."""
        self.log.write_text("")
        report = run(Plan([replace(self.subject, **changes)], self.vectors), cache=self.cache)
        return len(self.log.read_text()), report


@pytest.fixture
def runs(program, vector, tmp_path):
    return CountedRuns(program, vector, tmp_path)


def test_an_unchanged_implementation_is_not_run_again(runs):
    first, before = runs.run()
    again, after = runs.run()
    assert first > 0 and again == 0
    (old,), (new,) = before["implementations"], after["implementations"]
    assert old["results"] == new["results"] and old["score"] == new["score"]
    assert new["asked"] == before["started"] and "asked" not in old
    assert cached_in(before) is None and before["started"] in cached_in(after)


@pytest.mark.parametrize(
    "change", [{"stamp": lambda: "2"}, {"repeat": "walproof check --memory 9"}, {"needs": ["sh"]}]
)
def test_every_input_of_the_answers_is_part_of_the_key(runs, change):
    runs.run()
    assert runs.run(**change)[0] > 0


def test_changed_known_failures_are_a_change(runs):
    runs.run()
    runs.list.write_text("{ }")
    assert runs.run()[0] > 0


def test_changed_vectors_are_a_change(runs, vector):
    runs.run()
    runs.vectors = [vector("empty-log"), vector("one-record")]
    runs.run()
    body = {**runs.vectors[0].body, "title": "another"}
    runs.vectors = [replace(runs.vectors[0], body=body)]
    assert runs.run()[0] > 0


def test_a_changed_harness_or_limit_is_a_change(runs, monkeypatch):
    runs.run()
    runs.cache = ResultCache(Limits(memory_bytes=1 << 30), runs.cache.folder)
    assert runs.run()[0] > 0 == runs.run()[0]
    monkeypatch.setattr(cache, "_harness", lambda: b"another")
    assert runs.run()[0] > 0


def test_an_implementation_that_fails_is_run_each_time(runs):
    runs.run()
    runs.subject = runs.answering("[{}]")
    assert runs.run(stamp=lambda: "2")[0] > 0
    assert runs.run(stamp=lambda: "2")[0] > 0


def test_an_external_program_is_run_each_time(runs):
    runs.run(stamp=None)
    assert runs.run(stamp=None)[0] > 0


def test_a_truncated_file_is_ignored(runs):
    runs.run()
    (file,) = runs.cache.folder.iterdir()
    file.write_text(file.read_text()[:-9])
    assert runs.run()[0] > 0


def test_the_harness_digest_covers_the_judging_code_only():
    names = {path.name for path in cache._sources()}
    assert {"compare.py", "cases.py", "runner.py", "register.py"} <= names
    paths = {str(path) for path in cache._sources()}
    assert not any("/implementations/" in path for path in paths)


class TestDigests:
    KEY, OTHER, SHA = "a log", "another log", "ab" * 32

    def test_digests_persist_between_runs(self, tmp_path):
        DigestCache(tmp_path / "structure", "x", []).put(self.KEY, 7, self.SHA)
        DigestCache(tmp_path / "structure", "x", []).put(self.OTHER, 8, self.SHA)
        again = DigestCache(tmp_path / "structure", "x", [])
        assert (again.get(self.KEY), again.get(self.OTHER)) == ((7, self.SHA), (8, self.SHA))
        assert again.get("a third log") is None

    @pytest.mark.parametrize("end", [5, 12, 30, -2, -10])
    def test_a_truncated_line_is_ignored(self, tmp_path, end):
        first = DigestCache(tmp_path, "x", [])
        first.put(self.OTHER, 8, self.SHA)
        first.put(self.KEY, 7, self.SHA)
        whole, cut = first.path.read_text().splitlines()
        first.path.write_text(f"{whole}\n{cut[:end]}")
        cache_read = DigestCache(tmp_path, "x", [])
        assert cache_read.get(self.OTHER) == (8, self.SHA) and cache_read.get(self.KEY) is None

    def test_cached_digests_are_those_of_listings(self, tmp_path, monkeypatch, vector):
        log = vector("three-records").contents
        digests = DigestCache(tmp_path, "x", [])
        monkeypatch.setattr(listing, "_digests", lambda *_: digests)
        for tells in (Tells(), Tells(absent=False)):
            expected_digest.cache_clear()
            cached = expected_digest(log, "leveldb_log", tells)
            assert cached == digest(listing.listing(log, "leveldb_log", tells))
        expected_digest.cache_clear()
        monkeypatch.setattr(listing, "listing", None)  # building a listing would fail
        assert isinstance(expected_digest(log, "leveldb_log", Tells()), Digest)
        expected_digest.cache_clear()
