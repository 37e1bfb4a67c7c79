"""Turn parts of logs into rows, in the requested mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import InputPartition

from pyspark_journal.options import DROPMALFORMED, FAILFAST, Options
from pyspark_journal.schema import DECODED, Columns
from reference_impl.answer import End, Lost
from reference_impl.formats import UnknownFormat
from walproof import decode
from walproof.lake.file_tree import Tree
from walproof.lake.names import printable_message, shown
from walproof.lake.opening import opened
from walproof.lake.splits import Piece
from walproof.lake.trees import tree_of
from walproof.scan.model import Event, Records
from walproof.scan.reference import ScannerMissing
from walproof.tables import rows
from walproof.tables.batches import bounded
from walproof.tables.rows import file_name

# The reason in the row of a file without a known format.
UNKNOWN_FORMAT = "unknown-format"


Choose = Callable[[Piece, Iterator[Event], str], Iterator[Event]]


class Malformed(ValueError):
    """Mode ``FAILFAST`` met a row that is not a record; the message has file, offset and reason."""


class JournalPartition(InputPartition):
    """Parts of logs for one task."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        super().__init__(None)
        self.pieces = pieces


class Reader:
    """Reads parts of logs into batches of the requested columns."""

    def __init__(self, columns: Columns, options: Options) -> None:
        self.columns = columns
        self.options = options
        # The columns by the names that they have here; their types may depend on the format.
        fields = zip(columns.names, columns.target.types, strict=True)
        self.schema = pa.schema([pa.field(name, type) for name, type in fields])

    def batches(
        self, pieces: Sequence[Piece], choose: Choose | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition.

        ``choose`` may shorten or drop events before they are converted to rows, because a stream
        begins at an offset. Raises :class:`ScannerMissing`, and :class:`Malformed` in mode
        ``FAILFAST``.
        """
        batches = (batch for piece in pieces for batch in self._piece(piece, choose))
        return (self._fitted(batch) for batch in bounded(batches))

    def _piece(self, piece: Piece, choose: Choose | None) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one part. A fault of one log does not affect the others."""
        name = piece.log.path
        position = (name, piece.part.start)
        try:
            if piece.log.fault is not None:
                raise piece.log.fault
            tree = tree_of(name, dict(self.options.file_system))
            with opened(piece.log, self.options) as log:
                format_id = log.format
                wanted = self.columns.needed(format_id, self.options)
                events = log.scan(wanted, piece.part)
                for event in choose(piece, events, format_id) if choose is not None else events:
                    if not isinstance(event, Records):
                        yield from self._rows(event, format_id, name, tree)
                        continue
                    for run in event.pieces():
                        if len(run):
                            at = int(run.at[-1] + run.size[-1])
                            position = (file_name(name, run.file), at)
                            yield from self._rows(run, format_id, name, tree)
        except (Malformed, ScannerMissing):
            raise
        except UnknownFormat as error:
            yield from self._unknown(name, error)
        except Exception as error:
            # One bad file among ten thousand must not fail the job, whatever the error.
            yield from self._unreadable(position, error)

    def _fitted(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays(batch.columns, schema=self.columns.target)

    def _rows(
        self, event: Event, format_id: str, name: str, tree: Tree
    ) -> Iterator[pa.RecordBatch]:
        more: dict[str, Any] = {}
        if isinstance(event, Records):
            if self.columns.has(DECODED):
                for piece in decode.pieces(format_id, event):
                    decoded = self._decoded(piece, format_id)
                    yield from self._batch(piece, name, decoded)
                return
        elif isinstance(event, Lost) or event.verdict == "refused":
            if self.options.mode == DROPMALFORMED:
                return
            if isinstance(event, End) and self.options.ignore_corrupt:
                return
            if self.options.mode == FAILFAST:
                at = f" at offset {event.start}" if isinstance(event, Lost) else ""
                location = shown(file_name(name, event.file))
                raise Malformed(f"{location}:{at} {event.reason} (FAILFAST)")
            if isinstance(event, Lost) and self.columns.has(self.options.corrupt_name):
                more = {self.options.corrupt_name: self._raw(event, name, tree)}
        yield from self._batch(event, name, more)

    def _batch(self, event: Event, name: str, more: Mapping[str, Any]) -> Iterator[pa.RecordBatch]:
        batch = rows.batch(event, self.schema, name, more)
        if batch is not None:
            yield batch

    def _decoded(self, run: Records, format_id: str) -> dict[str, pa.Array]:
        value, fault = decode.decoded(format_id, run, self.options.entry_fields)
        if self.options.format == "auto":
            type = self.schema.field(DECODED).type
            names = [type.field(n).name for n in range(type.num_fields)]
            own_name = format_id.replace("-", "_")
            value = pa.StructArray.from_arrays(
                [
                    value if name == own_name else pa.nulls(len(run), type.field(name).type)
                    for name in names
                ],
                names,
                mask=value.is_null(),
            )
        return {DECODED: value, "detail": fault}

    def _raw(self, lost: Lost, name: str, tree: Tree) -> bytes | None:
        """Return the bytes of a lost range, null if they cannot be read."""
        length = min(lost.end - lost.start, self.options.max_payload)
        try:
            return tree.read(file_name(name, lost.file), lost.start, length)
        except OSError:
            return None

    def _unknown(self, name: str, error: UnknownFormat) -> Iterator[pa.RecordBatch]:
        text = str(error).replace("--format", "journalFormat")
        if self.options.ignore_corrupt or self.options.mode == DROPMALFORMED:
            return
        if self.options.mode == FAILFAST:
            raise Malformed(printable_message(f"{text} ({UNKNOWN_FORMAT}, FAILFAST)"))
        event = End("refused", UNKNOWN_FORMAT, None)
        yield from self._batch(event, name, {"detail": printable_message(text)})

    def _unreadable(self, position: tuple[str, int], error: Exception) -> Iterator[pa.RecordBatch]:
        options = self.options
        name, at = position
        kind = "" if isinstance(error, OSError) else f"{type(error).__name__}: "
        text = f"{name}: at offset {at}: {kind}{error}"
        if options.ignore_missing and isinstance(error, FileNotFoundError):
            return
        if options.ignore_corrupt or options.mode == DROPMALFORMED:
            return
        if options.mode == FAILFAST:
            raise Malformed(printable_message(f"{text} (unreadable, FAILFAST)")) from error
        yield rows.unreadable(self.schema, name, text)
