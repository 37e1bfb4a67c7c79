"""The requests to a writer, and the judgement of the bytes that it leaves."""

from __future__ import annotations

import dataclasses
import io
import os

import pytest

from conformance import VECTORS
from conformance.cases import AppendStep, WriteStep
from conformance.vectors import load
from reference_impl.answer import collect
from reference_impl.leveldb_log.reader import read_stream
from reference_impl.leveldb_log.writer import Writer, append_stream

DONE = {"seq": 0, "done": True}
REFUSED = {"seq": 0, "refused": "damaged"}


def answer_to(data, profile="recover"):
    return collect(read_stream(io.BytesIO(data), profile)).to_json()


class TestWrite:
    def test_correct_bytes_pass(self, asked, vector):
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
    def test_different_bytes_fail(self, asked, vector, change, words):
        _, step, place = asked("write-three-records", "write")
        place.write_bytes(change(vector("write-three-records").contents))
        judgement = step.judge(DONE, place, [])
        assert words in judgement.difference
        assert judgement.actual == answer_to(place.read_bytes())

    def test_a_missing_file_fails(self, asked):
        _, step, place = asked("write-nothing", "write")
        assert "there is no file" in step.judge(DONE, place, []).difference

    def test_a_folder_instead_of_a_file_fails(self, asked):
        _, step, place = asked("write-three-records", "write")
        place.mkdir()
        judgement = step.judge(DONE, place, [])
        assert "found a file, or the other way round" in judgement.difference

    def test_an_unexpected_refusal_fails(self, asked):
        _, step, place = asked("write-three-records", "write")
        judgement = step.judge({"seq": 0, "refused": "too short"}, place, [])
        assert judgement.difference == "the writer refused: too short"
        why = f"{place}: too short"  # the path of the scratch copy differs between runs
        difference = step.judge({"seq": 0, "refused": why}, place, []).difference
        assert difference == f"the writer refused: …/{place.name}: too short"


class TestAppend:
    def append(self, place, payloads):
        with place.open("r+b") as log:
            append_stream(log, payloads)

    def payloads(self, vector):
        return [bytes.fromhex(record["payload"]) for record in vector.records_to_write()]

    def test_appending_after_recovery_passes(self, asked, vector):
        _, step, place = asked("append-behind-a-torn-payload", "append")
        self.append(place, self.payloads(vector("append-behind-a-torn-payload")))
        assert step.judge(DONE, place, []).difference is None

    def test_appending_after_a_torn_tail_fails(self, asked, vector):
        _, step, place = asked("append-behind-a-torn-payload", "append")
        before = place.stat().st_size
        with place.open("ab") as log:
            writer = Writer(log, before)
            for payload in self.payloads(vector("append-behind-a-torn-payload")):
                writer.append(payload)
        assert "records: " in step.judge(DONE, place, []).difference

    def test_an_acknowledged_record_must_be_written(self, asked):
        _, step, place = asked("append-to-three-records", "append")
        difference = step.judge(DONE, place, []).difference
        assert "expected 5, found 3; missing from record 3 on" in difference

    def test_a_removed_log_fails(self, asked):
        _, step, place = asked("append-to-three-records", "append")
        place.unlink()
        assert "expected 5, found 0" in step.judge(DONE, place, []).difference

    @pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
    def test_an_unreadable_log_fails(self, asked, make):
        _, step, place = asked("append-to-three-records", "append")
        place.unlink()
        make(place)
        assert "what is there is no log" in step.judge(DONE, place, []).difference

    def test_a_refusal_passes_only_if_the_vector_allows_it(self, asked):
        for slug in ("append-behind-damage", "append-behind-a-torn-payload"):
            _, step, place = asked(slug, "append")
            assert step.judge(REFUSED, place, []).difference is None
        _, step, place = asked("append-to-three-records", "append")
        assert step.judge(REFUSED, place, []).difference == "the writer refused: damaged"

    def test_a_required_refusal_is_the_only_pass(self, asked):
        _, step, place = asked("append-behind-damage", "append")
        difference = step.judge(DONE, place, []).difference
        assert difference == "the writer says done where it must refuse"

    @pytest.mark.parametrize("slug", ["append-behind-damage", "append-behind-a-torn-payload"])
    def test_a_refusal_must_change_no_byte(self, asked, slug):
        _, step, place = asked(slug, "append")
        place.write_bytes(place.read_bytes()[:-1])
        difference = step.judge(REFUSED, place, []).difference
        assert difference.startswith("the writer refused, and changed what is there: bytes: ")
        place.unlink()
        assert "there is no log any more" in step.judge(REFUSED, place, []).difference

    def test_a_refusal_must_leave_no_file_beside_the_log(self, asked):
        _, step, place = asked("append-behind-damage", "append")
        (place.parent / "spare").mkdir()
        (place.parent / "spare" / "copy").write_bytes(b"x")
        difference = step.judge(REFUSED, place, []).difference
        assert "files: spare/copy (1 bytes) should not be there" in difference

    def test_records_at_other_offsets_fail(self, asked, vector):
        _, step, place = asked("append-to-three-records", "append")
        with place.open("r+b") as log:
            log.seek(32768)
            writer = Writer(log, 32768)
            for payload in self.payloads(vector("append-to-three-records")):
                writer.append(payload)
        difference = step.judge(DONE, place, []).difference
        assert "at of record 3: expected 38, found 32768" in difference
        assert "files: append-to-three-records.log: expected 61 bytes, found 32791" in difference

    def test_a_declared_freedom_is_not_compared(self, asked, vector):
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

    def test_an_accepted_answer_needs_its_files(self, asked, vector):
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

    def test_an_invalid_context_must_be_refused(self, scratch):
        asked, sealed = (
            load(VECTORS / "systemd-journal" / f"{slug}.json")
            for slug in ("write-with-a-key-of-eleven-bytes", "closed-sealed-file")
        )
        place = scratch.place("new.journal")
        place.write_bytes(sealed.contents)
        judgement = WriteStep(asked).judge(DONE, place, [])
        assert "done where it must refuse" in judgement.difference and judgement.actual is None

    def test_a_refused_write_leaves_nothing(self, step, scratch):
        place = scratch.place("new.log")
        place.write_bytes(b"")
        assert "a log, where there was none" in step.judge(REFUSED, place, []).difference
        place.unlink()
        place.with_suffix(".lock").write_bytes(b"")
        assert "new.lock (0 bytes) should not be" in step.judge(REFUSED, place, []).difference
