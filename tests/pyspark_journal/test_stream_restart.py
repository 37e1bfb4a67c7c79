"""The sink has every record exactly once, even if the whole query is killed while it runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance import ROOT
from reference_impl.answer import NewRecord
from reference_impl.formats import named

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")
PER_FILE = 40

# A separate query in its own process, slow enough to be killed during a batch.
QUERY = """
import sys
from pyspark_journal.session import session
logs, out, checkpoint = sys.argv[1:]
spark = session("killed", "local[2,4]")
frame = (
    spark.readStream.format("journal").option("maxBytesPerTrigger", "20000").load(logs)
    .select("file", "offset", "length", "kind", "payload")
)
query = (
    frame.writeStream.format("parquet").option("path", out)
    .option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
)
query.awaitTermination()
"""


def write(folder: Path, numbers: range) -> None:
    for number in numbers:
        path = folder / f"{number:06d}.log"
        records = [NewRecord(b"%d/%d " % (number, n) + b"x" * 1000) for n in range(PER_FILE)]
        named("leveldb-log").write(path, records, {})


def committed(checkpoint: Path) -> int:
    return len([p for p in (checkpoint / "commits").glob("*") if p.name.isdecimal()])


def test_a_killed_query_delivers_each_record_once(spark: SparkSession, tmp_path: Path) -> None:
    logs, out, checkpoint = (tmp_path / name for name in ("logs", "out", "checkpoint"))
    logs.mkdir()
    write(logs, range(1, 6))
    torn = logs / "000099.log"
    write(logs, range(99, 100))
    whole = torn.read_bytes()
    torn.write_bytes(whole[: len(whole) - 500])
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", QUERY, str(logs), str(out), str(checkpoint)]
    process = subprocess.Popen(command, env=env, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 120
        while committed(checkpoint) < 3 and time.monotonic() < deadline:
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.05)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    before = committed(checkpoint)
    assert before >= 3
    # Between the two queries, the torn record becomes complete, and a new log appears.
    torn.write_bytes(whole)
    write(logs, range(50, 51))
    for _ in range(2):  # the second run finds nothing to do
        query = (
            spark.readStream.format("journal")
            .option("maxBytesPerTrigger", "200000")
            .load(str(logs))
            .select("file", "offset", "length", "kind", "payload")
            .writeStream.format("parquet")
            .option("path", str(out))
            .option("checkpointLocation", str(checkpoint))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
    rows = spark.read.parquet(str(out)).collect()
    assert {row.kind for row in rows} == {"record"}
    counts = Counter(bytes(row.payload).split()[0].decode() for row in rows)
    expected = {f"{f}/{n}" for f in (*range(1, 6), 50, 99) for n in range(PER_FILE)}
    assert set(counts) == expected
    assert set(counts.values()) == {1}
    assert committed(checkpoint) > before
