"""Daemons of Spark are forked by a process that has loaded what they need; or go on alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conformance import ROOT
from walproof.spark import forkserver, handover

pytest.importorskip("pyspark")
pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")

WORKER = "pyspark_test_worker"
"""Spark's daemon imports what its workers are only if it is called like this."""
SAYS = """
import json, os, sys
def main(infile, outfile):
    said = {
        "parent": os.getppid(), "loaded": "colorsys" in sys.modules, "words": sys.argv[1:],
        "told": os.environ.get("TOLD"), "folder": os.getcwd(), "hash": hash("a"),
    }
    outfile.write(json.dumps(said).encode() + b"\\n")
"""
DRIVER = """
import os, sys
from walproof.spark import forkserver
with forkserver.told(["no.such.module", "colorsys", "walproof.spark.java:no_such_function"]):
    print(os.environ.get("WALPROOF_SPARK_FORKSERVER", ""), flush=True)
assert "WALPROOF_SPARK_FORKSERVER" not in os.environ
sys.stdin.read()
"""


@pytest.fixture
def workers() -> Iterator[Path]:
    """A folder with a short name: sockets are made in it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        (Path(name) / f"{WORKER}.py").write_text(SAYS)
        yield Path(name)


@contextmanager
def driver(**environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that has started a server, and the name of the server's socket."""
    with subprocess.Popen(
        [sys.executable, "-c", DRIVER],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@contextmanager
def daemon(workers: Path, server: str, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon as Spark starts it."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(workers)]),
        "PYTHONHASHSEED": "0",
        "PYTHON_WORKER_FACTORY_SECRET": "secret",
        "PYTHON_WORKER_FACTORY_SOCK_DIR": str(workers),
        "PYTHON_UNIX_DOMAIN_ENABLED": "true",
        "TOLD": "this one",
        handover.VARIABLE: server,
        **more,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "pyspark.daemon", WORKER],
        env=environment, cwd=workers, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def answer(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    """What a worker of a daemon says."""
    import socket

    assert process.stdout is not None
    size = int.from_bytes(process.stdout.read(4), "big")
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(process.stdout.read(size).decode())
        with asking.makefile("rb") as said:
            assert int.from_bytes(said.read(4), "big") > 0, "it was forked"
            told: dict[str, Any] = json.loads(said.readline())
    return told


def until(happened: Any) -> bool:
    last = time.monotonic() + 60
    while not happened() and time.monotonic() < last:
        time.sleep(0.01)
    return bool(happened())


def is_there(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_daemon_is_a_child_of_the_server(workers: Path) -> None:
    with driver() as (_, server), daemon(workers, server) as process:
        told = answer(process)
        assert told["parent"] != process.pid, "its daemon is another process"
        assert told["loaded"]
        assert told["words"] == [WORKER]
        assert (told["told"], told["folder"]) == ("this one", str(workers))
        assert process.poll() is None
        assert process.stdin is not None
        process.stdin.close()  # so Spark ends a daemon
        assert process.wait(60) == 0
        assert until(lambda: not is_there(told["parent"]))


def test_what_ends_the_process_that_spark_knows_ends_its_child(workers: Path) -> None:
    with driver() as (_, server), daemon(workers, server) as process:
        told = answer(process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert until(lambda: not is_there(told["parent"]))


@pytest.mark.parametrize(
    "environment",
    [{handover.VARIABLE: "/no/such/socket"}, {"PYTHONHASHSEED": "1"}, {"PYTHONOPTIMIZE": "1"}],
    ids=lambda one: next(iter(one)),
)
def test_else_it_goes_on_by_itself(workers: Path, environment: dict[str, str]) -> None:
    with driver() as (_, server), daemon(workers, server, **environment) as process:
        told = answer(process)
        assert told["parent"] == process.pid
        assert not told["loaded"]
        assert told["told"] == "this one"


def test_the_server_ends_with_who_started_it() -> None:
    with driver() as (process, server):
        assert Path(server).is_socket()
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        [pid] = map(int, children.split())
        process.kill()
        process.wait()
        assert until(lambda: not is_there(pid))
        assert until(lambda: not Path(server).parent.exists())


def test_there_is_none_where_its_name_would_be_too_long(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    with driver(TMPDIR=str(folder)) as (_, server):
        assert server == ""
    assert not list(folder.iterdir())


def test_a_process_that_is_no_daemon_is_not_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(handover, "_asked", asked.append)
    monkeypatch.setenv(handover.VARIABLE, "/no/such/socket")
    for words in (["-m", "pyspark.worker"], [], ["-m", "pyspark.daemon", "one"]):
        monkeypatch.setattr(sys, "orig_argv", ["python", *words])
        handover.hand_over()
    assert asked == [["one"]]  # the daemon alone


def test_nothing_to_load_is_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(handover.VARIABLE, raising=False)
    with forkserver.told(()):
        assert handover.VARIABLE not in os.environ
