"""What a task does: read the pieces of a unit, write their rows, leave a note that it is done.

The rows never pass through Spark: a Parquet writer in the task is twice as fast as Spark's own,
which would receive them through a socket. Nor do the counts: the note is a small file beside the
rows, renamed into place when they are on the disk. A task that was killed leaves no note. When two
tasks did the same work, one note is taken, so no row is lost or doubled.
"""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet

from reference_impl.answer import End, Lost
from reference_impl.formats import UnknownFormat
from walproof.audit import process
from walproof.audit.lake import said, shown
from walproof.audit.reading import events
from walproof.audit.tables import DAMAGE, RECORDS, rows
from walproof.audit.tally import FileTally, Tally
from walproof.audit.unit import Kept, Options, Piece, Task
from walproof.lake.options import Options as SourceOptions
from walproof.lake.trees import tree_of
from walproof.scan.model import MAX_ROWS, Records
from walproof.spark.worker import freeze
from walproof.tables.rows import file_name

ROW_GROUP_BYTES = 64 << 20
ROW_GROUP_ROWS = 1 << 20
MOST_HELD = 512


class Shard:
    """The rows of a unit in one table: a Parquet file that appears when it is whole."""

    def __init__(self, folder: Path, name: str, schema: pa.Schema) -> None:
        self.path = folder / name
        self.schema = schema
        self._unfinished = folder / f".{name}.unfinished"
        self._writer: pa.parquet.ParquetWriter | None = None
        self._held: list[pa.RecordBatch] = []
        self._bytes = self._rows = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Hold rows, and write them in large groups."""
        self._held.append(batch)
        self._bytes += batch.nbytes
        self._rows += batch.num_rows
        if self._bytes >= ROW_GROUP_BYTES or self._rows >= ROW_GROUP_ROWS:
            self._write()
        elif len(self._held) >= MOST_HELD:
            # Small batches take several times the memory of their rows.
            self._held = pa.Table.from_batches(self._held).combine_chunks().to_batches()

    def _write(self) -> None:
        if self._writer is None:
            self._writer = pa.parquet.ParquetWriter(
                self._unfinished, self.schema, compression="zstd"
            )
        table = pa.Table.from_batches(self._held, self.schema)
        self._writer.write_table(table, row_group_size=ROW_GROUP_ROWS)
        self._held.clear()
        self._bytes = self._rows = 0

    def finish(self) -> None:
        """Move the file to its place; without rows there is no file."""
        if self._rows:
            self._write()
        if self._writer is None:
            return
        self._writer.close()
        with self._unfinished.open("rb") as file:
            os.fsync(file.fileno())
        self._unfinished.rename(self.path)

    def discard(self) -> None:
        """Remove what was written so far."""
        if self._writer is not None:
            self._writer.close()
        self._unfinished.unlink(missing_ok=True)


def run(task: Task, attempt: int = 0) -> int:
    """Do the work of a unit and return its number. Raises ``OSError`` for the output only.

    What is wrong with a log becomes a part of its tally. From the third ``attempt`` on the pieces
    are first read by a separate process: this finds a log on which a reader crashes, which is then
    left out.
    """
    folder = Path(task.folder)
    unit = task.unit
    name = f"{unit.number:06d}-{uuid.uuid4().hex[:12]}.parquet"
    records = Shard(folder / "records", name, RECORDS)
    damage = Shard(folder / "damage", name, DAMAGE)
    done = []
    crashes = process.crashes(unit.pieces, task.options) if attempt >= process.FROM_ATTEMPT else {}
    try:
        for kept in unit.kept:
            carry(kept, records, damage)
        for piece in unit.pieces:
            if piece.key in crashes:
                tally = Tally(piece.source.format, error=crashes[piece.key])
            else:
                tally = scan(piece, task.options, records, damage)
            done.append(
                {
                    "key": piece.key,
                    "log": piece.log,
                    "fingerprint": piece.fingerprint,
                    "count": piece.count,
                    "size": piece.size,
                    "tally": tally.to_json(),
                }
            )
        records.finish()
        damage.finish()
    except BaseException:
        records.discard()
        damage.discard()
        raise
    note = {
        "unit": unit.number,
        "shard": name,
        "pieces": done,
        "kept": [key for kept in unit.kept for key in kept.keys],
    }
    leave_note(folder / "done" / name.replace(".parquet", ".json"), note)
    freeze()
    return unit.number


def leave_note(path: Path, note: dict[str, Any]) -> None:
    """Write a small file that is there whole or not at all."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(json.dumps(note, separators=(",", ":")))
        file.flush()
        os.fsync(file.fileno())
    unfinished.rename(path)


def carry(kept: Kept, records: Shard, damage: Shard) -> None:
    """Copy the rows of logs that have not changed out of an earlier shard."""
    for shard in (records, damage):
        old = Path(kept.result, shard.path.parent.name, kept.shard)
        if old.exists():
            wanted = pa.dataset.field("log").isin(kept.logs)
            for batch in pa.dataset.dataset(old).to_batches(filter=wanted):
                if batch.num_rows:
                    shard.add(batch.cast(shard.schema))


def scan(piece: Piece, options: Options, records: Shard, damage: Shard) -> Tally:
    """Read a piece into the shards. What a reader released before an error stays."""
    tally = Tally(piece.source.format)
    gaps = _Gaps(damage)
    path = piece.source.path
    try:
        for format_id, event in events(piece, options):
            tally.format = format_id
            if isinstance(event, End):
                tally.verdict, tally.reason = event.verdict, event.reason
                continue
            file = file_name(path, event.file)
            if event.file not in tally.files:
                tally.files[event.file] = FileTally(_size(file, options.source))
            of_file = tally.files[event.file]
            if isinstance(event, Records):
                of_file.add_records(event)
                records.add(rows(event, shown(file), piece.log, format_id))
            else:
                of_file.add_lost(event)
                gaps.add(event, shown(file), piece.log, format_id, of_file.size)
    except UnknownFormat as error:
        # No log at all is no fault; what may be two things is.
        _, fits, formats = str(error).partition(": fits ")
        name, _, _ = formats.partition(";")
        tally.error = f"fits {name}; tell with --option journalFormat=…" if fits else None
    except Exception as error:
        tally.error = said(error, path)
    gaps.flush()
    return tally


def _size(file: str, options: SourceOptions) -> int:
    try:
        return tree_of(file, dict(options.file_system)).entry(file).size
    except OSError:
        return 0  # a file that the log names and that is missing


class _Gaps:
    """Collects lost ranges into batches for a shard: a damaged log may have a million of them."""

    def __init__(self, shard: Shard) -> None:
        self.shard = shard
        self.held: list[tuple[Any, ...]] = []

    def add(self, lost: Lost, file: str, log: str, format_id: str, size: int) -> None:
        verdict = "torn" if lost.torn else "damaged"
        length = lost.end - lost.start
        self.held.append((file, log, format_id, lost.start, length, verdict, lost.reason, size))
        if len(self.held) == MAX_ROWS:
            self.flush()

    def flush(self) -> None:
        if self.held:
            columns = zip(*self.held, strict=True)
            arrays = [pa.array(c, kind) for c, kind in zip(columns, DAMAGE.types, strict=True)]
            self.shard.add(pa.RecordBatch.from_arrays(arrays, schema=DAMAGE))
            self.held.clear()
