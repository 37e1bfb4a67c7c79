"""Audits run on a standalone Spark cluster of a master and two workers on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from pyspark_journal.java import java_home
from reference_impl.answer import collect
from reference_impl.formats import named
from tests.conftest import spark_environment
from tests.lakes import MIXED, leveldb, mixed, rows

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("java")]

HOST = "127.0.0.1"
START_SECONDS = 300

Row = tuple[str, int, int, bytes | str | None]

RUN = """
import shutil, sys
from pyspark_journal import audit, columns
from pyspark_journal.session import session
master, lake, once, often, always, late = sys.argv[1:]
settings = {"spark.executor.memory": "512m", "spark.executor.cores": "1"}
spark = session("cluster", master, settings)
options = audit.source_options([lake], {"maxPartitionBytes": "64k", "damageAfterSeconds": "0"})
print("ready", flush=True)
audit.write(spark, options, audit.Target(once), payload=True)
print("written", flush=True)
audit.write_new(spark, options, audit.Target(often), often + "/_checkpoint", payload=True)
rows = spark.readStream.format("journal").schema(columns()).options(**options).load()
writer = rows.writeStream.partitionBy("kind").option("checkpointLocation", always + "/_checkpoint")
stream = writer.start(always, format="parquet")
stream.processAllAvailable()
shutil.copy(late, lake)
stream.processAllAvailable()
stream.stop()
"""


def free_port() -> int:
    with socket.socket() as free:
        free.bind((HOST, 0))
        port: int = free.getsockname()[1]
        return port


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[psutil.Process]]]:
    """Start a master and two workers; yield the master's URL and the workers."""
    java = Path(str(java_home() or os.environ.get("JAVA_HOME") or "/usr")) / "bin" / "java"
    environment = spark_environment()
    command = [str(java), "-Xmx512m", "-cp", f"{environment['SPARK_HOME']}/jars/*"]
    deploy, ports = "org.apache.spark.deploy", ["--webui-port", str(free_port())]
    url = f"spark://{HOST}:{(port := free_port())}"
    processes: list[psutil.Process] = []

    def start(name: str, words: list[str]) -> psutil.Process:
        with (tmp_path / f"{name}.txt").open("wb") as output:
            process = psutil.Popen(
                [*command, *words], env=environment, stdout=output, stderr=output
            )
        processes.append(process)
        return process

    def wait_for(name: str, text: str) -> None:
        deadline = time.monotonic() + START_SECONDS
        while text not in (tmp_path / f"{name}.txt").read_text():
            assert time.monotonic() < deadline, (tmp_path / f"{name}.txt").read_text()[-2000:]
            time.sleep(0.1)

    try:
        start("master", [f"{deploy}.master.Master", "--host", HOST, "--port", str(port), *ports])
        wait_for("master", "I have been elected leader")
        workers = []
        for name in ("first", "second"):
            words = [f"{deploy}.worker.Worker", "--host", HOST, "--cores", "1", "--memory", "600m"]
            words += ["--webui-port", str(free_port()), "--work-dir", str(tmp_path / name), url]
            workers.append(start(name, words))
        for name in ("first", "second"):
            wait_for(name, "Successfully registered")
        yield url, workers
    finally:
        for process in processes:
            kill(process)


def kill(process: psutil.Process) -> None:
    """Kill a process and its children, such as a worker and its executors."""
    with suppress(psutil.NoSuchProcess):
        for each in [*process.children(recursive=True), process]:
            with suppress(psutil.NoSuchProcess):  # the child may have ended already
                each.kill()
    process.wait(60)


def specified(lake: Path) -> tuple[set[Row], set[Row]]:
    """Return the records and lost ranges that the executable specification finds in the lake."""
    records: set[Row] = set()
    lost: set[Row] = set()
    logs = [(named(id), lake / id / name) for id, names in MIXED.items() for name in names]
    for form, log in [*logs, *((named("leveldb-log"), log) for log in lake.glob("[0-9]*.log"))]:
        context = {"last_flushed_index": "meta"} if form.id == "zeebe-journal" else {}
        answer = collect(form.read(log, "recover", context))
        for each in answer.records:
            file = f"{log}/{each.file}" if each.file else str(log)
            records.add((file, each.at, each.size, each.payload))
        for gap in answer.lost:
            file = f"{log}/{gap.file}" if gap.file else str(log)
            lost.add((file, gap.start, gap.end - gap.start, gap.reason))
    return records, lost


def test_a_killed_worker_changes_no_row(
    cluster: tuple[str, list[psutil.Process]], tmp_path: Path
) -> None:
    url, workers = cluster
    lake, late = mixed(tmp_path / "lake"), leveldb(tmp_path / "999.log", 20)
    once, often, always = (tmp_path / name for name in ("once", "often", "always"))
    for number in range(40):
        leveldb(lake / f"{number}.log", 2000)
    records, lost = specified(lake)
    # The error output goes to a file, because the program would block on a full pipe.
    errors = tmp_path / "errors.txt"
    with errors.open("wb") as stderr:
        running = subprocess.Popen(
            [sys.executable, "-c", RUN, url, *map(str, (lake, once, often, always, late))],
            env=spark_environment(), stdout=subprocess.PIPE, stderr=stderr, text=True,
        )  # fmt: skip
    try:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n", errors.read_text()[-2000:]
        deadline = time.monotonic() + START_SECONDS
        while not list(once.rglob("*.parquet")):
            assert running.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        kill(workers[0])
        assert not (once / "_SUCCESS").exists(), "the audit ended before the worker was killed"
        output, _ = running.communicate(timeout=600)
        assert running.returncode == 0 and output == "written\n", errors.read_text()[-2000:]
    finally:
        if running.poll() is None:
            kill(psutil.Process(running.pid))
    for out in (once, often, always):
        found = rows(out, "record")
        keys = {(r["file"], r["offset"], r["length"], r["payload"]) for r in found}
        late_keys = {key for key in keys if key[0] == str(lake / late.name)}
        assert keys - late_keys == records and len(found) == len(keys), out
        assert len(late_keys) == (20 if out == always else 0)
        gaps = rows(out, "lost")
        # A stream does not deliver an unfinished write at the end of a log.
        torn = set() if out == once else {key for key in lost if key[3].startswith("torn")}
        keys = {(r["file"], r["offset"], r["length"], r["reason"]) for r in gaps}
        assert keys == lost - torn and len(gaps) == len(keys), out
