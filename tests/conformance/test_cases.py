"""Turn vectors into requests, and replies and files into judgements."""

from __future__ import annotations

import dataclasses
import io
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from conformance import scratch as scratch_module
from conformance.cases import Case, ReadStep, cases_of
from conformance.protocol.messages import validate
from conformance.scratch import Scratch
from reference_impl.answer import collect
from reference_impl.leveldb_log.reader import read_stream

PARTS = ["records", "at", "size", "verdict", "reason", "lost", "end"]
DONE = {"seq": 0, "done": True}
REFUSED = {"seq": 0, "refused": "damaged"}


def right(step):
    return {"seq": 0, "answer": dict(step.expect)}


def answer_to(data, profile="recover"):
    return collect(read_stream(io.BytesIO(data), profile)).to_json()


@pytest.mark.parametrize(
    ("slug", "profile", "kind"),
    [
        ("three-records", "recover", "read"),
        ("three-records", "strict", "read"),
        ("write-three-records", "write", "write"),
        ("append-to-three-records", "append", "append"),
    ],
)
def test_requests_are_valid_messages(asked, slug, profile, kind):
    case, step, place = asked(slug, profile)
    request = step.request(case, place, 7)
    validate(kind, request)
    assert request["seq"] == 7 and request["path"] == str(place)
    assert place.exists() is (kind != "write")


def test_every_profile_of_the_operation_has_a_case(vector):
    slugs = ["one-record", "every-prefix-of-three-blocks", "write-nothing", "append-behind-damage"]
    cases = cases_of([vector(slug) for slug in slugs])
    assert [case.profile for case in cases] == ["recover", "strict", "recover", "write", "append"]
    assert [c.profile for c in cases_of([vector(slug) for slug in slugs], ["strict"])] == ["strict"]


def test_the_vector_sets_the_time_limit(vector):
    plain = vector("one-record")
    slow = dataclasses.replace(plain, body={**plain.body, "limits": {"wall_ms": 7000}})
    assert (Case(plain, "recover").wall_ms, Case(slow, "recover").wall_ms) == (2000, 7000)


def test_profiles_have_separate_expectations(asked):
    _, recover, _ = asked("damage-in-two-blocks", "recover")
    _, strict, _ = asked("damage-in-two-blocks", "strict")
    assert len(strict.expect["records"]) < len(recover.expect["records"])


class TestRead:
    def test_a_correct_answer_passes(self, asked):
        _, step, place = asked("cut-in-a-payload", "recover")
        judgement = step.judge(right(step), place, PARTS)
        assert judgement.difference is None

    def test_a_different_answer_fails(self, asked):
        _, step, place = asked("cut-in-a-payload", "recover")
        judgement = step.judge({"seq": 0, "answer": {"records": []}}, place, ["records"])
        assert judgement.difference.startswith("records: expected 2, found 0")
        assert judgement.expected == step.expect and judgement.actual == {"records": []}

    def test_only_listed_answers_are_accepted(self, asked):
        _, step, place = asked("one-record", "recover")
        other = {**step.expect, "verdict": "torn", "end": 3}
        lenient = dataclasses.replace(step, accept=[other])
        assert lenient.judge({"seq": 0, "answer": other}, place, PARTS).difference is None
        third = {**other, "end": 4}
        assert lenient.judge({"seq": 0, "answer": third}, place, PARTS).difference

    def test_strict_readers_have_separate_accepted_answers(self, asked):
        case, step, place = asked("one-record", "recover")
        other = {**step.expect, "verdict": "damaged", "reason": "checksum-mismatch"}
        other["lost"] = [{"from": 0, "to": 12, "reason": "checksum-mismatch"}]
        strict = {**other, "records": [], "end": None}
        accept = [{"answer": other, "answer_strict": strict, "because": "a reason for it"}]
        vector = dataclasses.replace(case.vector, body={**case.vector.body, "accept": accept})
        for profile, right, wrong in (("recover", other, strict), ("strict", strict, other)):
            (lenient,) = Case(vector, profile).steps()
            assert lenient.judge({"seq": 0, "answer": right}, place, PARTS).difference is None
            assert lenient.judge({"seq": 0, "answer": wrong}, place, PARTS).difference

    @pytest.mark.parametrize(
        "change",
        [
            lambda place: place.write_bytes(place.read_bytes()[:-1]),
            lambda place: place.write_bytes(place.read_bytes() + b"\0"),
            lambda place: place.unlink(),
            lambda place: shutil.rmtree(place.parent),
            lambda place: (place.unlink(), place.mkdir()),
            lambda place: (place.unlink(), os.mkfifo(place)),
            lambda place: (place.unlink(), place.symlink_to("/dev/zero")),
        ],
        ids=["cut", "extended", "removed", "folder removed", "folder", "pipe", "endless"],
    )
    def test_a_reader_that_changes_its_input_fails(self, asked, scratch, change):
        _, step, place = asked("three-records", "recover")
        change(place)
        judgement = step.judge(right(step), place, PARTS)
        assert "the reader changed the log it read" in judgement.difference
        scratch.clear(place)

    def test_a_reader_may_write_beside_its_input(self, asked, scratch):
        _, step, place = asked("three-records", "recover")
        place.with_name("LOCK").touch()
        assert step.judge(right(step), place, PARTS).difference is None
        scratch.clear(place)
        assert not place.parent.exists()


class TestTruncations:
    @pytest.fixture
    def steps(self, vector):
        return list(Case(vector("every-prefix-of-three-blocks"), "recover").steps())

    def test_both_ends_of_every_row_are_requested(self, vector, steps):
        table = vector("every-prefix-of-three-blocks").body["table"]
        ends = {length for row in table for length in (row["from"], row["to"])}
        assert {len(step.contents) for step in steps} == ends
        assert min(ends) == 0

    def test_rows_match_the_executable_specification(self, steps, tmp_path):
        for step in steps:
            place = tmp_path / "log"
            step.prepare(place)
            reply = {"seq": 0, "answer": answer_to(step.contents)}
            assert step.judge(reply, place, PARTS).difference is None

    def test_rows_hold_between_their_ends(self, vector):
        table = vector("every-prefix-of-three-blocks").body["table"]
        data = vector("every-prefix-of-three-blocks").contents
        assert [row["from"] for row in table[1:]] == [row["to"] + 1 for row in table[:-1]]
        for row in table:
            middle = (row["from"] + row["to"]) // 2
            found = answer_to(data[:middle])
            assert (found["verdict"], found["reason"]) == (row["verdict"], row["reason"])
            assert len(found["records"]) == row["records"]

    def test_a_difference_names_its_prefix(self, steps, tmp_path):
        step = next(step for step in steps if step.expect["records"])
        step.prepare(tmp_path / "log")
        reply = {"seq": 0, "answer": {"records": []}}
        difference = step.judge(reply, tmp_path / "log", ["records"]).difference
        assert difference.startswith(f"prefix of {len(step.contents)}: records: expected 1")


class TestScratch:
    def test_scratch_paths_are_new_and_removed_with_the_run(self):
        scratch = Scratch()
        first, second = scratch.place("log"), scratch.place("log")
        assert first != second and not first.exists() and first.parent.is_dir()
        scratch.close()
        assert not first.parent.parent.exists()

    def test_an_implementation_may_remove_the_scratch_folder(self):
        scratch = Scratch()
        place = scratch.place("log")
        shutil.rmtree(place.parent.parent)
        scratch.clear(place)
        assert scratch.place("log").parent.is_dir()
        shutil.rmtree(place.parent.parent)
        scratch.close()

    def test_scratch_copies_are_in_memory_if_there_is_space(self, tmp_path, monkeypatch):
        monkeypatch.delenv("TMPDIR", raising=False)
        monkeypatch.setattr(scratch_module, "IN_MEMORY", tmp_path)
        assert made_in() == tmp_path
        monkeypatch.setattr(scratch_module, "ENOUGH", 1 << 60)
        assert made_in() == Path(tempfile.gettempdir())
        monkeypatch.setattr(scratch_module, "IN_MEMORY", tmp_path / "none")
        assert made_in() == Path(tempfile.gettempdir())

    def test_tmpdir_overrides_the_scratch_folder(self, tmp_path, monkeypatch):
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        monkeypatch.setattr(tempfile, "tempdir", None)
        assert made_in() == tmp_path


def test_steps_do_not_share_a_copy(vector, tmp_path):
    step = ReadStep(vector("one-record").contents, {})
    step.prepare(tmp_path / "a")
    (tmp_path / "a").write_bytes(b"")
    step.prepare(tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == vector("one-record").contents


def made_in() -> Path:
    """Return the parent of a scratch directory, which is removed afterwards."""
    held = scratch_module.Held()
    held.close()
    assert not held.folder.exists()
    return held.folder.parent
