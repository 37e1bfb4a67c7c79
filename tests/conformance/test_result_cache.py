"""Unchanged implementations are skipped, changed ones run, and listing digests are reused."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from conformance import result_cache
from conformance.checked_program import CheckedProgram
from conformance.known_failures import KnownFailures
from conformance.process import Limits
from conformance.reports.summary import cached_in
from conformance.result_cache import ResultCache
from conformance.run_report import RunPlan, run_plan

RIGHT = """
from pathlib import Path
def reply(request):
    with open(ASKED, "a") as out:
        out.write("x")
    return {"seq": request["seq"], "answer": {"records": RECORDS}}
"""


class CountedRuns:
    """A program that counts its requests, and a result cache in the test's directory."""

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
        return CheckedProgram("s", "s", command, known, isolated=False, stamp=lambda: "1")

    def run(self, **changes):
        """Run the program; return how many requests it received, and the report."""
        self.log.write_text("")
        report = run_plan(
            RunPlan([replace(self.subject, **changes)], self.vectors), cache=self.cache
        )
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


def test_a_changed_limit_is_a_change(runs):
    runs.run()
    runs.cache = ResultCache(Limits(memory_bytes=1 << 30), runs.cache.folder)
    assert runs.run()[0] > 0 == runs.run()[0]


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """Yield a small source tree that the cache uses in place of the real one."""
    for name in SHARED_FILES:
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("before")
    tree = tmp_path / "tree"
    for name, folder in (("PACKAGES", ""), ("IMPORT_ROOT", ""), ("SPEC", "spec"),
                         ("GRAMMARS", "ksy")):  # fmt: skip
        monkeypatch.setattr(result_cache, name, tree / folder)
    result_cache._harness.cache_clear()
    yield tree
    result_cache._harness.cache_clear()


SHARED_FILES = (
    "spec/leveldb-log.toml",
    "spec/conventions.md",
    "ksy/leveldb_log.ksy",
    "conformance/protocol/schemas/answer.schema.json",
    "conformance/compare.py",
    "reference_impl/register.py",
    "walproof/log.py",
)


@pytest.mark.parametrize("name", SHARED_FILES)
def test_a_changed_file_of_the_project_is_a_change(runs, sources, name):
    runs.run()
    assert runs.run()[0] == 0
    (sources / name).write_text("after")
    result_cache._harness.cache_clear()
    assert runs.run()[0] > 0


def test_another_version_of_a_library_is_a_change(runs, sources, monkeypatch):
    runs.run()
    changed = [SimpleNamespace(name="pyarrow", version="1.0.0")]
    monkeypatch.setattr(result_cache, "distributions", lambda: changed)
    result_cache._harness.cache_clear()
    assert runs.run()[0] > 0 == runs.run()[0]


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


def test_the_harness_digest_covers_all_that_a_run_imports_or_reads():
    names = {path.name for path in result_cache._sources()}
    assert {"compare.py", "register.py", "leveldb-log.toml", "leveldb_log.ksy"} <= names
    paths = {str(path) for path in result_cache._sources()}
    assert not any("/implementations/" in path for path in paths)
