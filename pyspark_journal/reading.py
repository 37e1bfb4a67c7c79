"""Turn parts of logs into rows, in the requested mode."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceReader, InputPartition

from pyspark_journal.options import DROPMALFORMED, FAILFAST, Options
from pyspark_journal.schema import requested_columns
from reference_impl.answer import End, Lost
from reference_impl.formats import UnknownFormat
from walproof import decode
from walproof.lake.discovery import find
from walproof.lake.file_tree import Tree
from walproof.lake.names import printable_message, shown
from walproof.lake.opening import opened
from walproof.lake.splits import Piece, cut
from walproof.lake.trees import tree_of
from walproof.scan.model import MAX_BYTES, PIECE_ROWS, Event, Records
from walproof.scan.reference import ScannerMissing
from walproof.tables import rows
from walproof.tables.rows import file_name

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

# The reason in the row of a file without a known format.
UNKNOWN_FORMAT = "unknown-format"


class Malformed(ValueError):
    """Mode ``FAILFAST`` found a row that is no record. The message has file, offset and reason."""


class JournalPartition(InputPartition):
    """Parts of logs for one task."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        super().__init__(None)
        self.pieces = pieces


class Reader:
    """Reads parts of logs into batches of the requested columns."""

    def __init__(self, schema: StructType, options: Options) -> None:
        self.columns = requested_columns(schema, options)
        self.options = options
        # The columns under their names in this package. The types may depend on the format.
        fields = zip(self.columns.names, self.columns.target.types, strict=True)
        self.schema = pa.schema([pa.field(name, type) for name, type in fields])

    def pack(self, pieces: Sequence[Piece], target_bytes: int) -> list[InputPartition]:
        """Return partitions of about the given size."""
        return [JournalPartition(some) for some in self.options.packing.pack(pieces, target_bytes)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition.

        Raises :class:`ScannerMissing`, and :class:`Malformed` in mode ``FAILFAST``.
        """
        # Spark adds an empty partition if there is nothing to read.
        pieces = partition.pieces if isinstance(partition, JournalPartition) else []
        for batch in joined(batch for piece in pieces for batch in self._rows_of(piece)):
            yield pa.RecordBatch.from_arrays(batch.columns, schema=self.columns.target)
        # A Python worker of Spark collects garbage after each task. With the objects of numba this
        # takes about 0.1 s, longer than a task needs for 30 MB.
        if TaskContext.get() is not None and not gc.get_freeze_count():
            gc.freeze()

    def _rows_of(self, piece: Piece) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one part. Each fault of the part becomes a row."""
        name, at = piece.log.path, piece.part.start
        file = name
        try:
            if piece.log.fault is not None:
                raise piece.log.fault
            tree = tree_of(name, dict(self.options.file_system))
            with opened(piece.log, self.options) as (log, format_id):
                wanted = self.columns.needed(format_id, self.options)
                for event in piece.scan(log, format_id, wanted):
                    if not isinstance(event, Records):
                        yield from self._problem(event, name, tree)
                        continue
                    for run in event.pieces():
                        if len(run):
                            file, at = file_name(name, run.file), int(run.at[-1] + run.size[-1])
                            yield from self._records(run, format_id, name)
        except (Malformed, ScannerMissing):
            raise
        except UnknownFormat as error:
            text = str(error).replace("--format", "journalFormat")
            if self._is_shown(f"{text} ({UNKNOWN_FORMAT}, FAILFAST)"):
                event = End("refused", UNKNOWN_FORMAT, None)
                yield from self._batch(event, name, {"detail": printable_message(text)})
        except Exception as error:
            # One bad file among ten thousand must not fail the job, whatever the error.
            kind = "" if isinstance(error, OSError) else f"{type(error).__name__}: "
            text = f"{file}: at offset {at}: {kind}{error}"
            is_missing = self.options.ignore_missing and isinstance(error, FileNotFoundError)
            if not is_missing and self._is_shown(f"{text} (unreadable, FAILFAST)"):
                yield rows.unreadable(self.schema, file, text)

    def _records(self, run: Records, format_id: str, name: str) -> Iterator[pa.RecordBatch]:
        if not self.columns.has(rows.DECODED):
            yield from self._batch(run, name)
            return
        type = self.schema.field(rows.DECODED).type
        for piece in decode.pieces(format_id, run):
            decoded = rows.decoded(piece, format_id, type)
            yield from self._batch(piece, name, decoded)

    def _problem(self, event: Lost | End, name: str, tree: Tree) -> Iterator[pa.RecordBatch]:
        if isinstance(event, End) and event.verdict != "refused":
            return
        at = f" at offset {event.start}" if isinstance(event, Lost) else ""
        message = f"{shown(file_name(name, event.file))}:{at} {event.reason} (FAILFAST)"
        if self._is_shown(message, isinstance(event, Lost)):
            more = {}
            if isinstance(event, Lost) and self.columns.has(self.options.corrupt_name):
                more = {self.options.corrupt_name: self._raw(event, name, tree)}
            yield from self._batch(event, name, more)

    def _is_shown(self, message: str, is_lost: bool = False) -> bool:
        if self.options.ignore_corrupt and not is_lost:
            return False
        if self.options.mode == FAILFAST:
            raise Malformed(printable_message(message))
        return self.options.mode != DROPMALFORMED

    def _batch(
        self, event: Event, name: str, more: Mapping[str, Any] | None = None
    ) -> Iterator[pa.RecordBatch]:
        batch = rows.batch(event, self.schema, name, more)
        if batch is not None:
            yield batch

    def _raw(self, lost: Lost, name: str, tree: Tree) -> bytes | None:
        """Return the bytes of a lost range, or None if the bytes cannot be read."""
        length = min(lost.end - lost.start, self.options.max_payload)
        try:
            return tree.read(file_name(name, lost.file), lost.start, length)
        except OSError:
            return None


class JournalReader(Reader, DataSourceReader):
    """Plans partitions and reads them."""

    def partitions(self) -> list[InputPartition]:
        """Return the packed logs. Raises ``FileNotFoundError`` for a missing path."""
        logs = find(self.options)
        target = self.options.packing.target_bytes([log.size for log in logs])
        pieces = [piece for log in logs for piece in cut(log, target, self.options)]
        return self.pack(pieces, target)


def joined(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Join small batches into batches of about ``PIECE_ROWS`` rows or ``MAX_BYTES`` bytes.

    Each batch takes about a millisecond in the JVM.
    """
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if 2 * rows > PIECE_ROWS or 2 * size > MAX_BYTES:
            yield batch if len(held) == 1 else pa.concat_batches(held)
            held, rows, size = [], 0, 0
    if rows:
        yield pa.concat_batches(held)
