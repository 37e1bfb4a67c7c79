"""The audit on Spark: the same tables, whatever happens to a worker; and Spark reads them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from walproof.audit.engine import OnSpark, cause
from walproof.audit.job import audit

from .in_process import InProcess
from .lakes import leveldb, mixed, options
from .tables import rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")


def test_the_same_as_without(spark: SparkSession, tmp_path: Path) -> None:
    lake = mixed(tmp_path / "lake")
    on_spark = audit(options(lake, payload=True), tmp_path / "a", OnSpark(session=spark), 64 << 10)
    here = audit(options(lake, payload=True), tmp_path / "b", InProcess())
    for table in ("records", "damage", "files"):
        assert rows(tmp_path / "a", table) == rows(tmp_path / "b", table)
    for name in ("totals", "reasons", "where", "over_time", "worst"):
        assert on_spark.summary[name] == here.summary[name]


def test_spark_reads_the_tables(spark: SparkSession, tmp_path: Path) -> None:
    lake, out = mixed(tmp_path / "lake"), tmp_path / "out"
    totals = audit(options(lake), out, InProcess()).summary["totals"]
    records = spark.read.parquet(str(out / "records"))
    damage = spark.read.parquet(str(out / "damage"))
    files = spark.read.parquet(str(out / "files"))
    assert records.count() == totals["records"]
    assert damage.count() == totals["lost_ranges"]
    assert dict(records.dtypes)["time"] == "timestamp"
    assert dict(records.dtypes)["term"] == "bigint"
    lost = files.where("verdict = 'damaged'").agg({"lost_bytes": "sum"}).collect()[0][0]
    assert lost == damage.where("verdict = 'damaged'").agg({"length": "sum"}).collect()[0][0]


CRASHES = """
import os, signal
import walproof.scan
from walproof.scan import reference
honest = reference.ReferenceScanner.scan

def scan(self, log, wanted, part=reference.WHOLE):
    if log.path.name == "crash.log":
        os.kill(os.getpid(), signal.SIGSEGV)
    return honest(self, log, wanted, part)

reference.ReferenceScanner.scan = scan
walproof.scan.has_kernel = lambda format_id: False
"""


def test_a_log_that_ends_its_reader_is_a_row(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a defect of a kernel: the worker is gone, the job is not."""
    lake = tmp_path / "lake"
    for name in ("a", "crash", "z"):
        leveldb(lake / f"{name}.log", 3)
    # Not in this process: in the workers, and in what they start.
    (tmp_path / "sitecustomize.py").write_text(CRASHES)
    context = spark.sparkContext
    monkeypatch.setitem(context.environment, "PYTHONPATH", str(tmp_path))
    audit(options(lake), tmp_path / "out", OnSpark(session=spark))
    files = {Path(row["file"]).name: row for row in rows(tmp_path / "out", "files")}
    assert files["crash.log"]["error"] == "the reader was killed by signal 11"
    assert files["crash.log"]["verdict"] is None
    assert files["a.log"]["records"] == files["z.log"]["records"] == 3
    assert len(rows(tmp_path / "out", "records")) == 6


SPARK_SAYS = """An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collect.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 17.0 failed 4
  File "pyarrow/error.pxi", line 92, in pyarrow.lib.check_status
FileNotFoundError: [Errno 2] Failed to open local file '/audit/records/a.parquet'
 SQLSTATE: 38000
	at org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(x.scala:1)
"""


KILLED = """An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collectAndServe.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 4
org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (KILLED, "a Python worker was killed each time it ran one of the tasks (Linux does so"),
        (
            f"{KILLED}: Fatal Python error: Segmentation fault\n\nCurrent thread 0x0 (most recent",
            "a Python worker was killed each time it ran one of the tasks (Segmentation fault)",
        ),
        (SPARK_SAYS, "FileNotFoundError: [Errno 2] Failed to open local file"),
        ("Connection refused", "Connection refused"),
        ("", "RuntimeError"),
    ],
)
def test_of_sparks_many_lines_the_one_that_counts(text: str, line: str) -> None:
    assert cause(RuntimeError(text)).startswith(line)
