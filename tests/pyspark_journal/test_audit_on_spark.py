"""An audit on Spark writes the same tables after any worker failure, and Spark reads the tables."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import psutil
import pytest
from click.testing import CliRunner

from conformance import ROOT
from pyspark_journal import audit as audit_module
from pyspark_journal.audit import audit
from tests.walproof.inventory.lakes import (
    leveldb,
    mixed,
    options,
    rows,
    vector,
    write_tables,
)
from walproof.cli import walproof

from .in_process import InProcess

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")


def test_spark_writes_the_tables_of_one_process(spark: SparkSession, tmp_path: Path) -> None:
    lake = options(mixed(tmp_path / "lake"), payload=True)
    on_spark = audit(lake, tmp_path / "a", max_task_bytes=64 << 10, spark=spark).summary
    local = write_tables(lake, tmp_path / "b")
    for table in ("records", "damage", "files"):
        assert rows(tmp_path / "a", table) == rows(tmp_path / "b", table)
    for name in ("totals", "reasons", "worst"):
        assert on_spark[name] == local[name]


def test_spark_reads_the_tables(spark: SparkSession, tmp_path: Path) -> None:
    out = tmp_path / "out"
    totals = write_tables(options(mixed(tmp_path / "lake")), out)["totals"]
    records = spark.read.parquet(str(out / "records"))
    damage = spark.read.parquet(str(out / "damage"))
    files = spark.read.parquet(str(out / "files"))
    assert records.count() == totals["records"]
    assert damage.count() == totals["lost_ranges"]
    assert dict(records.dtypes)["time"] == "timestamp"
    assert dict(records.dtypes)["term"] == "bigint"
    lost = files.where("verdict = 'damaged'").agg({"lost_bytes": "sum"}).collect()[0][0]
    assert lost == damage.where("verdict = 'damaged'").agg({"length": "sum"}).collect()[0][0]


COMMAND = (sys.executable, "-m", "walproof", "audit")


@pytest.mark.usefixtures("java")
def test_the_command_prints_the_summary(tmp_path: Path) -> None:
    lake, out = tmp_path / "lake", tmp_path / "out"
    intact = leveldb(lake / "a.log", 3)
    refused = vector("rocksdb-wal", "compressed-with-lz4.log", lake)
    command = [*COMMAND, intact, refused, "--out", out, "--payload"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 4, ended.stderr
    assert ended.stderr == "", "Spark starts quietly"
    for line in (
        r"leveldb-log +1 .*",
        r"rocksdb-wal +1 .*",
        r"2 logs, 3 records: 1 refused\.",
        r"Read 2 files, .* in .* s\.",
        rf"Tables {out}/records, damage, files; plots {out}/summary.html",
    ):
        assert re.search(f"^{line}$", ended.stdout, re.MULTILINE), (line, ended.stdout)
    assert all(row["payload"] for row in rows(out, "records"))
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert again.returncode == 4 and "No changes since" in again.stdout


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize(("attempt", "is_careful"), [(0, False), (1, False), (2, True)])
def test_a_task_that_failed_twice_is_careful(
    attempt: int, is_careful: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = SimpleNamespace(attemptNumber=lambda: attempt)
    monkeypatch.setattr("pyspark.TaskContext.get", lambda: context)
    monkeypatch.setattr(audit_module, "write_rows", lambda task, is_careful: is_careful)
    assert audit_module._write_rows(cast(Any, None)) is is_careful


def test_a_killed_executor_does_not_change_the_result(tmp_path: Path) -> None:
    """Executors are separate JVMs, as on a cluster."""
    lake, out = tmp_path / "lake", tmp_path / "out"
    for number in range(60):
        leveldb(lake / f"{number}.log", 300)
    vector("leveldb-log", "cut-in-a-payload.log", lake)
    # With numba, each executor would compile the kernels first, which is slow.
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['numba'] = None")
    environment = {
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]),
        "SPARK_HOME": str(Path(pytest.importorskip("pyspark").__file__).parent),
    }
    command = [*COMMAND, lake, "--out", out, "--unit", "0.01", "--master", "local-cluster[1,2,512]"]
    running = subprocess.Popen(
        [*command, "--conf", "spark.executor.memory=512m"],
        cwd=tmp_path, env=os.environ | environment, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 300
    while len(list(tmp_path.glob(".out.unfinished/tasks/records/*.parquet"))) < 3:
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.005)
    executors = [
        child
        for child in psutil.Process(running.pid).children(recursive=True)
        # A zombie, for example a worker that has just ended, has no command line.
        if child.status() != psutil.STATUS_ZOMBIE
        and any("CoarseGrainedExecutorBackend" in word for word in child.cmdline())
    ]
    for executor in executors:
        executor.kill()
    assert not (out / "summary.json").exists(), "the job was over before the executor died"
    _, errors = running.communicate(timeout=300)
    assert running.returncode == 3, errors
    write_tables(options(lake), tmp_path / "here")
    for table in ("records", "damage", "files"):
        assert rows(out, table) == rows(tmp_path / "here", table)


def test_an_interrupt_keeps_the_previous_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(InProcess):
        def collect(self) -> list[Any]:
            super().collect()
            raise KeyboardInterrupt

    leveldb(tmp_path / "lake" / "a.log", 3)
    monkeypatch.setattr(audit_module, "_started", lambda *_: nullcontext(Interrupted()))
    done = CliRunner().invoke(
        walproof, ["audit", str(tmp_path / "lake"), "--out", f"{tmp_path}/out"]
    )
    assert done.exit_code
    assert "Interrupted; the previous result is unchanged." in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["lake"]


def test_a_wrong_option_is_one_line(tmp_path: Path) -> None:
    arguments = [".", "--out", str(tmp_path / "out"), "--option", "colour=red"]
    command = [sys.executable, str(ROOT / "pyspark_journal" / "audit.py"), *arguments]
    environment = {"PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert ended.returncode == 1
    assert "unknown option 'colour'" in ended.stderr and "Traceback" not in ended.stderr
