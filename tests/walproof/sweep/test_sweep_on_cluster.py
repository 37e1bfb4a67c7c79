"""A sweep on a cluster of several processes, one of which dies in the middle."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pyarrow.parquet as pq
import pytest

from conformance import ROOT
from conformance.scratch import IN_MEMORY, clear_abandoned
from tests.spark_cluster import PATIENCE, QUICK, Cluster, wait_for

from ..audit.test_cluster import SMALL, only_python
from .plans import wrong

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture
def cluster(tmp_path: Path, java: None) -> Iterator[Cluster]:
    with Cluster(tmp_path / "cluster") as running:
        yield running
    # Killed with all its family, a worker takes the guards of its scratch folders with it.
    clear_abandoned(IN_MEMORY)
    left = [process for daemon in running.daemons for process in daemon.family()]
    assert left == []


def test_a_worker_is_killed_in_the_middle(cluster: Cluster, tmp_path: Path) -> None:
    out = tmp_path / "out"
    program = shlex.join(wrong("ignores_checksums").command)
    command = [sys.executable, "-m", "walproof", "sweep", "--format", "leveldb-log"]
    command += ["--control", "three-records", "--cases", "60000"]
    command += ["--impl", "fast", "--cmd", program]
    command += ["--minimise", "0"]  # how far that gets in a second differs from run to run
    archive = tmp_path / "walproof.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for part in ("spec", "reference_impl", "conformance", "walproof", "pyspark_journal"):
            tar.add(ROOT / part, part, filter=only_python)
    submit = ["--archives", f"{archive}#walproof"]
    submit += [word for item in SMALL.items() for word in ("--conf", "=".join(item))]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_SUBMIT_ARGS": shlex.join([*submit, "pyspark-shell"]),
        "SPARK_LAUNCHER_OPTS": QUICK,
    }
    job = subprocess.Popen(
        [*command, "--master", cluster.url, "--out", str(out)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        # When each has done some, and most is still to be done.
        with suppress(TimeoutError):
            wait_for(lambda: _done(out) >= 2 or None, lambda: job.poll() is not None)
        cluster.workers[0].kill()
        so_far = _done(out)
        said, _ = job.communicate(timeout=PATIENCE)
    finally:
        job.kill()
        job.wait()
    assert job.returncode == 3, said  # the program is wrong, and that is found
    here = tmp_path / "here"
    subprocess.run(
        [*command, "--master", "none", "--out", str(here)], env=environment, capture_output=True
    )
    assert _done(out) == _done(here)
    assert 2 <= so_far < _done(here), "the job was over before the worker died"
    assert _rows(out) == _rows(here)
    assert _findings(out) == _findings(here)
    # Nor is anything left that the dead worker had started: no program, and no guard of one.
    wait_for(lambda: None if _running(program) else True)


def _done(out: Path) -> int:
    return sum(1 for _ in out.glob("shards/[0-9]*.json"))


def _rows(out: Path) -> list[tuple[Any, ...]]:
    """All columns of all cases, the outcomes among them."""
    table = pq.read_table(out / "sweep")
    columns = (column.to_pylist() for column in table.columns)
    return sorted(zip(*columns, strict=True), key=repr)


def _findings(out: Path) -> list[dict[str, Any]]:
    return list(pq.read_table(out / "findings" / "findings.parquet").to_pylist())


def _running(program: str) -> list[psutil.Process]:
    words = shlex.split(program)
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if (process.info["cmdline"] or [])[-len(words) :] == words
    ]
