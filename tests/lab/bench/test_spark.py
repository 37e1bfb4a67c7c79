"""The Spark benchmark reads every record in each way. No test depends on the times."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lab.bench.spark import frames, seconds_to_read
from reference_impl.answer import NewRecord
from reference_impl.formats import named

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")


def test_every_way_reads_the_same_rows(spark: SparkSession, tmp_path: Path) -> None:
    log = tmp_path / "000001.log"
    named("leveldb-log").write(log, [NewRecord(b"%d" % n) for n in range(1000)], {})
    ways = frames(log, ("offset", "kind", "payload"), spark, tmp_path / "copies")
    assert list(ways) == ["journal", "ceiling", "parquet"]
    assert seconds_to_read(ways["parquet"]) > 0
    journal, *others = (sorted(frame.collect()) for frame in ways.values())
    assert len(journal) == 1000
    assert others == [journal, journal]
