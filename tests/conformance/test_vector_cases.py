"""Cases turn vectors into requests, and turn replies and files into judgements."""

from __future__ import annotations

import dataclasses
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from conformance import scratch as scratch_module
from conformance.protocol.messages import validate
from conformance.scratch import Scratch
from conformance.vector_cases import VectorCase, cases_of

PARTS = ["records", "at", "size", "verdict", "reason", "lost", "end"]


def right(step):
    return {"seq": 0, "answer": dict(step.expect)}


@pytest.mark.parametrize(
    ("slug", "profile", "message_schema"),
    [
        ("three-records", "recover", "read"),
        ("three-records", "strict", "read"),
        ("write-three-records", "write", "write"),
        ("append-to-three-records", "append", "append"),
    ],
)
def test_requests_are_valid_messages(start_case, slug, profile, message_schema):
    case, step, path = start_case(slug, profile)
    request = step.request(case, path, 7)
    validate(message_schema, request)
    assert request["seq"] == 7 and request["path"] == str(path)
    assert path.exists() is (message_schema != "write")


def test_every_profile_of_the_operation_has_a_case(vector):
    slugs = ["one-record", "every-prefix-of-three-blocks", "write-nothing", "append-behind-damage"]
    cases = cases_of([vector(slug) for slug in slugs])
    assert [case.profile for case in cases] == ["recover", "strict", "recover", "write", "append"]
    assert [c.profile for c in cases_of([vector(slug) for slug in slugs], ["strict"])] == ["strict"]


def test_the_vector_sets_the_time_limit(vector):
    plain = vector("one-record")
    slow = dataclasses.replace(plain, body={**plain.body, "limits": {"wall_ms": 7000}})
    assert (VectorCase(plain, "recover").wall_ms, VectorCase(slow, "recover").wall_ms) == (
        2000,
        7000,
    )


class TestRead:
    def test_a_correct_answer_passes(self, start_case):
        _, step, path = start_case("cut-in-a-payload", "recover")
        judgement = step.judge(right(step), path, PARTS)
        assert judgement.difference is None

    def test_a_different_answer_fails(self, start_case):
        _, step, path = start_case("cut-in-a-payload", "recover")
        judgement = step.judge({"seq": 0, "answer": {"records": []}}, path, ["records"])
        assert judgement.difference.startswith("records: expected 2, found 0")
        assert judgement.expected == step.expect and judgement.actual == {"records": []}

    def test_only_listed_answers_are_accepted(self, start_case):
        _, step, path = start_case("one-record", "recover")
        other = {**step.expect, "verdict": "torn", "end": 3}
        lenient = dataclasses.replace(step, accept=[other])
        assert lenient.judge({"seq": 0, "answer": other}, path, PARTS).difference is None
        third = {**other, "end": 4}
        assert lenient.judge({"seq": 0, "answer": third}, path, PARTS).difference

    def test_strict_readers_have_separate_accepted_answers(self, start_case):
        case, step, path = start_case("one-record", "recover")
        other = {**step.expect, "verdict": "damaged", "reason": "checksum-mismatch"}
        other["lost"] = [{"from": 0, "to": 12, "reason": "checksum-mismatch"}]
        strict = {**other, "records": [], "end": None}
        accept = [{"answer": other, "answer_strict": strict, "because": "a reason for it"}]
        vector = dataclasses.replace(case.vector, body={**case.vector.body, "accept": accept})
        for profile, right, wrong in (("recover", other, strict), ("strict", strict, other)):
            (lenient,) = VectorCase(vector, profile).steps()
            assert lenient.judge({"seq": 0, "answer": right}, path, PARTS).difference is None
            assert lenient.judge({"seq": 0, "answer": wrong}, path, PARTS).difference

    @pytest.mark.parametrize(
        "change",
        [
            lambda path: path.write_bytes(path.read_bytes()[:-1]),
            lambda path: path.write_bytes(path.read_bytes() + b"\0"),
            lambda path: path.unlink(),
            lambda path: shutil.rmtree(path.parent),
            lambda path: (path.unlink(), path.mkdir()),
            lambda path: (path.unlink(), os.mkfifo(path)),
            lambda path: (path.unlink(), path.symlink_to("/dev/zero")),
        ],
        ids=["cut", "extended", "removed", "folder removed", "folder", "pipe", "endless"],
    )
    def test_a_reader_that_changes_its_input_fails(self, start_case, scratch, change):
        _, step, path = start_case("three-records", "recover")
        change(path)
        judgement = step.judge(right(step), path, PARTS)
        assert "the reader changed the log it read" in judgement.difference
        scratch.clear(path)

    def test_a_reader_may_write_beside_its_input(self, start_case, scratch):
        _, step, path = start_case("three-records", "recover")
        path.with_name("LOCK").touch()
        assert step.judge(right(step), path, PARTS).difference is None
        scratch.clear(path)
        assert not path.parent.exists()


class TestTruncations:
    @pytest.fixture
    def steps(self, vector):
        return list(VectorCase(vector("every-prefix-of-three-blocks"), "recover").steps())

    def test_both_ends_of_every_row_are_requested(self, vector, steps):
        table = vector("every-prefix-of-three-blocks").body["table"]
        ends = {length for row in table for length in (row["from"], row["to"])}
        assert {len(step.contents) for step in steps} == ends
        assert min(ends) == 0

    def test_a_difference_names_its_prefix(self, steps, tmp_path):
        step = next(step for step in steps if step.expect["records"])
        step.prepare(tmp_path / "log")
        reply = {"seq": 0, "answer": {"records": []}}
        difference = step.judge(reply, tmp_path / "log", ["records"]).difference
        assert difference.startswith(f"prefix of {len(step.contents)}: records: expected 1")


class TestScratch:
    def test_an_implementation_may_remove_the_scratch_folder(self):
        scratch = Scratch()
        path = scratch.new_path("log")
        shutil.rmtree(path.parent.parent)
        scratch.clear(path)
        assert scratch.new_path("log").parent.is_dir()
        shutil.rmtree(path.parent.parent)
        scratch.close()

    def test_scratch_copies_are_in_memory_if_there_is_space(self, tmp_path, monkeypatch):
        monkeypatch.delenv("TMPDIR", raising=False)
        monkeypatch.setattr(scratch_module, "IN_MEMORY", tmp_path)
        assert scratch_folder() == tmp_path
        monkeypatch.setattr(scratch_module, "ENOUGH", 1 << 60)
        assert scratch_folder() == Path(tempfile.gettempdir())
        monkeypatch.setattr(scratch_module, "IN_MEMORY", tmp_path / "none")
        assert scratch_folder() == Path(tempfile.gettempdir())


def scratch_folder() -> Path:
    """Yield a parent directory for scratch directories, and remove it afterwards."""
    held = scratch_module.Scratch()
    held.close()
    assert not held.folder.exists()
    return held.folder.parent
