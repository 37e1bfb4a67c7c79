"""The data source works in Spark: names, SQL, schemas, modes, errors and retries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance import ROOT, VECTORS
from reference_impl.answer import NewRecord
from reference_impl.formats import named

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "logs" / "000003.log"
    path.parent.mkdir()
    records = [NewRecord(f"record {number}".encode()) for number in range(1000)]
    named("leveldb-log").write(path, records, {})
    return path


def test_importing_the_package_is_light() -> None:
    """Importing our package loads no large package, because Spark imports ours in every session."""
    heavy = "{'numba', 'numpy', 'pyarrow', 'pandas', 'pyspark', 'reference_impl'}"
    code = f"import sys, pyspark_journal; print(sorted({heavy} & sys.modules.keys()))"
    # Spark finds the source through this attribute. Reading it may import pyspark, which a session
    # has loaded anyway.
    names = ("pyarrow", "numba", "reference_impl.formats")
    again = f"print(*(name in sys.modules for name in {names}))"
    actual = f"{code}; pyspark_journal.DefaultSource; {again}"
    done = subprocess.run(
        [sys.executable, "-c", actual], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == ["[]", "False False False"]


def test_spark_discovers_the_source(spark: SparkSession, log: Path) -> None:
    frame = spark.read.format("journal").load(str(log.parent))
    assert frame.count() == 1000
    assert frame.columns[:4] == ["file", "offset", "length", "kind"]


def test_the_source_works_in_sql(spark: SparkSession, log: Path) -> None:
    spark.sql(
        f"CREATE OR REPLACE TEMP VIEW found USING journal OPTIONS (path '{log.parent}',"
        " journalFormat 'leveldb-log')"
    )
    (row,) = spark.sql(
        "SELECT count(*) AS n, max(offset) AS last, first(file) AS f FROM found"
    ).collect()
    assert (row.n, row.f) == (1000, str(log)) and row.last > 0


def test_the_source_can_be_registered(spark: SparkSession, log: Path) -> None:
    import pyspark_journal

    pyspark_journal.register(spark)
    assert spark.read.format("journal").load(str(log)).count() == 1000


def test_all_vectors_of_three_formats_yield_their_rows(spark: SparkSession) -> None:
    """Every row passes through the JVM, and no vector fails the job."""
    frame = (
        spark.read.format("journal")
        .option("pathGlobFilter", "[!_]*[!n]")
        .load([str(VECTORS / name) for name in ("leveldb-log", "zeebe-journal", "zmq-raft")])
    )
    counts = {row["kind"]: row["count"] for row in frame.groupBy("kind").count().collect()}
    assert counts["record"] > 3000 and counts["lost"] > 1000 and counts["refused"] > 5


def test_a_schema_selects_columns(spark: SparkSession, log: Path) -> None:
    frame = spark.read.format("journal").schema("OFFSET bigint, kind string").load(str(log))
    assert frame.first().asDict() == {"OFFSET": 0, "kind": "record"}


def test_an_error_of_the_source_reaches_the_user(spark: SparkSession, log: Path) -> None:
    reader = spark.read.format("journal").option("maxPartitionByte", "1")
    with pytest.raises(Exception, match=r"(?i)unknown option 'maxPartitionByte'"):
        reader.load(str(log)).count()


def test_a_missing_path_is_an_error(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="path does not exist"):
        spark.read.format("journal").load(str(tmp_path / "nothing")).count()
    with pytest.raises(Exception, match="no path"):
        spark.read.format("journal").load().count()
