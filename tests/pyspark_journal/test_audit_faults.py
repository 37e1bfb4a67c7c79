"""After a failed or killed audit, the output is the complete previous result or the new result."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pyspark_journal.audit import audit
from tests.walproof.inventory.lakes import leveldb, options, rows, vector
from walproof.lake import retry

from .in_process import InProcess
from .test_audit import TASK_BYTES, State, audited, change, small_lake, state

#: Events of Python's audit hooks for accesses to the file system.
ACCESSES = {"open", "os.listdir", "os.scandir", "os.rename", "os.remove", "os.rmdir", "os.mkdir",
            "os.link"}  # fmt: skip
DONE, FAILED = 0, 3


def at_access(number: int, folder: Path, do: Callable[[], None]) -> None:
    """Call ``do`` before access ``number`` to a folder or its temporary siblings."""
    left = number

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in ACCESSES and folder.name in f"{arguments[0]}":
            left -= 1
            if left == 0:
                do()

    sys.addaudithook(hook)


def child_audit(lake: Path, out: Path, prepare: Callable[..., None], *arguments: object) -> int:
    """Run an audit in a child process and return the exit status.

    A child process is necessary because audit hooks and limits cannot be removed. The status is
    negative if a signal ended the child, and ``FAILED`` after an ``OSError`` that names the output.
    """
    child = os.fork()
    if child == 0:
        status = 1
        try:
            prepare(*arguments)
            audit(options(lake), out, spark=InProcess(), max_task_bytes=TASK_BYTES)
            status = DONE
        except OSError as error:
            if out.name in f"{error.filename} {error}":
                status = FAILED
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def access_numbers(share: int) -> Iterator[int]:
    """Yield increasing numbers, first each number, then with growing gaps."""
    number = 1
    while True:
        yield number
        number += 1 + number // share


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "the output")


@pytest.mark.parametrize("fault", [kill, fail])
@pytest.mark.parametrize("first", [True, False], ids=["first", "second"])
def test_a_fault_at_any_access_to_the_output_keeps_a_result(
    tmp_path: Path, first: bool, fault: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    # syncs matter only for power failures, which this test does not simulate
    monkeypatch.setattr("os.fsync", lambda _: None)
    lake, original = tmp_path / "lake", tmp_path / "original"
    small_lake(lake)
    old = None if first else audited(lake, original)
    if not first:
        change(lake)
    new = audited(lake, tmp_path / "fresh")
    assert old != new
    seen: list[bool] = []
    for number in access_numbers(4):
        out = tmp_path / "the output"
        if original.exists():
            shutil.copytree(original, out)
        status = child_audit(lake, out, at_access, number, out, fault)
        final_state: State = state(out)
        assert final_state in (old, new), f"access {number}"
        seen.append(final_state == new)
        # The next run completes the output and leaves no temporary files.
        if status == DONE or not len(seen) % 4:
            assert audited(lake, out) == new
            assert not list(tmp_path.glob(f".{out.name}.*"))
        shutil.rmtree(out, ignore_errors=True)
        if status == DONE and final_state == new and number > 30:
            break
        assert status in (-signal.SIGKILL, FAILED, DONE), f"access {number}"
    assert seen[0] is False
    assert fault is fail or seen == sorted(seen), "once the new result is there, it stays"


@pytest.mark.parametrize("limit", [0, 500, 5_000])
def test_a_full_disk_is_not_charged_to_a_log(tmp_path: Path, limit: int) -> None:
    small_lake(tmp_path / "lake")
    out = tmp_path / "the output"

    def limit_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    assert child_audit(tmp_path / "lake", out, limit_files) == FAILED
    assert state(out) is None
    assert audited(tmp_path / "lake", out) == audited(tmp_path / "lake", tmp_path / "fresh")


def test_a_failed_read_is_repeated_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "PAUSE_SECONDS", (0.0, 0.0))
    lake, out = tmp_path / "the lake", tmp_path / "out"
    for format_id, name in (
        ("leveldb-log", "large-lengths-in-every-block.log"),
        ("zeebe-journal", "last-segment-cut"),
        ("kahadb-journal", "negative-size-in-the-first-file"),
        ("zmq-raft", "last-file-full"),
    ):
        vector(format_id, name, lake)
    leveldb(lake / "deep" / "large.log", 1500)
    truth = audited(lake, tmp_path / "fresh")
    errors = 0

    def fail_once() -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    for number in access_numbers(2):
        status = child_audit(lake, out, at_access, number, lake, fail_once)
        assert status == DONE, f"access {number}"
        errors += any(row["error"] for row in rows(out, "files"))
        assert audited(lake, out) == truth, f"access {number}"
        shutil.rmtree(out)
        if number > 60:
            break
    assert errors
