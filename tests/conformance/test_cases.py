"""From vectors to requests, and from replies and files to judgements."""

from __future__ import annotations

import dataclasses
import io
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from conformance import VECTORS
from conformance import scratch as scratch_module
from conformance.cases import AppendStep, Case, ReadStep, WriteStep, cases_of
from conformance.protocol.messages import validate
from conformance.scratch import Scratch
from conformance.vectors import load
from reference_impl.answer import collect
from reference_impl.leveldb_log.reader import read_stream
from reference_impl.leveldb_log.writer import Writer, append_stream

PARTS = ["records", "at", "size", "verdict", "reason", "lost", "end"]
DONE = {"seq": 0, "done": True}
REFUSED = {"seq": 0, "refused": "damaged"}


@pytest.fixture
def scratch():
    scratch = Scratch()
    yield scratch
    scratch.close()


@pytest.fixture
def asked(scratch, vector):
    """The only step of a case, prepared: the step, the place, and a way to judge a reply."""

    def ask(slug, profile):
        case = Case(vector(slug), profile)
        (step,) = case.steps()
        place = scratch.place(case.vector.input.name)
        step.prepare(place)
        return case, step, place

    return ask


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


def test_a_case_for_every_profile_that_fits_the_operation(vector):
    slugs = ["one-record", "every-prefix-of-three-blocks", "write-nothing", "append-behind-damage"]
    cases = cases_of([vector(slug) for slug in slugs])
    assert [case.profile for case in cases] == ["recover", "strict", "recover", "write", "append"]
    assert [c.profile for c in cases_of([vector(slug) for slug in slugs], ["strict"])] == ["strict"]


def test_the_time_limit_is_that_of_the_vector(vector):
    plain = vector("one-record")
    slow = dataclasses.replace(plain, body={**plain.body, "limits": {"wall_ms": 7000}})
    assert (Case(plain, "recover").wall_ms, Case(slow, "recover").wall_ms) == (2000, 7000)


def test_profiles_have_expectations_of_their_own(asked):
    _, recover, _ = asked("damage-in-two-blocks", "recover")
    _, strict, _ = asked("damage-in-two-blocks", "strict")
    assert len(strict.expect["records"]) < len(recover.expect["records"])


class TestRead:
    def test_the_right_answer(self, asked):
        _, step, place = asked("cut-in-a-payload", "recover")
        judgement = step.judge(right(step), place, PARTS)
        assert judgement.difference is None

    def test_another_answer(self, asked):
        _, step, place = asked("cut-in-a-payload", "recover")
        judgement = step.judge({"seq": 0, "answer": {"records": []}}, place, ["records"])
        assert judgement.difference.startswith("records: expected 2, found 0")
        assert judgement.expected == step.expect and judgement.actual == {"records": []}

    def test_an_accepted_answer_is_as_good_and_the_list_is_closed(self, asked):
        _, step, place = asked("one-record", "recover")
        other = {**step.expect, "verdict": "torn", "end": 3}
        lenient = dataclasses.replace(step, accept=[other])
        assert lenient.judge({"seq": 0, "answer": other}, place, PARTS).difference is None
        third = {**other, "end": 4}
        assert lenient.judge({"seq": 0, "answer": third}, place, PARTS).difference

    def test_what_is_accepted_of_a_strict_reader_is_an_answer_of_its_own(self, asked):
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
    def test_a_reader_that_changed_its_input(self, asked, scratch, change):
        _, step, place = asked("three-records", "recover")
        change(place)
        judgement = step.judge(right(step), place, PARTS)
        assert "the reader changed the log it read" in judgement.difference
        scratch.clear(place)

    def test_a_reader_that_wrote_beside_its_input_is_tolerated(self, asked, scratch):
        _, step, place = asked("three-records", "recover")
        place.with_name("LOCK").touch()
        assert step.judge(right(step), place, PARTS).difference is None
        scratch.clear(place)
        assert not place.parent.exists()


class TestTruncations:
    @pytest.fixture
    def steps(self, vector):
        return list(Case(vector("every-prefix-of-three-blocks"), "recover").steps())

    def test_both_ends_of_every_row_are_asked(self, vector, steps):
        table = vector("every-prefix-of-three-blocks").body["table"]
        ends = {length for row in table for length in (row["from"], row["to"])}
        assert {len(step.contents) for step in steps} == ends
        assert min(ends) == 0

    def test_every_row_is_what_the_executable_specification_says(self, steps, tmp_path):
        for step in steps:
            place = tmp_path / "log"
            step.prepare(place)
            reply = {"seq": 0, "answer": answer_to(step.contents)}
            assert step.judge(reply, place, PARTS).difference is None

    def test_rows_hold_between_their_ends_too(self, vector):
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


class TestWrite:
    def test_the_right_bytes(self, asked, vector):
        _, step, place = asked("write-three-records", "write")
        place.write_bytes(vector("write-three-records").contents)
        assert step.judge(DONE, place, []).difference is None

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda log: log[:-1] + b"?", "bytes: expected 38, found 38; at offset 37: expected"),
            (lambda log: log + b"\0", "found 39; at offset 38: expected the end, found 00"),
            (lambda log: log[:30], "expected 38, found 30; at offset 30"),
        ],
    )
    def test_other_bytes(self, asked, vector, change, words):
        _, step, place = asked("write-three-records", "write")
        place.write_bytes(change(vector("write-three-records").contents))
        judgement = step.judge(DONE, place, [])
        assert words in judgement.difference
        assert judgement.actual == answer_to(place.read_bytes())

    def test_no_file(self, asked):
        _, step, place = asked("write-nothing", "write")
        assert "there is no file" in step.judge(DONE, place, []).difference

    def test_a_folder_instead_of_a_file(self, asked):
        _, step, place = asked("write-three-records", "write")
        place.mkdir()
        judgement = step.judge(DONE, place, [])
        assert "found a file, or the other way round" in judgement.difference

    def test_a_refusal(self, asked):
        _, step, place = asked("write-three-records", "write")
        judgement = step.judge({"seq": 0, "refused": "too short"}, place, [])
        assert judgement.difference == "the writer refused: too short"
        why = f"{place}: too short"  # where the scratch copy is differs from run to run
        difference = step.judge({"seq": 0, "refused": why}, place, []).difference
        assert difference == f"the writer refused: …/{place.name}: too short"


class TestAppend:
    def append(self, place, payloads):
        with place.open("r+b") as log:
            append_stream(log, payloads)

    def payloads(self, vector):
        return [bytes.fromhex(record["payload"]) for record in vector.records_to_write()]

    def test_recovered_then_appended(self, asked, vector):
        _, step, place = asked("append-behind-a-torn-payload", "append")
        self.append(place, self.payloads(vector("append-behind-a-torn-payload")))
        assert step.judge(DONE, place, []).difference is None

    def test_appended_behind_a_torn_tail_without_recovery(self, asked, vector):
        _, step, place = asked("append-behind-a-torn-payload", "append")
        before = place.stat().st_size
        with place.open("ab") as log:
            writer = Writer(log, before)
            for payload in self.payloads(vector("append-behind-a-torn-payload")):
                writer.append(payload)
        assert "records: " in step.judge(DONE, place, []).difference

    def test_acknowledged_and_not_written(self, asked):
        _, step, place = asked("append-to-three-records", "append")
        difference = step.judge(DONE, place, []).difference
        assert "expected 5, found 3; missing from record 3 on" in difference

    def test_the_log_is_gone(self, asked):
        _, step, place = asked("append-to-three-records", "append")
        place.unlink()
        assert "expected 5, found 0" in step.judge(DONE, place, []).difference

    @pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
    def test_no_log_any_more(self, asked, make):
        _, step, place = asked("append-to-three-records", "append")
        place.unlink()
        make(place)
        assert "what is there is no log" in step.judge(DONE, place, []).difference

    def test_a_refusal_is_right_only_where_the_vector_allows_it(self, asked):
        for slug in ("append-behind-damage", "append-behind-a-torn-payload"):
            _, step, place = asked(slug, "append")
            assert step.judge(REFUSED, place, []).difference is None
        _, step, place = asked("append-to-three-records", "append")
        assert step.judge(REFUSED, place, []).difference == "the writer refused: damaged"

    def test_where_the_writer_must_refuse_nothing_else_will_do(self, asked):
        _, step, place = asked("append-behind-damage", "append")
        difference = step.judge(DONE, place, []).difference
        assert difference == "the writer says done where it must refuse"

    @pytest.mark.parametrize("slug", ["append-behind-damage", "append-behind-a-torn-payload"])
    def test_a_refusal_leaves_every_byte_as_it_is(self, asked, slug):
        _, step, place = asked(slug, "append")
        place.write_bytes(place.read_bytes()[:-1])
        difference = step.judge(REFUSED, place, []).difference
        assert difference.startswith("the writer refused, and changed what is there: bytes: ")
        place.unlink()
        assert "there is no log any more" in step.judge(REFUSED, place, []).difference

    def test_a_refusal_leaves_no_file_beside_the_log(self, asked):
        _, step, place = asked("append-behind-damage", "append")
        (place.parent / "spare").mkdir()
        (place.parent / "spare" / "copy").write_bytes(b"x")
        difference = step.judge(REFUSED, place, []).difference
        assert "files: spare/copy (1 bytes) should not be there" in difference

    def test_records_in_another_place(self, asked, vector):
        _, step, place = asked("append-to-three-records", "append")
        with place.open("r+b") as log:
            log.seek(32768)
            writer = Writer(log, 32768)
            for payload in self.payloads(vector("append-to-three-records")):
                writer.append(payload)
        difference = step.judge(DONE, place, []).difference
        assert "at of record 3: expected 38, found 32768" in difference
        assert "files: append-to-three-records.log: expected 61 bytes, found 32791" in difference

    def test_a_freedom_that_the_vector_declares(self, asked, vector):
        free = {"freedom": "preallocation", "because": "a writer may reserve space"}
        case, step, place = asked("append-to-three-records", "append")
        self.append(place, self.payloads(vector("append-to-three-records")))
        with place.open("ab") as log:
            log.write(bytes(100))
        assert "expected 61 bytes, found 161" in step.judge(DONE, place, []).difference
        body = dict(case.vector.body)
        files = [{"name": f["name"], "size": f["size"]} for f in body["after"]["files"]]
        body["after"] = {"files": files, "free": [free]}
        free_step = AppendStep(dataclasses.replace(case.vector, body=body))
        assert free_step.judge(DONE, place, []).difference is None

    def test_an_answer_that_the_vector_accepts_counts_with_its_files_only(self, asked, vector):
        case, step, place = asked("append-to-three-records", "append")
        body = dict(case.vector.body)
        before = answer_to(place.read_bytes())
        other = {"answer": before, "after": {"files": [{"name": "other.log", "size": 38}]}}
        step = AppendStep(dataclasses.replace(case.vector, body={**body, "accept": [other]}))
        assert "missing from record 3" in step.judge(DONE, place, []).difference
        other["after"]["files"][0]["name"] = "append-to-three-*"
        assert step.judge(DONE, place, []).difference is None


class TestRefusedWrite:
    @pytest.fixture
    def step(self, vector):
        body = {**vector("write-nothing").body, "must_refuse": True}
        return WriteStep(dataclasses.replace(vector("write-nothing"), body=body))

    def test_only_a_refusal_is_right(self, step, scratch):
        place = scratch.place("new.log")
        assert step.judge(REFUSED, place, []).difference is None
        place.write_bytes(b"")
        assert "done where it must refuse" in step.judge(DONE, place, []).difference

    def test_a_context_that_no_reader_takes(self, scratch):
        asked, sealed = (
            load(VECTORS / "systemd-journal" / f"{slug}.json")
            for slug in ("write-with-a-key-of-eleven-bytes", "closed-sealed-file")
        )
        place = scratch.place("new.journal")
        place.write_bytes(sealed.contents)
        judgement = WriteStep(asked).judge(DONE, place, [])
        assert "done where it must refuse" in judgement.difference and judgement.actual is None

    def test_nothing_is_there_afterwards(self, step, scratch):
        place = scratch.place("new.log")
        place.write_bytes(b"")
        assert "a log, where there was none" in step.judge(REFUSED, place, []).difference
        place.unlink()
        place.with_suffix(".lock").write_bytes(b"")
        assert "new.lock (0 bytes) should not be" in step.judge(REFUSED, place, []).difference


class TestScratch:
    def test_places_are_fresh_and_the_folder_goes_with_the_run(self):
        scratch = Scratch()
        first, second = scratch.place("log"), scratch.place("log")
        assert first != second and not first.exists() and first.parent.is_dir()
        scratch.close()
        assert not first.parent.parent.exists()

    def test_the_whole_folder_may_be_removed_by_an_implementation(self):
        scratch = Scratch()
        place = scratch.place("log")
        shutil.rmtree(place.parent.parent)
        scratch.clear(place)
        assert scratch.place("log").parent.is_dir()
        shutil.rmtree(place.parent.parent)
        scratch.close()

    def test_they_lie_in_memory_where_there_is_room_and_else_on_disk(self, tmp_path, monkeypatch):
        monkeypatch.delenv("TMPDIR", raising=False)
        monkeypatch.setattr(scratch_module, "IN_MEMORY", tmp_path)
        assert made_in() == tmp_path
        monkeypatch.setattr(scratch_module, "ENOUGH", 1 << 60)
        assert made_in() == Path(tempfile.gettempdir())
        monkeypatch.setattr(scratch_module, "IN_MEMORY", tmp_path / "none")
        assert made_in() == Path(tempfile.gettempdir())

    def test_whoever_says_where_temporary_files_go_is_obeyed(self, tmp_path, monkeypatch):
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
    """Where a scratch folder is made, which is gone afterwards."""
    held = scratch_module.Held()
    held.close()
    assert not held.folder.exists()
    return held.folder.parent
