"""What Spark's Python data sources can do at most: one that yields batches which are there already.

The rows of a read are written to Arrow files once, a file for each partition, and the source
``batches`` yields them from mapped memory. All that is left is Spark's: the socket, the conversion
to rows, the sink. The same rows are written as Parquet, which Spark reads without Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


class Batches(DataSource):
    """The source ``batches``: its path is a folder of Arrow files."""

    @classmethod
    def name(cls) -> str:
        """What ``format`` takes."""
        return "batches"

    def schema(self) -> StructType:
        """That of the first file."""
        from pyspark.sql.pandas.types import from_arrow_schema

        with pa.memory_map(str(_files(self.options["path"])[0])) as mapped:
            return from_arrow_schema(pa.ipc.open_file(mapped).schema)

    def reader(self, schema: StructType) -> BatchesReader:
        """A reader of all columns."""
        return BatchesReader(self.options["path"])


class BatchesReader(DataSourceReader):
    """A partition for each file."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def partitions(self) -> Sequence[InputPartition]:
        """The names of the files."""
        return [InputPartition(str(path)) for path in _files(self.folder)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The batches of a file, which are not copied."""
        opened = pa.ipc.open_file(pa.memory_map(partition.value))
        for number in range(opened.num_record_batches):
            yield opened.get_batch(number)


def keep(partitions: Sequence[Iterator[pa.RecordBatch]], folder: Path) -> tuple[Path, Path]:
    """Write the batches of each partition: a folder of Arrow files, and one of Parquet files."""
    arrow, parquet = folder / "arrow", folder / "parquet"
    arrow.mkdir(parents=True)
    parquet.mkdir()
    for number, batches in enumerate(partitions):
        table = list(batches)
        if not table:
            continue
        name = f"{number:04d}"
        with pa.ipc.new_file(str(arrow / f"{name}.arrow"), table[0].schema) as file:
            for batch in table:
                file.write_batch(batch)
        whole = pa.Table.from_batches(table)
        pa.parquet.write_table(whole, parquet / f"{name}.parquet", compression="zstd")
    return arrow, parquet


def _files(folder: str) -> list[Path]:
    return sorted(Path(folder.removeprefix("file:")).glob("*.arrow"))
