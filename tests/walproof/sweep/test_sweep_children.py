"""Programs under test: who is to blame, and that nothing is left of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.walproof.sweep.plans import WRONG, control
from walproof.sweep import judge
from walproof.sweep.children import Asker, Limits, Reply
from walproof.sweep.process import Ended, Process

DATA = control("leveldb-log/three-records").contents
EMPTY_RECORD = control("leveldb-log/empty-record-between-two").contents
assert isinstance(DATA, bytes) and isinstance(EMPTY_RECORD, bytes)
DAMAGED = DATA[:20] + b"?" + DATA[21:]


@pytest.fixture
def asker(tmp_path: Path) -> Iterator[Callable[..., Asker]]:
    made: list[Asker] = []

    def make(name: str, limits: Limits | None = None) -> Asker:
        command = [sys.executable, str(WRONG / f"{name}.py")]
        made.append(Asker(name, command, "leveldb-log", tmp_path, limits or Limits()))
        return made[-1]

    yield make
    for each in made:
        each.close()


def ask(asker: Asker, *logs: bytes) -> dict[int, Reply]:
    for number, log in enumerate(logs):
        asker.ask(number, "x.log", log, "{}")
    asker.drain()
    return {reply.token: reply for reply in asker.replies}


def test_many_at_a_time(asker: Callable[..., Asker]) -> None:
    replies = ask(asker("breakable_reader"), *(DATA[: n % 39] for n in range(500)))
    assert len(replies) == 500
    assert [len((replies[n].answer or {})["records"]) for n in (0, 12, 24, 38)] == [0, 1, 2, 3]
    assert not any(reply.changed for reply in replies.values())


def test_a_crash_is_blamed_on_its_case(asker: Callable[..., Asker]) -> None:
    logs = [DATA] * 20 + [DAMAGED] + [DATA] * 20
    replies = ask(asker("crashes_on_damage"), *logs)
    bad = [n for n, reply in replies.items() if reply.answer is None]
    assert bad == [20]
    assert (replies[20].outcome, replies[20].alone) == (judge.CRASH, True)
    assert "SIGABRT" in replies[20].text


def test_a_hang_is_blamed_on_its_case(asker: Callable[..., Asker]) -> None:
    logs = [DATA] * 5 + [EMPTY_RECORD] + [DATA] * 5
    replies = ask(asker("hangs_on_one_case", Limits(wall_ms=1500)), *logs)
    assert [n for n, r in replies.items() if r.outcome == judge.TIMEOUT] == [5]
    assert len(replies) == 11


def test_it_gives_up_and_says_so(asker: Callable[..., Asker]) -> None:
    replies = ask(asker("crashes_on_damage", Limits(give_up=3, window=4)), *[DAMAGED] * 30)
    outcomes = [replies[n].outcome for n in range(30)]
    # One that was on its way when the third crashed may still be run.
    assert outcomes.count(judge.CRASH) in (3, 4)
    assert outcomes.count(judge.CRASH) + outcomes.count(judge.NOT_ASKED) == 30


def test_a_reader_that_writes(asker: Callable[..., Asker]) -> None:
    replies = ask(asker("changes_the_log"), DATA, DATA[:36], DATA)
    assert [replies[n].changed for n in range(3)] == [False, True, False]


def test_memory_is_limited(asker: Callable[..., Asker]) -> None:
    replies = ask(asker("eats_memory", Limits(memory=200 << 20, wall_ms=20_000, give_up=1)), DATA)
    assert replies[0].outcome == judge.OVER_LIMIT


@pytest.mark.parametrize("name", ["prints_garbage", "answers_another_request"])
def test_garbage_is_no_answer(asker: Callable[..., Asker], name: str) -> None:
    replies = ask(asker(name), DATA)
    assert replies[0].outcome == judge.PROTOCOL_ERROR


def gone(pid: int, seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.05)
    return False


def test_grandchildren_end_with_the_program(tmp_path: Path) -> None:
    program = "import subprocess,sys; p=subprocess.Popen(['sleep','600'],start_new_session=True);"
    program += "print(p.pid,flush=True); sys.stdin.read()"
    process = Process([sys.executable, "-c", program], tmp_path, 1 << 30)
    pid = int(process.lines(20, 1000)[0])
    process.kill()
    assert gone(pid)


def test_an_ended_program_says_how(tmp_path: Path) -> None:
    process = Process([sys.executable, "-c", "raise SystemExit(7)"], tmp_path, 1 << 30)
    with pytest.raises(Ended, match="exit status 7"):
        process.lines(20, 1000)
    with pytest.raises(Ended, match="cannot start"):
        Process(["/no/such/program"], tmp_path, 1 << 30).lines(20, 1000)


def test_nothing_is_left_of_a_worker_that_is_killed(tmp_path: Path) -> None:
    """``kill -9`` of a worker with a spinning child that itself has a child in another session."""
    spinning = tmp_path / "spins.py"
    spinning.write_text(
        "import subprocess,sys\n"
        "p = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        f"open({str(tmp_path / 'pids')!r}, 'w').write(f'{{p.pid}}')\n"
        "while True: pass\n"
    )
    program = (
        "import sys, time; from conformance.scratch import Held;"
        "from walproof.sweep.process import Process; held = Held(); folder = held.folder;"
        f"p = Process([sys.executable, {str(spinning)!r}], folder, 1 << 30);"
        "print(folder, p._guard.pid, flush=True); time.sleep(600)"
    )
    victim = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert victim.stdout is not None
    folder, guard = victim.stdout.readline().split()
    deadline = time.monotonic() + 20
    while not (tmp_path / "pids").exists() or not (tmp_path / "pids").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    family = [int((tmp_path / "pids").read_text()), int(guard)]
    family += [child.pid for child in psutil.Process(int(guard)).children(recursive=True)]
    assert Path(folder).is_dir()
    os.kill(victim.pid, signal.SIGKILL)
    victim.wait()
    assert all(gone(pid) for pid in family)
    while Path(folder).exists():
        assert time.monotonic() < deadline + 10, "the scratch folder is left"
        time.sleep(0.05)


def test_requests_are_json() -> None:
    from walproof.sweep.children import _Asked, _Slot

    asker = Asker("x", ["x"], "leveldb-log", Path("unused"), Limits())
    slot = _Slot(Path("a b.log"), json.dumps("a b.log"))
    line = asker._request(_Asked(0, b"", '{"k":1}', "strict", slot, 7))
    assert json.loads(line) == {
        "cmd": "read", "seq": 7, "format": "leveldb-log", "path": "a b.log",
        "profile": "strict", "context": {"k": 1}, "limits": {"wall_ms": 2000},
    }  # fmt: skip
