"""An incremental audit appends new rows exactly once, even if it is killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from pyspark_journal import audit
from pyspark_journal.errors import advice
from tests.conftest import spark_environment
from tests.lakes import leveldb

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")

#: Number of kills, which alternate between the driver and an executor. Each takes about 20 s.
KILLS = int(os.environ.get("WALPROOF_KILLS", "3"))

Logs = dict[str, tuple[int, int, int]]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return tmp_path / "lake"


def run(spark: SparkSession, lake: Path, out: Path, **options: str) -> Logs:
    """Run an incremental audit; return the records, size and lost bytes of each log."""
    target = audit.Target(str(out))
    given = audit.source_options([str(lake)], options)
    audit.write_new(spark, given, target, str(out / "_checkpoint"))
    logs = audit.logs(target.read(spark)).collect()
    return {Path(log.log).name: (log.records, log.size, log.lost_bytes) for log in logs}


def test_logs_that_change_between_runs(spark: SparkSession, lake: Path, tmp_path: Path) -> None:
    grown, replaced, deleted, shrunk = (leveldb(lake / f"{name}.log", 50) for name in "abce")
    whole = grown.read_bytes()
    size = len(whole)
    grown.write_bytes(whole[:1100])
    out = tmp_path / "out"
    first = run(spark, lake, out)
    assert first == {"a.log": (10, 1100, 0), **{f"{x}.log": (50, size, 0) for x in "bce"}}
    data = bytearray(whole)
    data[2000] ^= 1
    grown.write_bytes(data)
    deleted.unlink()
    leveldb(lake / "d.log", 7)
    second = run(spark, lake, out, damageAfterSeconds="0")
    # LevelDB skips the rest of a block after damage.
    assert second["a.log"] == (18, size, size - 18 * 107)
    assert second["c.log"] == (50, size, 0) and second["d.log"][0] == 7
    assert run(spark, lake, out) == second, "no log has changed"
    replaced.unlink()
    leveldb(replaced, 20)
    os.truncate(shrunk, 10 * 107)
    with pytest.raises(Exception, match=r"truncated or replaced") as failed:
        run(spark, lake, out)
    assert "onRewrite=restart" in advice(failed.value)
    third = run(spark, lake, out, onRewrite="restart")
    assert third == {**second, "b.log": (20, 20 * 107, 0), "e.log": (10, 10 * 107, 0)}
    records = audit.newest(audit.Target(str(out)).read(spark)).where("kind = 'record'")
    counts = Counter(Path(row.file).name for row in records.collect())
    assert counts == {"a.log": 18, "b.log": 20, "c.log": 50, "d.log": 7, "e.log": 10}


RUN = """
import sys
from pyspark_journal import audit
from pyspark_journal.session import session
lake, out = sys.argv[1:]
options = audit.source_options([lake], {"maxBytesPerTrigger": "20000"})
spark = session("killed", "local-cluster[2,1,1024]", {"spark.executor.memory": "512m"})
audit.write_new(spark, options, audit.Target(out), out + "/_checkpoint")
"""


def test_a_killed_run_loses_and_doubles_nothing(
    spark: SparkSession, lake: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    rng = random.Random(54)
    command = [sys.executable, "-c", RUN, str(lake), str(out)]
    started = out / "_checkpoint" / "offsets"
    torn = leveldb(lake / "torn.log", 2000)
    whole = torn.read_bytes()
    torn.write_bytes(whole[:-50])
    for number in range(KILLS):
        leveldb(lake / f"{number}.log", 2000)
        offsets = len(list(started.glob("*")))
        process = psutil.Popen(
            command, env=spark_environment(), start_new_session=True, stderr=subprocess.DEVNULL
        )
        try:
            deadline = time.monotonic() + 600
            while len(list(started.glob("*"))) == offsets and process.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            time.sleep(rng.random() * 4)
            assert process.poll() is None, "the run ended before it could be killed"
            if number % 2:
                # Spark replaces a killed executor, so the run continues.
                rng.choice(executors(process)).kill()
                assert process.wait(600) == 0
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    torn.write_bytes(whole)
    logs = run(spark, lake, out)
    names = ["torn.log", *(f"{number}.log" for number in range(KILLS))]
    assert logs == {name: (2000, len(whole), 0) for name in names}
    records = audit.Target(str(out)).read(spark).where("kind = 'record'")
    distinct = records.select("file", "offset").distinct().count()
    assert records.count() == distinct == 2000 * len(names)


def executors(driver: psutil.Process) -> list[psutil.Process]:
    found = []
    for each in driver.children(recursive=True):
        with suppress(psutil.ZombieProcess, psutil.NoSuchProcess):
            if "org.apache.spark.executor.CoarseGrainedExecutorBackend" in each.cmdline():
                found.append(each)
    return found
