"""Cases send requests to a writer and judge the files that it leaves."""

from __future__ import annotations

import dataclasses
import io
import os

import pytest

from conformance import VECTORS
from conformance.vector_cases import AppendStep, WriteStep
from conformance.vectors import load
from reference_impl.answer import collect
from reference_impl.leveldb_log.reader import read_stream
from reference_impl.leveldb_log.writer import Writer, append_stream

DONE = {"seq": 0, "done": True}
REFUSED = {"seq": 0, "refused": "damaged"}


def answer_to(data, profile="recover"):
    return collect(read_stream(io.BytesIO(data), profile)).to_json()


class TestWrite:
    def test_correct_bytes_pass(self, start_case, vector):
        _, step, path = start_case("write-three-records", "write")
        path.write_bytes(vector("write-three-records").contents)
        assert step.judge(DONE, path, []).difference is None

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda log: log[:-1] + b"?", "bytes: expected 38, found 38; at offset 37: expected"),
            (lambda log: log + b"\0", "found 39; at offset 38: expected the end, found 00"),
            (lambda log: log[:30], "expected 38, found 30; at offset 30"),
        ],
    )
    def test_different_bytes_fail(self, start_case, vector, change, message):
        _, step, path = start_case("write-three-records", "write")
        path.write_bytes(change(vector("write-three-records").contents))
        judgement = step.judge(DONE, path, [])
        assert message in judgement.difference
        assert judgement.actual == answer_to(path.read_bytes())

    def test_a_log_of_another_encoder_is_read_back(self, start_case, vector):
        case, step, path = start_case("write-three-records", "write")
        data = vector("write-three-records").contents
        path.write_bytes(data + bytes(100))
        free = [{"freedom": name, "because": "x"} for name in ("placement", "preallocation")]
        body = {**case.vector.body, "after": {**case.vector.body["after"], "free": free}}
        step = WriteStep(dataclasses.replace(case.vector, body=body))
        assert step.judge(DONE, path, []).difference is None
        path.write_bytes(data[:30])
        assert "records: expected 3, found 2" in step.judge(DONE, path, []).difference

    def test_a_missing_file_fails(self, start_case):
        _, step, path = start_case("write-nothing", "write")
        assert "there is no file" in step.judge(DONE, path, []).difference

    def test_a_folder_instead_of_a_file_fails(self, start_case):
        _, step, path = start_case("write-three-records", "write")
        path.mkdir()
        judgement = step.judge(DONE, path, [])
        assert "found a file, or the other way round" in judgement.difference

    def test_an_unexpected_refusal_fails(self, start_case):
        _, step, path = start_case("write-three-records", "write")
        judgement = step.judge({"seq": 0, "refused": "too short"}, path, [])
        assert judgement.difference == "the writer refused: too short"
        # The paths of scratch copies differ in each run, so they are shortened.
        why = f"{path}: too short"
        difference = step.judge({"seq": 0, "refused": why}, path, []).difference
        assert difference == f"the writer refused: …/{path.name}: too short"


class TestAppend:
    def append(self, path, payloads):
        with path.open("r+b") as log:
            append_stream(log, payloads)

    def payloads(self, vector):
        return [bytes.fromhex(record["payload"]) for record in vector.records_to_write()]

    def test_appending_after_recovery_passes(self, start_case, vector):
        _, step, path = start_case("append-behind-a-torn-payload", "append")
        self.append(path, self.payloads(vector("append-behind-a-torn-payload")))
        assert step.judge(DONE, path, []).difference is None

    def test_appending_after_a_torn_tail_fails(self, start_case, vector):
        _, step, path = start_case("append-behind-a-torn-payload", "append")
        before = path.stat().st_size
        with path.open("ab") as log:
            writer = Writer(log, before)
            for payload in self.payloads(vector("append-behind-a-torn-payload")):
                writer.append(payload)
        assert "records: " in step.judge(DONE, path, []).difference

    def test_an_acknowledged_record_must_be_written(self, start_case):
        _, step, path = start_case("append-to-three-records", "append")
        difference = step.judge(DONE, path, []).difference
        assert "expected 5, found 3; missing from record 3 on" in difference

    def test_a_removed_log_fails(self, start_case):
        _, step, path = start_case("append-to-three-records", "append")
        path.unlink()
        assert "expected 5, found 0" in step.judge(DONE, path, []).difference

    @pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
    def test_an_unreadable_log_fails(self, start_case, make):
        _, step, path = start_case("append-to-three-records", "append")
        path.unlink()
        make(path)
        assert "the path holds no log" in step.judge(DONE, path, []).difference

    def test_a_refusal_passes_only_if_the_vector_allows_it(self, start_case):
        for slug in ("append-behind-damage", "append-behind-a-torn-payload"):
            _, step, path = start_case(slug, "append")
            assert step.judge(REFUSED, path, []).difference is None
        _, step, path = start_case("append-to-three-records", "append")
        assert step.judge(REFUSED, path, []).difference == "the writer refused: damaged"

    def test_a_required_refusal_is_the_only_pass(self, start_case):
        _, step, path = start_case("append-behind-damage", "append")
        difference = step.judge(DONE, path, []).difference
        assert difference == "the writer must refuse, but replied done"

    @pytest.mark.parametrize("slug", ["append-behind-damage", "append-behind-a-torn-payload"])
    def test_a_refusal_must_change_no_byte(self, start_case, slug):
        _, step, path = start_case(slug, "append")
        path.write_bytes(path.read_bytes()[:-1])
        difference = step.judge(REFUSED, path, []).difference
        assert difference.startswith("the writer refused, but changed the log: bytes: ")
        path.unlink()
        assert "the log was deleted" in step.judge(REFUSED, path, []).difference

    def test_a_refusal_must_leave_no_file_beside_the_log(self, start_case):
        _, step, path = start_case("append-behind-damage", "append")
        (path.parent / "spare").mkdir()
        (path.parent / "spare" / "copy").write_bytes(b"x")
        difference = step.judge(REFUSED, path, []).difference
        assert "files: spare/copy (1 bytes) should not be there" in difference

    def test_records_at_other_offsets_fail(self, start_case, vector):
        _, step, path = start_case("append-to-three-records", "append")
        with path.open("r+b") as log:
            log.seek(32768)
            writer = Writer(log, 32768)
            for payload in self.payloads(vector("append-to-three-records")):
                writer.append(payload)
        difference = step.judge(DONE, path, []).difference
        assert "at of record 3: expected 38, found 32768" in difference
        assert "files: append-to-three-records.log: expected 61 bytes, found 32791" in difference

    def test_a_declared_freedom_is_not_compared(self, start_case, vector):
        free = {"freedom": "preallocation", "because": "a writer may reserve space"}
        case, step, path = start_case("append-to-three-records", "append")
        self.append(path, self.payloads(vector("append-to-three-records")))
        with path.open("ab") as log:
            log.write(bytes(100))
        assert "expected 61 bytes, found 161" in step.judge(DONE, path, []).difference
        body = dict(case.vector.body)
        files = [{"name": f["name"], "size": f["size"]} for f in body["after"]["files"]]
        body["after"] = {"files": files, "free": [free]}
        free_step = AppendStep(dataclasses.replace(case.vector, body=body))
        assert free_step.judge(DONE, path, []).difference is None

    def test_an_accepted_answer_needs_its_files(self, start_case, vector):
        case, step, path = start_case("append-to-three-records", "append")
        body = dict(case.vector.body)
        before = answer_to(path.read_bytes())
        other = {"answer": before, "after": {"files": [{"name": "other.log", "size": 38}]}}
        step = AppendStep(dataclasses.replace(case.vector, body={**body, "accept": [other]}))
        assert "missing from record 3" in step.judge(DONE, path, []).difference
        other["after"]["files"][0]["name"] = "append-to-three-*"
        assert step.judge(DONE, path, []).difference is None


class TestRefusedWrite:
    @pytest.fixture
    def step(self, vector):
        body = {**vector("write-nothing").body, "must_refuse": True}
        return WriteStep(dataclasses.replace(vector("write-nothing"), body=body))

    def test_only_a_refusal_is_right(self, step, scratch):
        path = scratch.new_path("new.log")
        assert step.judge(REFUSED, path, []).difference is None
        path.write_bytes(b"")
        assert "must refuse, but replied done" in step.judge(DONE, path, []).difference

    def test_an_invalid_context_must_be_refused(self, scratch):
        context, sealed = (
            load(VECTORS / "systemd-journal" / f"{slug}.json")
            for slug in ("write-with-a-key-of-eleven-bytes", "closed-sealed-file")
        )
        path = scratch.new_path("new.journal")
        path.write_bytes(sealed.contents)
        judgement = WriteStep(context).judge(DONE, path, [])
        assert "must refuse, but replied done" in judgement.difference and judgement.actual is None

    def test_a_refused_write_leaves_nothing(self, step, scratch):
        path = scratch.new_path("new.log")
        path.write_bytes(b"")
        assert "a log where none existed" in step.judge(REFUSED, path, []).difference
        path.unlink()
        path.with_suffix(".lock").write_bytes(b"")
        assert "new.lock (0 bytes) should not be" in step.judge(REFUSED, path, []).difference
