"""Write logs as Parquet files without Spark, with the columns and folders of an audit."""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import dataset

from walproof.lake.discovery import FoundLog
from walproof.lake.options import Options
from walproof.lake.row_reader import RowReader
from walproof.lake.splits import Packing, Piece, cut
from walproof.log_rows import SEVERITY, table_schema
from walproof.progress import progress_bar
from walproof.scanners.model import Wanted
from walproof.worker_pool import core_count, map_unordered

#: Maximum number of bytes for one task to read, unless a log that cannot be split is larger.
MAX_TASK_BYTES = 128 << 20
MIN_TASK_BYTES = 1 << 20
#: Number of tasks for each core. Several tasks keep all cores busy until the end.
TASKS_PER_CORE = 8
PARTITIONING = dataset.partitioning(pa.schema([("kind", pa.string())]), flavor="hive")


def export(logs: list[FoundLog], options: Options, out: Path, has_payload: bool) -> None:
    """Write the rows of logs to Parquet files in ``out``, using all cores of this machine.

    Raises ``WorkerDied``, and ``OSError`` if the output cannot be written. Errors in logs become
    rows.
    """
    packing = Packing(core_count() * TASKS_PER_CORE, MAX_TASK_BYTES)
    sizes = [log.size for log in logs]
    target = max(packing.target_bytes(sizes), min(MIN_TASK_BYTES, MAX_TASK_BYTES))
    pieces = [piece for log in logs for piece in cut(log, target, options)]
    tasks = list(enumerate(packing.pack(pieces, target)))
    out.mkdir(parents=True)
    with progress_bar("reading logs", len(tasks)) as bar:
        work = partial(_write, options=options, out=out, has_payload=has_payload)
        for done, _ in enumerate(map_unordered(work, tasks), 1):
            bar.show(done=done)


def _write(task: tuple[int, list[Piece]], options: Options, out: Path, has_payload: bool) -> None:
    number, pieces = task
    schema = table_schema(has_payload)
    names = frozenset(schema.names) | {"realtime"}
    wanted = Wanted(has_payload, names, options.max_payload)
    reader = RowReader(schema, options, wanted, has_log_rows=True)
    columns = schema.remove(schema.get_field_index("kind"))
    with ExitStack() as stack:
        files: dict[str, pq.ParquetWriter] = {}
        for batch in reader.rows(pieces):
            kinds = batch["kind"].unique()
            for kind in kinds.to_pylist():
                if kind not in files:
                    path = out / f"kind={kind}" / f"part-{number:05}.parquet"
                    path.parent.mkdir(exist_ok=True)
                    # If a path is not valid UTF-8, pyarrow can open it only as bytes.
                    file = stack.enter_context(pa.OSFile(os.fsencode(path), "wb"))
                    files[kind] = stack.enter_context(_writer(file, columns))
                rows = batch
                if len(kinds) > 1:
                    rows = batch.filter(pc.equal(batch["kind"], kind))
                files[kind].write_batch(rows.select(columns.names))


def _writer(file: pa.NativeFile, columns: pa.Schema) -> pq.ParquetWriter:
    """Return a Parquet writer that copies no payload into statistics or dictionaries."""
    numbers = [field.name for field in columns if pa.types.is_integer(field.type)]
    names = ["file", "log", "format", "verdict", "reason"]
    return pq.ParquetWriter(
        file, columns, compression="zstd", use_dictionary=names, write_statistics=numbers
    )


def by_verdict(out: Path) -> list[dict[str, Any]]:
    """Return the number of logs and their totals, for each format and verdict."""
    schema = table_schema(False)
    table = dataset.dataset(out, format="parquet", schema=schema, partitioning=PARTITIONING)
    parts = table.to_table(filter=dataset.field("kind") == "log").to_pylist()
    # A log that was read in parts has one row for each part. The verdict of the log is the worst
    # one.
    parts.sort(key=lambda part: SEVERITY.index(part["verdict"]))
    of_logs: dict[str, dict[str, Any]] = {}
    for part in parts:
        log = of_logs.setdefault(part["log"], {**part, "records": 0, "lost_bytes": 0})
        log["records"] += part["records"]
        log["lost_bytes"] += part["lost_bytes"]
    sums = [("log", "count"), ("size", "sum"), ("records", "sum"), ("lost_bytes", "sum")]
    names = ["format", "verdict", "logs", "size", "records", "lost_bytes"]
    logs = pa.Table.from_pylist(list(of_logs.values()), schema)
    groups = logs.group_by(names[:2]).aggregate(sums).rename_columns(names)
    order = [(name, "ascending") for name in names[:2]]
    rows: list[dict[str, Any]] = groups.sort_by(order).to_pylist()
    return rows
