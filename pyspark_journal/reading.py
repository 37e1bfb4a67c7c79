"""Turn parts of logs into rows, in the requested mode, without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

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
from walproof.scan.model import Event, Records, Wanted
from walproof.scan.reference import ScannerMissing
from walproof.tables import rows
from walproof.tables.batches import bounded
from walproof.tables.rows import file_name

# The reason in the row of a file without a known format.
UNKNOWN_FORMAT = "unknown-format"


Choose = Callable[[Piece, Iterator[Event], str], Iterator[Event]]


class Malformed(ValueError):
    """Mode ``FAILFAST`` met a row that is not a record; the message has file, offset and reason."""


class Reader:
    """Reads parts of logs into batches of the requested columns."""

    def __init__(self, columns: Columns, options: Options) -> None:
        self.columns = columns
        self.options = options
        self.target = pa.schema(
            [
                pa.field(name, field.type)
                for name, field in zip(columns.names, columns.target, strict=True)
            ]
        )
        self._schemas: dict[str, pa.Schema] = {}
        self._needed_columns: dict[str, Wanted] = {}

    def batches(
        self, pieces: Sequence[Piece], choose: Choose | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition.

        ``choose`` may shorten or drop events before they are converted to rows, because a stream
        begins at an offset. Raises :class:`ScannerMissing`, and :class:`Malformed` in mode
        ``FAILFAST``.
        """
        batches = (batch for piece in pieces for batch in self._piece(piece, choose))
        return map(self.columns.fit, bounded(batches))

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
                events = log.scan(self._wants(format_id), piece.part)
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

    def _wants(self, format_id: str) -> Wanted:
        if format_id not in self._needed_columns:
            self._needed_columns[format_id] = self.columns.needed(format_id, self.options)
        return self._needed_columns[format_id]

    def _schema(self, format_id: str) -> pa.Schema:
        """Return the columns of the query with their types in this format."""
        if format_id not in self._schemas:
            types = rows.schema(format_id)
            self._schemas[format_id] = pa.schema(
                [types.field(f.name) if f.name in types.names else f for f in self.target]
            )
        return self._schemas[format_id]

    def _rows(
        self, event: Event, format_id: str, name: str, tree: Tree
    ) -> Iterator[pa.RecordBatch]:
        more: dict[str, pa.Array] = {}
        if isinstance(event, Records):
            if self.columns.has(DECODED):
                yield from self._decoded_rows(event, format_id, name)
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
        batch = rows.batch(event, self._schema(format_id), name, more)
        if batch is not None:
            yield self._same_types(batch)

    def _same_types(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        if batch.schema == self.target:
            return batch
        columns = [
            column if column.type == field.type else column.cast(field.type)
            for column, field in zip(batch.columns, self.target, strict=True)
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self.target)

    def _decoded_rows(self, run: Records, format_id: str, name: str) -> Iterator[pa.RecordBatch]:
        for piece in decode.pieces(format_id, run):
            more = self._decoded(piece, format_id)
            batch = rows.batch(piece, self._schema(format_id), name, more)
            assert batch is not None
            yield self._same_types(batch)

    def _decoded(self, run: Records, format_id: str) -> dict[str, pa.Array]:
        value, fault = decode.decoded(format_id, run, self.options.entry_fields)
        if self.options.format == "auto":
            type = self.target.field(DECODED).type
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

    def _raw(self, lost: Lost, name: str, tree: Tree) -> pa.Array:
        """Return the bytes of a lost range, null if they cannot be read."""
        length = min(lost.end - lost.start, self.options.max_payload)
        try:
            data = tree.read(file_name(name, lost.file), lost.start, length)
        except OSError:
            data = None
        return pa.array([data], pa.binary())

    def _unknown(self, name: str, error: UnknownFormat) -> Iterator[pa.RecordBatch]:
        text = str(error).replace("--format", "journalFormat")
        if self.options.ignore_corrupt or self.options.mode == DROPMALFORMED:
            return
        if self.options.mode == FAILFAST:
            raise Malformed(printable_message(f"{text} ({UNKNOWN_FORMAT}, FAILFAST)"))
        event = End("refused", UNKNOWN_FORMAT, None)
        batch = rows.batch(
            event, self.target, name, {"detail": pa.array([printable_message(text)])}
        )
        assert batch is not None
        yield batch

    def _unreadable(self, position: tuple[str, int], error: Exception) -> Iterator[pa.RecordBatch]:
        options = self.options
        name, at = position
        text = (
            f"{name}: at offset {at}: {error}"
            if isinstance(error, OSError)
            else (f"{name}: at offset {at}: {type(error).__name__}: {error}")
        )
        if options.ignore_missing and isinstance(error, FileNotFoundError):
            return
        if options.ignore_corrupt or options.mode == DROPMALFORMED:
            return
        if options.mode == FAILFAST:
            raise Malformed(printable_message(f"{text} (unreadable, FAILFAST)")) from error
        yield rows.unreadable(self.target, name, text)
