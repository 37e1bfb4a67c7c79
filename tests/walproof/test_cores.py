"""Tasks on all cores: each is done, whatever becomes of a process."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reference_impl.places import ROOT
from walproof.cores import ATTEMPTS, Died, Pool


def note(task: tuple[Path, int], attempt: int) -> None:
    folder, number = task
    (folder / f"{number}-{os.getpid()}").touch()
    time.sleep(0.01)


def dies(task: tuple[Path, int], attempt: int) -> None:
    folder, number = task
    if number == 3 and attempt < 2:
        os.kill(os.getpid(), signal.SIGKILL)
    (folder / f"{number}-{attempt}").touch()


def dies_always(task: int, attempt: int) -> None:
    if task == 3:
        os.kill(os.getpid(), signal.SIGKILL)


def fails(task: int, attempt: int) -> None:
    if task == 2:
        raise FileNotFoundError(2, "No such file", "/nowhere")


@pytest.fixture
def pools() -> Iterator[list[Pool]]:
    made: list[Pool] = []
    yield made
    for pool in made:
        pool.stop()


def test_each_task_once_in_several_processes(tmp_path: Path, pools: list[Pool]) -> None:
    pools.append(Pool(note, 2))
    ticks: list[float] = []
    pools[0].run([(tmp_path, n) for n in range(60)], lambda: ticks.append(time.monotonic()))
    done = [path.name.split("-") for path in tmp_path.iterdir()]
    assert sorted(int(number) for number, _ in done) == list(range(60))
    assert len({process for _, process in done}) == 2
    assert str(os.getpid()) not in {process for _, process in done}
    pools[0].run([(tmp_path, 99)], lambda: None)  # the same processes again


def test_a_task_whose_process_is_killed_is_tried_again(tmp_path: Path, pools: list[Pool]) -> None:
    pools.append(Pool(dies, 2))
    pools[0].run([(tmp_path, n) for n in range(8)], lambda: None)
    assert {path.name for path in tmp_path.iterdir()} == {
        "3-2", *(f"{n}-0" for n in range(8) if n != 3)
    }  # fmt: skip


def test_one_that_is_killed_each_time(pools: list[Pool]) -> None:
    pools.append(Pool(dies_always, 2))
    with pytest.raises(Died, match=f"{ATTEMPTS} times") as died:
        pools[0].run(range(8), lambda: None)
    assert (died.value.task, died.value.exitcode) == (3, -signal.SIGKILL)


def test_an_exception_is_the_callers(pools: list[Pool]) -> None:
    pools.append(Pool(fails, 2))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        pools[0].run(range(8), lambda: None)


def test_no_process_is_left(pools: list[Pool]) -> None:
    pools.append(Pool(fails, 2))
    pools[0].prepare()
    processes = [hand.process for hand in pools[0]._hands]
    pools[0].stop()
    assert processes and not any(process.is_alive() for process in processes)


def holds_the_interpreter(folder: Path, attempt: int) -> None:
    """As compiled code does: no other thread of the process runs for half a minute."""
    (folder / str(os.getpid())).touch()
    ctypes.PyDLL(None).sleep(30)


def _alive(session: int) -> list[str]:
    """The command lines of what runs in a session."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, _, of_session = (process / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(of_session) == session and state not in "ZX":
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="/proc, and what Linux does with orphans")
@pytest.mark.parametrize("moment", ["loads", "works"])
def test_nothing_outlives_who_is_killed_outright(moment: str, tmp_path: Path) -> None:
    """Neither the server that forks, which may be loading, nor processes in compiled code."""
    script = tmp_path / "kept_busy.py"
    script.write_text(
        "import ctypes, os, pathlib, sys, time\n"
        f"if any('forkserver' in word for word in sys.orig_argv) and {moment == 'loads'}:\n"
        f"    (pathlib.Path({str(tmp_path)!r}) / str(os.getpid())).touch()\n"
        "    ctypes.PyDLL(None).sleep(30)\n"
        "from tests.walproof.test_cores import holds_the_interpreter\n"
        "def work(task, attempt):\n    holds_the_interpreter(task, attempt)\n"
    )
    program = (
        "import pathlib, sys, kept_busy; from walproof.cores import Pool\n"
        f"Pool(kept_busy.work, 2).run([pathlib.Path({str(tmp_path)!r})] * 2, lambda: None)\n"
    )
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    job = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    )
    busy = 1 if moment == "loads" else 2
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("[0-9]*"))) < busy:
        assert job.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    job.kill()
    job.wait()
    deadline = time.monotonic() + 15  # half of what they would sleep
    while _alive(job.pid):
        assert time.monotonic() < deadline, _alive(job.pid)
        time.sleep(0.01)
