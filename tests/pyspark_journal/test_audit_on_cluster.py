"""An audit on a cluster of several processes, one of which dies during the run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance import ROOT
from tests.spark_cluster import PATIENCE, QUICK, Cluster, wait_for
from tests.walproof.inventory.lakes import options, rows, write_tables

pytestmark = pytest.mark.xdist_group("cluster")

SMALL_LOG_BYTES = 40_000

SMALL = {
    "spark.driver.memory": "512m",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.executorEnv.PYTHONPATH": "walproof",
    "spark.ui.enabled": "false",
    "spark.log.level": "ERROR",
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.extraJavaOptions": QUICK,
}


@pytest.fixture
def cluster(tmp_path: Path, java: None) -> Iterator[Cluster]:
    with Cluster(tmp_path / "cluster") as running:
        yield running
    left = [process for daemon in running.daemons for process in daemon.family()]
    assert left == []


def test_a_killed_worker_does_not_change_the_result(cluster: Cluster, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    for log in (ROOT / "vectors" / "leveldb-log").glob("*.log"):
        if log.stat().st_size < SMALL_LOG_BYTES:
            shutil.copy(log, lake)
    out = tmp_path / "out"
    # With numba, each executor would compile the kernels first.
    without_numba = tmp_path / "without-numba"
    without_numba.mkdir()
    (without_numba / "sitecustomize.py").write_text("import sys; sys.modules['numba'] = None")
    pyspark = pytest.importorskip("pyspark")
    archive = tmp_path / "walproof.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for part in ("spec", "reference_impl", "conformance", "walproof", "pyspark_journal"):
            tar.add(ROOT / part, part, filter=only_python)
        tar.add(without_numba / "sitecustomize.py", "sitecustomize.py")
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit")]
    command += ["--master", cluster.url, "--archives", f"{archive}#walproof"]
    command += [word for item in SMALL.items() for word in ("--conf", "=".join(item))]
    command += [str(ROOT / "pyspark_journal" / "audit.py")]
    command += [str(lake), "--out", str(out), "--unit", "0.01"]
    job = subprocess.Popen(
        command,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(without_numba), str(ROOT))),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LAUNCHER_OPTS": QUICK,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        # When each worker has done some tasks, and most are still to do.
        wait_for(lambda: _done(out) >= 6 or None, _ended(job))
        cluster.workers[0].kill()
        so_far = _done(out)
        output, _ = job.communicate(timeout=PATIENCE)
    finally:
        job.kill()
        job.wait()
    assert job.returncode == 3, output
    assert so_far < 40, "the job was over before the worker died"
    expected = write_tables(options(lake), tmp_path / "here")
    for table in ("records", "damage", "files"):
        assert rows(out, table) == rows(tmp_path / "here", table)
    assert expected["totals"]["records"] == len(rows(out, "records"))


def _done(out: Path) -> int:
    """Return the number of tasks that have written their files."""
    return sum(1 for _ in out.parent.glob(f".{out.name}.unfinished/tasks/records/[0-9a-f]*"))


def only_python(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Keep code and data, without the adapters."""
    is_needed = member.isdir() or member.name.endswith((".py", ".json", ".toml"))
    return member if is_needed and "implementations" not in member.name else None


def _ended(job: subprocess.Popen[str]) -> Callable[[], bool]:
    return lambda: job.poll() is not None
