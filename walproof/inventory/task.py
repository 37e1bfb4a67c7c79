"""Run a task: read parts of logs and write their rows as Parquet files.

Workers write the files themselves. On Spark, rows would otherwise pass through the JVM.
"""

from __future__ import annotations

import json
import multiprocessing
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet

from reference_impl.answer import End
from reference_impl.formats import UnknownFormat
from walproof.inventory.logs import describe_error
from walproof.inventory.schemas import DAMAGE, TableOptions, record_rows
from walproof.inventory.tally import Tally
from walproof.lake.opening import opened
from walproof.lake.recognition import is_blank
from walproof.lake.splits import Piece
from walproof.lake.trees import is_local
from walproof.scan.model import Records
from walproof.scan.reference import ScannerMissing
from walproof.tables import rows
from walproof.tables.parquet import ParquetFile

#: Key in the metadata of a Parquet file for the names of its logs, as JSON.
LOGS_KEY = "walproof.logs"


@dataclass(frozen=True)
class LogPiece(Piece):
    """A piece of the log ``name``; ``number`` counts the pieces of the log from 0."""

    name: str
    number: int


@dataclass(frozen=True, slots=True)
class Task:
    """Parts of logs to read, or ``logs`` whose rows are copied from a file of an earlier result."""

    number: int
    folder: Path
    options: TableOptions
    pieces: tuple[LogPiece, ...] = ()
    copy_from: Path | None = None
    logs: tuple[str, ...] = ()


@dataclass
class Written:
    """The result of a task: counters by log and part number, and files by table.

    If the output could not be written, ``error`` is the reason, and there are no files.
    """

    task: int
    tallies: dict[tuple[str, int], Tally] = field(default_factory=dict)
    files: list[tuple[str, Path]] = field(default_factory=list)
    error: OSError | None = None


def write_rows(task: Task, is_careful: bool = False) -> Written:
    """Run a task. Errors of logs become part of their counters.

    If ``is_careful`` is true, a separate process reads each part first. If this process is killed,
    the counters of the part get an error. Use this mode if a task has killed its worker before.
    """
    written = Written(task.number)
    name = f"{uuid.uuid4().hex}.parquet"
    try:
        with ExitStack() as stack:
            files = {
                table: stack.enter_context(ParquetFile(task.folder / table / name, schema))
                for table, schema in task.options.schemas.items()
            }
            for table, batch in _rows(task, written, is_careful):
                files[table].add(batch)
            logs = {piece.name for piece in task.pieces} | set(task.logs)
            for table, file in files.items():
                if file.has_rows:
                    file.finish({LOGS_KEY: json.dumps(sorted(logs))})
                    written.files.append((table, file.path))
    except OSError as error:  # an error of the output; _read handles errors of logs
        written.error = error
    return written


def logs_in(file: Path) -> set[str]:
    """Return the names of the logs in a Parquet file. Raises ``OSError``."""
    metadata = pa.parquet.read_metadata(file).metadata or {}
    return set(json.loads(metadata.get(LOGS_KEY.encode(), b"[]")))


#: Name of a table, and rows for it.
Row = tuple[str, pa.RecordBatch]


def _rows(task: Task, written: Written, is_careful: bool) -> Iterator[Row]:
    if task.copy_from is not None:
        table = task.copy_from.parent.name
        of_logs = pa.dataset.field("log").isin(task.logs)
        for batch in pa.dataset.dataset(task.copy_from).to_batches(filter=of_logs):
            yield table, batch.cast(task.options.schemas[table])
    for piece in task.pieces:
        tally = Tally(piece.log.format)
        written.tallies[piece.name, piece.number] = tally
        if is_careful and (signal := _killed_by(piece, task.options)):
            tally.error = f"the reader was killed by signal {signal}"
        else:
            yield from _read(piece, task.options, tally)


def _killed_by(piece: LogPiece, options: TableOptions) -> int:
    """Return the signal that kills a process reading the piece; 0 if the process survives."""
    reader = multiprocessing.get_context("spawn").Process(
        target=_read_through, args=(piece, options), daemon=True
    )
    reader.start()
    reader.join()
    return max(0, -(reader.exitcode or 0))


def _read_through(piece: LogPiece, options: TableOptions) -> None:
    for _ in _read(piece, options, Tally()):
        pass


def _read(piece: LogPiece, options: TableOptions, tally: Tally) -> Iterator[Row]:
    """Yield the rows of a part, including those before an error of its reader."""
    path, schema = piece.log.shown_path, options.schemas["records"]
    try:
        with opened(piece.log, options.source) as (log, format_id):
            tally.format = format_id
            for event in piece.scan(log, format_id, options.wanted(format_id)):
                if isinstance(event, End):
                    tally.verdict, tally.reason = event.verdict, event.reason
                elif isinstance(event, Records):
                    tally.files[event.file].add_records(event)
                    for run in event.pieces():
                        for batch in record_rows(run, piece.name, path, format_id, options, schema):
                            yield "records", batch
                else:
                    tally.files[event.file].add_lost(event)
                    of_log = {"log": piece.name, "format": format_id}
                    batch = rows.batch(event, DAMAGE, path, of_log)
                    assert batch is not None
                    yield "damage", batch
        if piece.number == 0:
            _note_if_blank(tally, piece.log.path)
    except UnknownFormat as error:
        # A file that matches no format is not an error, but a file that matches several formats is.
        if error.fitting:
            formats = " and ".join(error.fitting)
            tally.error = f"matches {formats}; choose one with --option journalFormat=…"
    except ScannerMissing:
        raise
    except Exception as error:
        tally.error = describe_error(error, piece.log.path)


def _note_if_blank(tally: Tally, path: str) -> None:
    """Mark a file of zeros, which may be an intact log without records. Raises ``OSError``."""
    if tally.verdict not in ("intact", None) or not is_local(path) or not Path(path).is_file():
        return
    counts = tally.files[None]
    if not counts.records and not counts.lost_ranges and is_blank(Path(path)):
        counts.is_blank = Path(path).stat().st_size > 0
