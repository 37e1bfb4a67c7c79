"""Read found logs, or parts of them, as table rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from reference_impl.answer import End, Lost
from reference_impl.formats import UnknownFormat
from walproof.lake.discovery import FoundLog
from walproof.lake.file_tree import Tree
from walproof.lake.names import printable_message, shown
from walproof.lake.opening import opened
from walproof.lake.options import Options
from walproof.lake.splits import Piece
from walproof.lake.trees import tree_of
from walproof.log_rows import SEVERITY, UNKNOWN_FORMAT, batch, file_name, filled_batch, joined
from walproof.scanners.model import Event, Records, Wanted


class RowReader:
    """Reads parts of logs as batches of the columns in ``schema``.

    If ``has_log_rows`` is true, each part ends with a row of kind ``log``. ``raw_column`` names the
    column for the bytes of lost ranges. ``wanted`` selects the data to read.
    """

    def __init__(
        self,
        schema: pa.Schema,
        options: Options,
        wanted: Wanted,
        has_log_rows: bool,
        raw_column: str | None = None,
    ) -> None:
        self.schema, self.options, self.wanted = schema, options, wanted
        self.has_log_rows, self.raw_column = has_log_rows, raw_column

    def shows(self, message: str) -> bool:
        """Return whether a row reports the problem."""
        return True

    def skips(self, error: Exception | None) -> bool:
        """Return whether to skip a log that is refused, or unreadable because of ``error``."""
        return False

    def rows(self, pieces: Iterable[Piece]) -> Iterator[pa.RecordBatch]:
        """Yield rows for parts of logs. Raises :class:`ScannerMissing`."""
        return joined(batch for piece in pieces for batch in self._rows_of(piece))

    def _rows_of(self, piece: Piece) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one part. A fault that prevents reading it becomes a row."""
        log, name = piece.log, piece.log.shown_path
        path, at = log.path, piece.part.start
        modified = int(log.modified * 1_000_000) if log.modified else None
        common: dict[str, Any] = {"log": log_name(log), "format": log.format}
        common |= {"modified": modified, "epoch": piece.epoch}
        tally = _Tally()
        fault: Exception | None = None
        try:
            if log.fault is not None:
                raise log.fault
            tree = tree_of(log.path, dict(self.options.file_system))
            with opened(log, self.options) as source:
                common["format"] = source.format
                for event in piece.scan(source, self.wanted):
                    tally.add(event)
                    if not isinstance(event, Records):
                        raw = self._raw(event, log.path, tree)
                        yield from self._problem(event, name, common | raw)
                        continue
                    for run in event.pieces():
                        if len(run):
                            path = file_name(log.path, run.file)
                            at = int(run.at[-1] + run.size[-1])
                            yield from self._batch(run, name, common | self._time(run))
        except UnknownFormat as error:
            fault, text = error, str(error).replace("--format", "journalFormat")
            # If a file matches several formats, it counts as a log that was not read.
            tally.end(*((None, None) if error.fitting else ("refused", UNKNOWN_FORMAT)))
            common["detail"] = printable_message(text)
            if not self.skips(error) and self.shows(f"{text} ({UNKNOWN_FORMAT}, FAILFAST)"):
                yield from self._batch(End("refused", UNKNOWN_FORMAT, None), name, common)
        except OSError as error:
            # One unreadable file among ten thousand must not fail the job. Other exceptions are
            # errors in this program and must fail the job.
            fault, text = error, f"{path}: at offset {at}: {error}"
            tally.end(None, None)
            common["detail"] = printable_message(text)
            if not self.skips(error) and self.shows(f"{text} (unreadable, FAILFAST)"):
                yield filled_batch(
                    self.schema, 1, common | {"file": shown(path), "kind": "unreadable"}
                )
        is_bad = tally.verdict in (None, "refused")
        if self.has_log_rows and not (is_bad and self.skips(fault)):
            file, start = piece.origin
            place = {"file": shown(file_name(name, file)), "offset": start, "kind": "log"}
            yield filled_batch(self.schema, 1, common | place | {"size": log.size} | vars(tally))

    def _problem(
        self, event: Lost | End, name: str, more: Mapping[str, Any]
    ) -> Iterator[pa.RecordBatch]:
        if isinstance(event, End) and event.verdict != "refused":
            return
        if isinstance(event, End) and self.skips(None):
            return
        at = f" at offset {event.start}" if isinstance(event, Lost) else ""
        if self.shows(f"{shown(file_name(name, event.file))}:{at} {event.reason} (FAILFAST)"):
            yield from self._batch(event, name, more)

    def _batch(self, event: Event, name: str, more: Mapping[str, Any]) -> Iterator[pa.RecordBatch]:
        created = batch(event, self.schema, name, more)
        if created is not None:
            yield created

    def _time(self, run: Records) -> dict[str, Any]:
        realtime = run.fields.get("realtime")
        if realtime is None or "time" not in self.schema.names:
            return {}
        is_valid = pc.less_equal(realtime, pa.scalar(2**63 - 1, pa.uint64()))
        valid = pc.if_else(is_valid, realtime, pa.scalar(None, pa.uint64()))
        return {"time": valid.cast(pa.int64())}

    def _raw(self, event: Lost | End, path: str, tree: Tree) -> dict[str, Any]:
        """Return the bytes of a lost range as a column, or null if they cannot be read."""
        name = self.raw_column
        if name is None or name not in self.schema.names or not isinstance(event, Lost):
            return {}
        length = min(event.end - event.start, self.options.max_payload)
        try:
            return {name: tree.read(file_name(path, event.file), event.start, length)}
        except OSError:
            return {}


class Malformed(ValueError):
    """Raised in mode ``FAILFAST`` for a row that is not a record.

    The message contains the file, the offset and the reason.
    """


@dataclass
class _Tally:
    """The counts in a row of kind ``log``."""

    verdict: str | None = "intact"
    reason: str | None = None
    records: int = 0
    lost_bytes: int = 0
    resume_offset: int | None = None

    def add(self, event: Event) -> None:
        if isinstance(event, Records):
            self.records += len(event)
        elif isinstance(event, Lost):
            self.lost_bytes += event.end - event.start
            verdict = "torn" if event.torn else "damaged"
            if SEVERITY.index(verdict) < SEVERITY.index(self.verdict):
                self.end(verdict, event.reason)
        else:
            self.end(event.verdict, event.reason, event.end)

    def end(
        self, verdict: str | None, reason: str | None, resume_offset: int | None = None
    ) -> None:
        self.verdict, self.reason, self.resume_offset = verdict, reason, resume_offset


def log_name(log: FoundLog) -> str:
    """Return the name of a log in tables.

    The path alone is not always unique, because several logs can share a folder.
    """
    journal = log.context.get("name") if log.members else None
    return shown(f"{log.shown_path}/{journal}-*.log" if journal else log.shown_path)
