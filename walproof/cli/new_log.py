"""Read the records that survive in a log, and write records to a new log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from conformance.saving import named_in_errors, publish, temporary_sibling
from reference_impl.answer import End, Event, NewRecord, Record
from reference_impl.formats import Format
from walproof.cli.record_table import Gathered, gather, gather_log
from walproof.formats import plugin_for
from walproof.quantity import counted
from walproof.spool import Shelf
from walproof.systems.reading import read_log
from walproof.systems.text_conversion import before_conversion

#: Suffix of the log with the records that must not be part of the new log.
EVIDENCE = ".after-loss"
#: Fields that describe the surrounding file or repeat the payload.
ABOUT_THE_FILE = frozenset(
    {"batch", "cursor", "checksum", "missing", "state", "fields", "frame", "after_loss"}
)


class Unlike(ValueError):
    """The new log does not read back as written; the message gives the first difference."""


@dataclass(frozen=True)
class Survivors:
    """The records that survive in a log."""

    format: Format
    context: Mapping[str, Any]
    #: Path of the log that was read: a scratch copy if a text conversion was undone.
    path: Path
    is_converted: bool
    answer: Gathered
    #: Number of records that readers return, without those of ``more``.
    before: int
    #: Records for the new log.
    kept: Sequence[Record]
    #: Records that must not be applied.
    evidence: Sequence[Record]
    #: Reason why the log is refused.
    refusal: str | None
    #: Description of additional records that readers do not return; empty if there are none.
    more: str

    def write(self, out: Path) -> None:
        """Write the new log. Raises the errors of :func:`write_log`."""
        write_log(self.format, self.path, self.kept, out, self.context)

    def write_evidence(self, out: Path) -> Iterator[str]:
        """Write the evidence, if any, to a separate log next to ``out``; yield a line of text."""
        if not self.evidence:
            return
        records = f"{counted(len(self.evidence), 'record')} after a loss"
        path = out.with_name(f"{out.name}{EVIDENCE}")
        try:
            write_log(self.format, self.path, self.evidence, path, self.context)
        except ValueError as error:
            yield f"{records}: not written: {error}; `walproof read LOG --each DIR` writes them"
        else:
            yield f"{records}: written to {path.name} as evidence; do not apply them"


@contextmanager
def survivors(format: Format, log: Path, context: Mapping[str, Any]) -> Iterator[Survivors]:
    """Yield the survivors of a log, after undoing a text conversion. Raises ``OSError``."""
    folder_type = plugin_for(format.id).system_folder
    with before_conversion(format.id, log, context) as converted:
        path = log if converted is None else converted[0]
        answer = gather_log(format.id, path, read_log(format.id, path, "recover", context))
        before = answer.record_count
        dialect = folder_type.foreign_dialect(path) if path.is_file() else None
        more = ""
        if (
            answer.end.verdict == "damaged"
            and (events := folder_type.more_events(path)) is not None
        ):
            again = gather(events)
            if (count := again.record_count - before) > 0:
                answer = again
                more = f"{counted(count, 'more record')} found by the length of a damaged record"
        kept: Sequence[Record] = answer.stored.records
        evidence: Shelf[Record] = Shelf()
        if answer.end.verdict != "intact" and any(map(folder_type.is_evidence, kept)):
            kept = Shelf()
            for record in answer.stored.records:
                (evidence if folder_type.is_evidence(record) else kept).append(record)
        is_refused = answer.end.verdict == "refused"
        refusal = f"{dialect} dialect" if dialect else answer.end.reason if is_refused else None
        yield Survivors(
            format, context, path, converted is not None, answer, before, kept, evidence, refusal,
            more,
        )  # fmt: skip


def write_log(
    format: Format, log: Path, records: Sequence[Record], out: Path, context: Mapping[str, Any]
) -> None:
    """Write records to a new log, and rename it to ``out`` if it reads back correctly.

    Raises ``ValueError``, :class:`Unlike` and ``OSError``.
    """
    with temporary_sibling(out) as folder:
        # In some formats, the name selects the file type to write.
        created = folder / log.resolve().name
        given = format.copied(log, context)
        try:
            with named_in_errors(out):
                folder.mkdir()
                format.write(created, NewRecords(records), given)
        except ValueError:
            if not records:  # a log of this format has at least one record
                raise ValueError("no record survives") from None
            raise
        _compare(records, read_log(format.id, created, "recover", given))
        publish(created, out)


class NewRecords(Sequence[NewRecord]):
    """A sequence that converts records on demand to the form that writers accept."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, at: int) -> NewRecord: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[NewRecord]: ...
    def __getitem__(self, at: int | slice) -> NewRecord | Sequence[NewRecord]:
        if isinstance(at, slice):
            return NewRecords(self._records[at])
        record = self._records[at]
        return NewRecord(record.payload, record.fields)


def _compare(old: Sequence[Record], new: Iterable[Event]) -> None:
    waiting = iter(old)
    count = 0
    for event in new:
        if isinstance(event, Record):
            each = next(waiting, None)
            if each is not None:
                _compare_two(count, each, event)
            count += 1
        elif isinstance(event, End):
            end = event
    if len(old) != count:
        raise Unlike(
            f"{counted(len(old), 'record')} found, {count} can be read back:"
            f" record {min(len(old), count)} is the first that differs"
        )
    if end.verdict != "intact":
        raise Unlike(f"the new log reads as {end.verdict} ({end.reason})")


def _compare_two(number: int, old: Record, new: Record) -> None:
    if old.payload != new.payload:
        raise Unlike(f"record {number} at {old.at} reads back with another payload")
    for name in sorted((old.fields.keys() | new.fields.keys()) - ABOUT_THE_FILE):
        if (was := old.fields.get(name)) != (result := new.fields.get(name)):
            raise Unlike(f"record {number} at {old.at}: {name} is {was} and would be {result}")
