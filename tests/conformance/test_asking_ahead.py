"""Requests are sent ahead of replies, and what comes of it is what one at a time would show."""

from __future__ import annotations

import asyncio

import pytest

from conformance import ROOT, runner
from conformance.cases import cases_of
from conformance.known_failures import KnownFailure, KnownFailures
from conformance.protocol.child import Child
from conformance.runner import AHEAD, WARM, Runner
from conformance.subject import Subject

COUNT = 300
RIGHT = f"""
sys.path.insert(0, {str(ROOT)!r})
HELLO["reports"] = ["records", "at", "size", "verdict", "reason", "lost", "end"]
import hashlib, os, threading
from pathlib import Path
from reference_impl.answer import collect
from reference_impl.formats import named
answered = 0
def reply(request):
    global answered
    answered += 1
    answer = collect(named("leveldb-log").read(Path(request["path"]), request["profile"], {{}}))
    return {{"seq": request["seq"], "answer": answer.to_json()}}
def digest(request):
    return hashlib.sha256(Path(request["path"]).read_bytes()).hexdigest()
"""
LOOP = """
def send(message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()

def lines():
    rest = b""
    while chunk := os.read(0, 1 << 16):
        *whole, rest = (rest + chunk).split(b"\\n")
        yield [json.loads(one) for one in whole]

for some in lines():
    if some and some[0]["cmd"] == "hello":
        send(HELLO)
        continue
    if some and some[-1]["cmd"] == "bye":
        break
    handle(some)
"""


@pytest.fixture(scope="module")
def many(vectors):
    """Cases of one request each, of which no two have the same log."""
    chosen = [
        one for one in vectors.values()
        if one.operation == "read" and not one.body.get("context")
        and one.body["format"] == "leveldb-log"
    ]  # fmt: skip
    return cases_of(list({one.body["sha256"]: one for one in chosen}.values()), ["recover"])[:COUNT]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many requests were outstanding each time when some were sent ahead."""
    found: list[int] = []
    real = Child.ask_ahead

    def ask_ahead(self, requests):
        found.append(len(requests))
        real(self, requests)

    monkeypatch.setattr(Child, "ask_ahead", ask_ahead)
    return found


def adapter(program, lines: str, loop: str) -> Subject:
    return Subject("s", "s", program(RIGHT + lines, loop), isolated=False)


def run(subject, cases):
    found = asyncio.run(Runner(subject, cases).run())
    assert found.status == "ran", found.because
    assert [one["vector"] for one in found.results] == [case.vector.id for case in cases]
    return {one["vector"]: (one["class"], one["difference"]) for one in found.results}


def one_by_one(monkeypatch, subject, cases):
    with monkeypatch.context() as patch:
        patch.setattr(runner, "AHEAD", 1)
        return run(subject, cases)


def wrong(results):
    return {id: result for id, result in results.items() if result[0] != "pass"}


SOUND = LOOP.replace("handle(some)", "[send(reply(one)) for one in some]")


def test_the_longer_all_goes_well_the_more_are_sent(program, many, asked):
    assert wrong(run(adapter(program, "", SOUND), many)) == {}
    assert asked[0] == 2 and max(asked) == AHEAD
    assert sum(asked) + WARM <= len(many)


def test_one_that_is_wrong_is_wrong_in_the_same_places(program, many, monkeypatch):
    lines = """
def reply(request, right=reply):
    found = right(request)
    if digest(request) < "3":
        found["answer"]["records"] = found["answer"]["records"][1:]
    elif digest(request) < "5":
        found = {"seq": request["seq"], "skipped": "no"}
    elif digest(request) < "6":
        Path(request["path"]).write_bytes(b"changed")
    elif digest(request) < "7":
        found["answer"]["end"] = float(found["answer"]["end"] or 0)
    return found
"""
    subject = adapter(program, lines, SOUND)
    found = run(subject, many)
    assert len(wrong(found)) > 20
    assert any("changed the log" in str(said) for _, said in found.values())
    assert found == one_by_one(monkeypatch, subject, many)


@pytest.mark.parametrize("what", ["os.abort()", "print('garbage', flush=True)", "time.sleep(60)"])
def test_the_culprit_of_many_is_found(program, many, asked, what, monkeypatch):
    """It dies at the third of ten, or more, that are outstanding."""
    monkeypatch.setattr(runner, "PATIENCE", 1)
    third = WARM + 60 + 3
    lines = f"""
import time
def reply(request, right=reply):
    if digest(request) == {many[third].vector.body["sha256"]!r}:
        {what}
    return right(request)
"""
    subject = adapter(program, lines, SOUND)
    found = wrong(run(subject, many))
    assert list(found) == [many[third].vector.id]
    ((kind, said),) = found.values()
    assert kind in ("crash", "protocol-error", "timeout") and "alone" not in said
    assert max(asked) > 10
    assert sum(asked) < third + AHEAD, "one at a time from then on"
    assert found == wrong(one_by_one(monkeypatch, subject, many))


def test_a_crash_that_depends_on_what_came_before_is_one(program, many):
    lines = """
def reply(request, right=reply):
    if answered == 100:
        os.abort()
    return right(request)
"""
    found = wrong(run(adapter(program, lines, SOUND), many[:150]))
    assert list(found) == [many[100].vector.id]
    assert found[many[100].vector.id] == ("crash", "killed by SIGABRT; alone: pass")


def test_who_answers_several_in_another_order_is_asked_one_by_one(program, many, asked):
    loop = LOOP.replace("handle(some)", "[send(reply(one)) for one in reversed(some)]")
    assert wrong(run(adapter(program, "", loop), many[:60])) == {}
    assert asked == [2]


def test_who_takes_one_line_at_a_time_is_asked_one_by_one(program, many, asked):
    """It dies of two lines at once: no case is to blame for that."""
    loop = LOOP.replace("handle(some)", "assert len(some) == 1; send(reply(some[0]))")
    assert wrong(run(adapter(program, "", loop), many[:60])) == {}
    assert asked == [2]


def test_who_drops_what_came_together_loses_nothing(program, many, asked):
    loop = LOOP.replace("handle(some)", "send(reply(some[0]))")
    for case in many[:20]:
        assert case.wall_ms == 2000
    assert wrong(run(adapter(program, "", loop), many[:20])) == {}
    assert asked == [2]


def test_a_second_reply_to_one_request_is_a_fault(program, many, monkeypatch):
    twice = many[WARM + 50].vector.body["sha256"]
    lines = f"""
def both(request):
    found = reply(request)
    return [found] * (1 + (digest(request) == {twice!r}))
"""
    loop = LOOP.replace("handle(some)", "[send(each) for one in some for each in both(one)]")
    subject = adapter(program, lines, loop)
    found = wrong(run(subject, many))
    assert list(found) == [many[WARM + 51].vector.id]
    assert found == wrong(one_by_one(monkeypatch, subject, many))


def test_known_deaths_are_not_asked_ahead(program, many, asked):
    entries = {
        (case.vector.id, "recover"): KnownFailure(case.vector.id, "recover", "crash", "boom", "c")
        for case in many
    }
    subject = adapter(program, "", SOUND)
    subject.known = KnownFailures(causes={"c": "It falls over."}, entries=entries)
    assert {kind for kind, _ in run(subject, many[:40]).values()} == {"unexpected-pass"}
    assert asked == []


@pytest.fixture(scope="module")
def both(vectors):
    """Cases of one request each, in both profiles."""
    chosen = [
        one for one in vectors.values()
        if one.operation == "read" and not one.body.get("context")
    ]  # fmt: skip
    return cases_of(list({one.body["sha256"]: one for one in chosen}.values()))[:200]


class TestSharedCopies:
    """A copy is shared by both profiles of a vector; what comes of it is as with two copies."""

    @pytest.fixture
    def paths(self, tmp_path):
        """Where the program says which copies it was asked about."""
        return tmp_path / "paths"

    def adapter(self, program, lines: str, paths) -> Subject:
        note = f"""
def reply(request, right=reply):
    with open({str(paths)!r}, "a") as file:
        file.write(request["path"] + "\\n")
    return right(request)
"""
        return adapter(program, lines + note, SOUND)

    def found(self, subject, cases):
        outcome = asyncio.run(Runner(subject, cases).run())
        return [(one["vector"], one["profile"], one["class"], one["difference"])
                for one in outcome.results]  # fmt: skip

    def same_as_alone(self, monkeypatch, subject, cases):
        found = self.found(subject, cases)
        with monkeypatch.context() as patch:
            patch.setattr(runner, "AHEAD", 1)
            assert found == self.found(subject, cases)
        return found

    def test_both_profiles_read_one_copy(self, program, both, paths):
        found = self.found(self.adapter(program, "", paths), both)
        assert {kind for _, _, kind, _ in found} == {"pass"}
        asked = paths.read_text().split()
        assert len(asked) == len(both) and len(set(asked)) < 0.6 * len(both)

    def test_who_changes_a_log_in_one_profile_is_not_wrong_in_the_other(
        self, program, both, paths, monkeypatch
    ):
        lines = """
def reply(request, right=reply):
    found = right(request)
    if request["profile"] == "recover" and digest(request) < "4":
        Path(request["path"]).write_bytes(b"changed")
    return found
"""
        found = self.same_as_alone(monkeypatch, self.adapter(program, lines, paths), both)
        wrong = [one for one in found if one[2] != "pass"]
        assert len(wrong) > 10 and {profile for _, profile, _, _ in wrong} == {"recover"}
        assert all("changed the log" in said for *_, said in wrong)

    def test_one_that_declines_a_changed_log_is_asked_again(
        self, program, both, paths, monkeypatch
    ):
        lines = """
def reply(request, right=reply):
    if Path(request["path"]).read_bytes() == b"changed":
        return {"seq": request["seq"], "skipped": "not this log"}
    found = right(request)
    if request["profile"] == "recover" and digest(request) < "4":
        Path(request["path"]).write_bytes(b"changed")
    return found
"""
        found = self.same_as_alone(monkeypatch, self.adapter(program, lines, paths), both)
        assert {kind for *_, kind, _ in found} == {"pass", "fail"}

    def test_one_that_was_right_is_asked_again_where_the_next_one_changed_the_log(
        self, program, both, paths, monkeypatch
    ):
        lines = """
def reply(request, right=reply):
    found = right(request)
    if request["profile"] == "strict" and digest(request) < "4":
        Path(request["path"]).write_bytes(b"changed")
    return found
"""
        found = self.same_as_alone(monkeypatch, self.adapter(program, lines, paths), both)
        wrong = [one for one in found if one[2] != "pass"]
        assert len(wrong) > 10 and {profile for _, profile, _, _ in wrong} == {"strict"}

    @pytest.mark.parametrize("changes", [True, False])
    def test_who_dies_on_a_copy_that_was_answered_for(
        self, program, both, paths, monkeypatch, changes
    ):
        (victim,) = {case.vector.body["sha256"] for case in both[100:101]}
        lines = f"""
def reply(request, right=reply):
    mine = digest(request) == {victim!r}
    if mine and request["profile"] == "strict":
        os.abort()
    found = right(request)
    if mine and {changes}:
        Path(request["path"]).write_bytes(b"changed")
    return found
"""
        found = self.same_as_alone(monkeypatch, self.adapter(program, lines, paths), both)
        wrong = [(profile, kind) for _, profile, kind, _ in found if kind != "pass"]
        assert wrong == [("recover", "fail")] * changes + [("strict", "crash")]

    def test_what_one_leaves_beside_a_copy_the_next_does_not_see(
        self, program, both, paths, monkeypatch
    ):
        lines = """
def reply(request, right=reply):
    lock = Path(request["path"] + ".lock")
    found = right(request)
    if lock.exists():
        found["answer"]["records"] = []
    lock.touch()
    return found
"""
        found = self.same_as_alone(monkeypatch, self.adapter(program, lines, paths), both)
        assert {kind for _, _, kind, _ in found} == {"pass"}

    def test_one_that_was_there_before_does_not_make_another_wrong(
        self, program, both, paths, monkeypatch
    ):
        """It remembers places: the second answer from one is wrong, and would not be alone."""
        lines = """
seen = set()
def reply(request, right=reply):
    found = right(request)
    if request["path"] in seen:
        found["answer"]["end"] = 1 << 40
    seen.add(request["path"])
    return found
"""
        found = self.same_as_alone(monkeypatch, self.adapter(program, lines, paths), both)
        assert {kind for _, _, kind, _ in found} == {"pass"}

    def test_a_known_failure_is_not_asked_again(self, program, both, paths):
        lines = """
def reply(request, right=reply):
    return {"seq": request["seq"], "answer": {"records": [], "verdict": "damaged", "end": 1,
            "reason": None, "lost": []}}
"""
        subject = self.adapter(program, lines, paths)
        first = self.found(subject, both)
        entries = {
            (vector, profile): KnownFailure(vector, profile, "fail", said, "c")
            for vector, profile, kind, said in first
            if kind == "fail"
        }
        assert len(entries) > 150
        paths.unlink()
        subject.known = KnownFailures(causes={"c": "It reads nothing."}, entries=entries)
        assert {kind for _, _, kind, _ in self.found(subject, both)} <= {"known-failure", "pass"}
        assert len(paths.read_text().split()) == len(both)
