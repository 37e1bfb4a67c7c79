"""Programs under test: each failure has its case, and the next case gets a fresh process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.walproof.sweep.plans import WRONG, control, small_plan, swept, wrong
from walproof.sweep import judge
from walproof.sweep.programs import Client, Limits, Program, Reply
from walproof.sweep.store import Store

DATA = control("leveldb-log/three-records").contents
EMPTY_RECORD = control("leveldb-log/empty-record-between-two").contents
assert isinstance(DATA, bytes) and isinstance(EMPTY_RECORD, bytes)
DAMAGED = DATA[:20] + b"?" + DATA[21:]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Callable[..., Client]]:
    clients: list[Client] = []

    def make(name: str, limits: Limits | None = None) -> Client:
        program = Program(name, (sys.executable, str(WRONG / f"{name}.py")))
        clients.append(Client(program, "leveldb-log", tmp_path, limits or Limits()))
        return clients[-1]

    yield make
    for each in clients:
        each.close()


def read(client: Client, *logs: bytes) -> list[Reply]:
    return [client.read("x.log", log, {}) for log in logs]


def test_the_same_process_answers_many_cases(client: Callable[..., Client]) -> None:
    replies = read(client("breakable_reader"), *(DATA[:n] for n in (0, 12, 24, 38)))
    assert [len((reply.answer or {})["records"]) for reply in replies] == [0, 1, 2, 3]
    assert not any(reply.changed or reply.failed for reply in replies)


def test_a_crash_is_confirmed_and_the_next_case_is_answered(client: Callable[..., Client]) -> None:
    before, crash, after = read(client("crashes_on_damage"), DATA, DAMAGED, DATA)
    assert before.answer and after.answer
    assert (crash.outcome, crash.alone, crash.failed) == (judge.CRASH, True, True)
    assert "SIGABRT" in crash.text


def test_a_crash_that_does_not_happen_again_says_so(client: Callable[..., Client]) -> None:
    replies = read(client("crashes_on_case_3"), DATA, DATA, DATA, DATA)
    assert [(reply.outcome, reply.alone) for reply in replies][2] == (judge.CRASH, False)


def test_a_hang_has_its_case(client: Callable[..., Client]) -> None:
    replies = read(client("hangs_on_one_case", Limits(wall_ms=1500)), DATA, EMPTY_RECORD, DATA)
    assert [reply.outcome for reply in replies] == [0, judge.TIMEOUT, 0]


def test_a_reader_that_writes(client: Callable[..., Client]) -> None:
    replies = read(client("changes_the_log"), DATA, DATA[:36], DATA)
    assert [reply.changed for reply in replies] == [False, True, False]


def test_memory_is_limited(client: Callable[..., Client]) -> None:
    limits = Limits(memory_bytes=200 << 20, wall_ms=20_000)
    (reply,) = read(client("eats_memory", limits), DATA)
    assert reply.outcome == judge.OVER_LIMIT


@pytest.mark.parametrize("name", ["prints_garbage", "answers_another_request"])
def test_garbage_is_no_answer(name: str, client: Callable[..., Client]) -> None:
    (reply,) = read(client(name), DATA)
    assert reply.outcome == judge.PROTOCOL_ERROR


def test_a_program_that_fails_often_gets_no_more_cases_of_the_shard(tmp_path: Path) -> None:
    limits = Limits(max_failures=3)
    plan = small_plan(wrong("crashes_on_damage"), limits=limits, cases=200)
    swept(plan, tmp_path)
    outcomes = pq.read_table(tmp_path / "sweep")["outcome_crashes_on_damage"].to_pylist()
    assert outcomes.count("crash") == 3 * len(plan.shards)
    markers = [Store(tmp_path).marker(number) for number in range(len(plan.shards))]
    left = sum(sum(m["unsent"].get("crashes_on_damage", {}).values()) for m in markers)
    assert left == outcomes.count(None) - outcomes_of_other_profiles(tmp_path)


def outcomes_of_other_profiles(folder: Path) -> int:
    profiles = pq.read_table(folder / "sweep")["profile"].to_pylist()
    return len([profile for profile in profiles if profile != "recover"])
