"""Measure how fast Spark reads logs: ``python -m lab bench --only spark``.

Each round reads the same rows in three ways: with our data source, from Parquet, and with a Python
source that yields batches from mapped memory. No Python source can be faster than this third one.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from lab.bench.format_bench import bench_of, log_of
from pyspark_journal.session import redirect_jvm_output, session
from pyspark_journal.source import JournalDataSource
from reference_impl.formats import FORMATS, detect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

CORES = 2
ROUNDS = 15
COLUMN_SETS: Mapping[str, Sequence[str]] = {
    "all columns": (),
    "offset, length, kind, payload": ("offset", "length", "kind", "payload"),
    "offset, kind": ("offset", "kind"),
}


class Batches(DataSource):
    """The data source ``batches``, which reads a folder of Arrow files."""

    @classmethod
    def name(cls) -> str:
        """Return the name to pass to ``format``."""
        return "batches"

    def schema(self) -> StructType:
        """Return the schema of the first file."""
        from pyspark.sql.pandas.types import from_arrow_schema

        with pa.memory_map(str(_arrow_files(self.options["path"])[0])) as mapped:
            return from_arrow_schema(pa.ipc.open_file(mapped).schema)

    def reader(self, schema: StructType) -> BatchesReader:
        """Return a reader of all columns."""
        return BatchesReader(self.options["path"])


class BatchesReader(DataSourceReader):
    """Reads each Arrow file as one partition."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def partitions(self) -> Sequence[InputPartition]:
        """Return one partition per file."""
        return [InputPartition(str(path)) for path in _arrow_files(self.folder)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the batches of a file without copying them."""
        opened = pa.ipc.open_file(pa.memory_map(partition.value))
        for number in range(opened.num_record_batches):
            yield opened.get_batch(number)


def write_copies(partitions: Sequence[Iterator[pa.RecordBatch]], folder: Path) -> tuple[Path, Path]:
    """Write the partitions to a folder of Arrow files and to a folder of Parquet files."""
    arrow, parquet = folder / "arrow", folder / "parquet"
    arrow.mkdir(parents=True)
    parquet.mkdir()
    for number, batches in enumerate(partitions):
        rows = list(batches)
        if not rows:
            continue
        name = f"{number:04d}"
        with pa.ipc.new_file(str(arrow / f"{name}.arrow"), rows[0].schema) as file:
            for batch in rows:
                file.write_batch(batch)
        table = pa.Table.from_batches(rows)
        pa.parquet.write_table(table, parquet / f"{name}.parquet", compression="zstd")
    return arrow, parquet


def _arrow_files(folder: str) -> list[Path]:
    return sorted(Path(folder.removeprefix("file:")).glob("*.arrow"))


def frames(
    log: Path, columns: Sequence[str], spark: SparkSession, folder: Path
) -> dict[str, DataFrame]:
    """Return one data frame with the rows of a log for each way to read them.

    If ``columns`` is empty, the rows have all columns. ``folder`` is a new directory for copies of
    the log.
    """
    format_id = detect(log).id
    source = JournalDataSource({"path": str(log), "journalFormat": format_id})
    schema = source.schema()
    if columns:
        schema = type(schema)([schema[name] for name in columns])
    reader = source.reader(schema)
    arrow, parquet = write_copies([reader.read(part) for part in reader.partitions()], folder)
    spark.dataSource.register(Batches)
    journal = spark.read.format("journal").option("journalFormat", format_id).schema(schema)
    return {
        "journal": journal.load(str(log)),
        "ceiling": spark.read.format(Batches.name()).load(str(arrow)),
        "parquet": spark.read.schema(schema).parquet(str(parquet)),
    }


def seconds_to_read(frame: DataFrame) -> float:
    """Return the seconds that Spark takes to read all rows."""
    started = time.perf_counter()
    frame.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - started


def measure_all() -> None:
    """Print a line for each large log and set of columns."""
    with tempfile.TemporaryFile() as output, redirect_jvm_output(output):
        spark = session("bench", f"local[{CORES},4]")
    sizes = [(id, size) for id in FORMATS for size in bench_of(id).large_logs]
    for log in (log_of(*each) for each in sizes):
        for set_name, columns in COLUMN_SETS.items():
            with tempfile.TemporaryDirectory() as folder:
                ways = frames(log, columns, spark, Path(folder))
                _, *rounds = [
                    {way: seconds_to_read(frame) for way, frame in ways.items()}
                    for _ in range(ROUNDS + 1)
                ]
            megabytes = log.stat().st_size / 1e6
            speeds = ", ".join(
                f"{way} {megabytes / statistics.median(seconds[way] for seconds in rounds):.0f}"
                for way in ways
            )
            ratio = statistics.median(seconds["ceiling"] / seconds["journal"] for seconds in rounds)
            print(f"{log.name}, {set_name}: {speeds} MB/s; {ratio:.2f} of the ceiling")
