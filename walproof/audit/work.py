"""What a task does: read the pieces of a unit, write their rows, leave a note that it is done.

The rows never pass through Spark: a Parquet writer in the task is twice as fast as Spark's own,
which would receive them through a socket. Nor do the counts: the note is a small file beside the
rows, renamed into place when they are on the disk. A task that was killed leaves no note. When two
tasks did the same work, one note is taken, so no row is lost or doubled.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset

from reference_impl.answer import End, Lost
from reference_impl.formats import UnknownFormat
from walproof.audit import process
from walproof.audit.lake import why
from walproof.audit.reading import events
from walproof.audit.shard import OutputError, Shard, output_to
from walproof.audit.tables import DAMAGE, RECORDS, decoded, rows, without_content
from walproof.audit.tally import FileTally, Tally
from walproof.audit.unit import Kept, Options, Piece, Task
from walproof.lake.names import shown
from walproof.lake.options import Options as SourceOptions
from walproof.lake.passing import PAUSES, may_pass
from walproof.lake.recognition import is_blank
from walproof.lake.trees import is_local, tree_of
from walproof.scan.model import PIECE_ROWS, Records
from walproof.spark.worker import freeze
from walproof.tables.rows import file_name


class MayPass(Exception):
    """Reading met an error that may be gone when the unit is read again."""


def run(task: Task, attempt: int = 0) -> int:
    """Do the work of a unit and return its number. Raises ``OutputError``, and nothing else.

    What is wrong with a log becomes a part of its tally. An error that may pass is given time: the
    unit is read again, and what is still wrong then is said of the log. From the third ``attempt``
    on the pieces are first read by a separate process: this finds a log on which a reader crashes,
    which is then left out.
    """
    unit = task.unit
    crashes = process.crashes(unit.pieces, task.options) if attempt >= process.FROM_ATTEMPT else {}
    for pause in PAUSES:
        try:
            return _run_once(task, crashes, is_last=False)
        except MayPass:
            time.sleep(pause)
    return _run_once(task, crashes, is_last=True)


def _run_once(task: Task, crashes: Mapping[str, process.Crash], is_last: bool) -> int:
    folder = Path(task.folder)
    unit = task.unit
    name = f"{unit.number:06d}-{uuid.uuid4().hex[:12]}.parquet"
    records = Shard(folder / "records", name, RECORDS)
    damage = Shard(folder / "damage", name, DAMAGE)
    done = []
    try:
        for kept in unit.kept:
            carry(kept, records, damage)
        for piece in unit.pieces:
            if (crash := crashes.get(piece.key)) is not None:
                tally = Tally(piece.source.format, error=crash.said, may_pass=crash.may_pass)
            else:
                tally = scan(piece, task.options, records, damage, is_last)
            done.append(
                {
                    "key": piece.key,
                    "log": piece.log,
                    # Without one it is read again the next time.
                    "fingerprint": None if tally.may_pass else piece.fingerprint,
                    "count": piece.count,
                    "size": piece.size,
                    "tally": tally.to_json(),
                }
            )
        records.finish()
        damage.finish()
        note = {
            "unit": unit.number,
            "shard": name,
            "pieces": done,
            "kept": [key for kept in unit.kept for key in kept.keys],
        }
        leave_note(folder / "done" / name.replace(".parquet", ".json"), note)
    except BaseException:
        records.discard()
        damage.discard()
        raise
    freeze()
    return unit.number


def leave_note(path: Path, note: dict[str, Any]) -> None:
    """Write a small file that is there whole or not at all. Raises ``OutputError``."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    with output_to(path), unfinished.open("w", encoding="utf-8") as file:
        file.write(json.dumps(note, separators=(",", ":")))
        file.flush()
        os.fsync(file.fileno())
    with output_to(path):
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


def scan(
    piece: Piece, options: Options, records: Shard, damage: Shard, is_last: bool = True
) -> Tally:
    """Read a piece into the shards. What a reader released before an error stays.

    Raises ``OutputError``, and :class:`MayPass` unless this ``is_last``.
    """
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
                for run in event.pieces():
                    more = {"decoded": decoded(run, format_id)} if options.decode else {}
                    if not options.payload:
                        run = without_content(run, format_id)
                    records.add(rows(run, shown(file), piece.log, format_id, more))
            else:
                of_file.add_lost(event)
                gaps.add(event, shown(file), piece.log, format_id, of_file.size)
        if piece.number == 0:
            _note_if_blank(tally, path)
    except UnknownFormat as error:
        # No log at all is no fault; what may be two things is.
        _, fits, formats = str(error).partition(": fits ")
        name, _, _ = formats.partition(";")
        tally.error = f"fits {name}; tell with --option journalFormat=…" if fits else None
    except OutputError:
        raise
    except Exception as error:
        if may_pass(error) and not is_last:
            raise MayPass from error
        tally.error = why(error, path)
        # Whether a file can be read is not a property of its bytes.
        tally.may_pass = isinstance(error, (OSError, MemoryError))
    gaps.flush()
    return tally


def _note_if_blank(tally: Tally, path: str) -> None:
    """A file of zeros may be a sound log without a record; whoever looks for records is told.

    Raises ``OSError``.
    """
    if tally.verdict not in ("intact", None) or not is_local(path) or not Path(path).is_file():
        return
    of_file = tally.files.get(None, FileTally())
    if not of_file.records and not of_file.lost and is_blank(Path(path)):
        of_file.size = Path(path).stat().st_size
        of_file.is_blank = of_file.size > 0
        tally.files[None] = of_file


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
        if len(self.held) == PIECE_ROWS:
            self.flush()

    def flush(self) -> None:
        if self.held:
            columns = zip(*self.held, strict=True)
            arrays = [pa.array(c, kind) for c, kind in zip(columns, DAMAGE.types, strict=True)]
            self.shard.add(pa.RecordBatch.from_arrays(arrays, schema=DAMAGE))
            self.held.clear()
