"""``walproof recover``: write the surviving records of a damaged log to a new, intact log."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import click

from conformance.saving import UNFINISHED, named_in_errors, publish, saved
from reference_impl.answer import End, Event, NewRecord, Record
from reference_impl.formats import Format
from walproof.cli.context import context_of, context_option, format_option
from walproof.cli.journal_query import JournalFilters, filter_options
from walproof.cli.opening import Opened, at_log, log_in, source_of
from walproof.cli.output import say
from walproof.cli.record_table import Gathered, gather_log
from walproof.cli.recover_system import (
    EVIDENCE,
    recover_folder,
    with_more,
    without_evidence,
    write_evidence,
)
from walproof.formats import plugin_for
from walproof.quantity import counted
from walproof.summary.screen import may_be_carved
from walproof.summary.unpacked import Unpacked
from walproof.systems.contents import NotRead, contents_of
from walproof.systems.reading import read_log
from walproof.systems.text_conversion import before_conversion

NEEDS_DROP = "filters require --drop"
#: Fields that describe the surrounding file or repeat the payload.
ABOUT_THE_FILE = frozenset(
    {"batch", "cursor", "checksum", "missing", "state", "fields", "frame", "after_loss"}
)


class Unlike(ValueError):
    """The new log differs from the records read; the message gives the first difference."""


@click.command()
@click.argument("words", metavar="LOG", nargs=-1, required=True)
@click.option(
    "--out",
    required=True,
    metavar="NEW",
    type=click.Path(path_type=Path),
    help="Path of the new log.",
)
@format_option
@context_option
@click.option("--logs-only", is_flag=True, help="Copy only the logs of a folder.")
@click.option("--drop", is_flag=True, help="Remove the journal entries that filters select.")
@filter_options(is_hidden=True)
def recover(
    words: tuple[str, ...],
    out: Path,
    format_id: str | None,
    context_items: tuple[str, ...],
    logs_only: bool,
    drop: bool,
    journal_filters: JournalFilters,
) -> int:
    """Write the surviving records to a new log.

    LOG is a log or a folder: a database, a broker's store, a raft node, the journals of a host, or
    a folder with several of these. The new log has the format of the old one. For a folder, NEW is
    a copy with every file, in which only damaged logs are rewritten; the old content of each
    remains in NAME.before-recovery. The last lines name the replaced files. For a database that is
    one file with a log beside it, NEW is a copy of the database to which the log was applied.
    Records that are whole but must not be applied, because a record before them is lost, are
    written to the log NEW.after-loss.

    LOG is never changed, and NEW must not exist. The command writes NEW under a temporary name,
    reads it back, and renames it only if it is intact and has exactly the records that survived in
    LOG. Some formats allow no gap, such as the indexes of a raft log. In this case the command
    names the missing record; `walproof read --each DIR` can then write each survivor to its own
    file.

    --drop removes entries of a journal: those selected by FIELD=VALUE after LOG, or by
    filters such as --unit, --since and --grep. Data that only these entries used is not in NEW. For
    a folder, NEW then has only the journals. Seals are not renewed.

    \b
    walproof recover 000003.log --out recovered.log
    walproof recover journal/ --out recovered/
    walproof recover system.journal --out clean.journal --drop --unit vpn --until yesterday
    walproof systemd read --help    list the filters

    Exit status: 0 if nothing was lost, 3 if something was lost (NEW has the rest), 4 if LOG is
    refused, 1 for a usage or I/O error, or if the survivors cannot form one log.
    """
    for path in (out, out.with_name(f"{out.name}{EVIDENCE}")):
        if path.exists() or path.is_symlink():
            raise click.ClickException(f"{path} already exists: expected a new path")
    log, *more = words
    if (more or journal_filters.are_given) and not drop:
        raise click.UsageError(f"expected one LOG, found {more[0]!r}" if more else NEEDS_DROP)
    try:
        if drop:
            if logs_only or context_items:
                raise click.UsageError("--drop excludes --logs-only and --context")
            return _recover_without(log, more, journal_filters, out, format_id)
        with source_of(log, format_id) as source:
            if source.path.is_dir():
                name = "" if source.is_copy else source.typed
                with contents_of(source.path, name, format_id) as result:
                    if any(not isinstance(item.what, NotRead) for item in result.items):
                        context = context_of(context_items, format_id) if format_id else {}
                        name = f"{source.typed}{source.origin}"
                        return recover_folder(
                            result, source.path, name, write_log, out, context, logs_only
                        )
            if format_id is None and (at := at_log(source)) is not source:
                return _recover_applied(source, log_in(at, None), out, context_items)
            return _recover_log(log_in(source, format_id), out, context_items)
    except ValueError as error:
        raise click.ClickException(
            f"{log}: the surviving records cannot form one log: {error}"
        ) from None


def _recover_without(
    log: str, matches: list[str], filters: JournalFilters, out: Path, format_id: str | None
) -> int:
    """Rewrite journals without the selected entries; return the exit status."""
    # Import only on use: this takes longer than recovering a small log.
    from walproof.cli.recover_journals import recover_without

    if not matches and not filters.are_given:
        raise click.UsageError("--drop: expected FIELD=VALUE or another filter, found none")
    return recover_without(log, filters.query(matches), out, format_id, write_log)


def _recover_log(old: Opened, out: Path, context_items: tuple[str, ...]) -> int:
    """Write the survivors of one log to a new log; return the exit status."""
    context = context_of(context_items, old.format.id)
    with before_conversion(old.format.id, old.path, context) as converted:
        if converted is None:
            return _recover_path(old, old.path, out, context)
        say(f"{old.name}: undid a text conversion: each LF had become CR LF", err=True)
        return _recover_path(old, converted[0], out, context)


def _recover_applied(
    source: Unpacked, log: Opened, out: Path, context_items: tuple[str, ...]
) -> int:
    """Write a copy of a file with the survivors of its log applied; return the exit status."""
    format, folder_type = log.format, plugin_for(log.format.id).system_folder
    context = context_of(context_items, format.id)
    result = gather_log(format.id, log.path, read_log(format.id, log.path, "recover", context))
    if result.end.verdict == "refused":
        say(f"{log.name}: refused ({result.end.reason}); nothing was written", err=True)
        return 4
    kept, evidence = without_evidence(result, folder_type)
    try:
        with saved(out, replace=False) as new:
            folder_type.apply(source.path, kept, new)
    except ValueError as error:
        raise click.ClickException(f"{log.name}: {error}; nothing was written") from None
    applied = f"{counted(len(kept), 'record')} of {log.name} applied to a copy of {source.typed}"
    say(f"{out}: {applied}; {counted(result.lost_bytes, 'byte')} lost", err=True)
    return _say_losses(log, log.path, result, evidence, out, context)


def _say_losses(
    old: Opened,
    path: Path,
    result: Gathered,
    evidence: Sequence[Record],
    out: Path,
    context: Mapping[str, Any],
) -> int:
    """Print the lost ranges, and write the evidence; return the exit status."""
    for gap in result.stored.lost():
        place = f"{gap.file}: " if gap.file else ""
        say(f"  lost  {place}[{gap.start}, {gap.end})  {gap.reason}", err=True)
    if evidence:
        about = write_evidence(old.format, path, evidence, out, write_log, context)
        say(f"  check  {about}", err=True)
    return 3 if result.end.verdict != "intact" else 0


def _recover_path(old: Opened, path: Path, out: Path, context: Mapping[str, Any]) -> int:
    format = old.format
    result = gather_log(format.id, path, read_log(format.id, path, "recover", context))
    system_folder = plugin_for(format.id).system_folder
    dialect = system_folder.foreign_dialect(path) if path.is_file() else None
    if result.end.verdict == "refused" or dialect:
        reason = f"{dialect} dialect" if dialect else result.end.reason
        say(f"{old.name}: {format.id}, refused ({reason}); nothing was written", err=True)
        return 4
    result, more = with_more(result, system_folder, path)
    carve = f"walproof carve {shlex.quote(old.source.typed)}"
    if not result.record_count and result.lost_bytes:
        advice = "" if old.source.is_copy else f"; {carve} searches it for records"
        raise click.ClickException(
            f"{old.name}: no record survives, {counted(result.lost_bytes, 'byte')} lost;"
            f" nothing was written{advice}"
        )
    kept, evidence = without_evidence(result, system_folder)
    write_log(format, path, kept, out, context)
    say(
        f"{out}: {counted(len(kept), 'record')};"
        f" {counted(result.lost_bytes, 'byte')} of {old.name} lost",
        err=True,
    )
    if more:
        say(f"  {more}", err=True)
    status = _say_losses(old, path, result, evidence, out, context)
    if (
        may_be_carved(format.id, result.stored.lost())
        and path == old.path
        and not old.source.is_copy
    ):
        say(f"  {carve} searches the lost ranges for records", err=True)
    return status


def write_log(
    format: Format, log: Path, records: Sequence[Record], out: Path, context: Mapping[str, Any]
) -> None:
    """Write records to a new log, and rename it to ``out`` if it reads back correctly.

    Raises ``ValueError`` if the writer of the format rejects the records, :class:`Unlike` if the
    records read back differ, and ``OSError``.
    """
    with tempfile.TemporaryDirectory(
        dir=out.absolute().parent, prefix=f".{out.name[:200]}.", suffix=UNFINISHED
    ) as folder:
        # In some formats, the name selects the file type to write.
        created = Path(folder) / log.resolve().name
        given = format.copied(log, context)
        try:
            with named_in_errors(out):
                format.write(created, NewRecords(records), given)
        except ValueError:
            if not records:  # a log of this format has at least one
                raise ValueError("no record survives") from None
            raise
        _compare(records, read_log(format.id, created, "recover", given))
        publish(created, out)


class NewRecords(Sequence[NewRecord]):
    """Convert records to the form that writers accept, on demand."""

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
        raise Unlike(f"what was written reads as {end.verdict} ({end.reason})")


def _compare_two(number: int, old: Record, new: Record) -> None:
    if old.payload != new.payload:
        raise Unlike(f"record {number} at {old.at} reads back with another payload")
    for name in sorted((old.fields.keys() | new.fields.keys()) - ABOUT_THE_FILE):
        if (was := old.fields.get(name)) != (result := new.fields.get(name)):
            raise Unlike(f"record {number} at {old.at}: {name} is {was} and would be {result}")
