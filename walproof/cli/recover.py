"""``walproof recover``: what survives in a damaged log, as a new log that is sound."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import click

from conformance.saving import UNFINISHED, named_in_errors, publish
from reference_impl.answer import End, Event, NewRecord, Record
from reference_impl.formats import Format
from walproof.cli.context import context_of
from walproof.cli.journal_query import JournalFilters, filter_options
from walproof.cli.opening import Opened, log_in, source_of
from walproof.cli.output import say
from walproof.cli.reading import EVERY, events, watched
from walproof.cli.record_table import Passed, gather
from walproof.cli.recover_system import recover_folder, with_more
from walproof.cli.summary import progress
from walproof.formats import plugin_for
from walproof.quantity import counted
from walproof.summary.lost_bytes import lost_counter
from walproof.summary.model import size_of
from walproof.summary.screen import may_be_carved
from walproof.systems.contents import NotRead, contents_of
from walproof.systems.text_conversion import before_conversion

NEEDS_DROP = "filters select what --drop leaves out: expected --drop"
ABOUT_THE_FILE = frozenset({"batch", "cursor", "checksum", "missing", "state", "fields"})
"""Fields of a record that describe the file around it, or repeat what its payload says."""


class Unlike(ValueError):
    """The new log does not hold what was read from the old one; the message says where."""


@click.command()
@click.argument("words", metavar="LOG", nargs=-1, required=True)
@click.option(
    "--out", required=True, metavar="NEW", type=click.Path(path_type=Path), help="The new log."
)
@click.option("--format", "format_id", metavar="ID", help="Format id; detected if not given.")
@click.option(
    "--context",
    "context_items",
    metavar="KEY=VALUE",
    multiple=True,
    help="What the reader is told besides the bytes; VALUE is JSON or text.",
)
@click.option("--logs-only", is_flag=True, help="Of a folder, copy the logs alone.")
@click.option("--drop", is_flag=True, help="Leave out journal entries that filters select.")
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
    """Write the records that survive in LOG into a new log of the same format.

    LOG is a log or a folder: a database, a broker's store, a raft node, the journals of a host, or
    a folder with several of them. Of a folder, NEW is a copy with every file. Only damaged logs are
    written anew in it; each keeps its old content as NAME.before-recovery. The last lines name the
    files that were replaced.

    LOG is never changed, and NEW must not exist. NEW is read back before it gets its name: it must
    be intact and hold exactly the records that survived in LOG. If the format allows no gap (the
    indexes of a raft log), the command says which record is missing; `walproof read --each DIR` can
    then write each survivor to a file of its own.

    --drop leaves entries of system journals out of NEW: those that FIELD=VALUE after LOG, or
    filters such as --unit, --since and --grep select. What only these entries had is nowhere in
    NEW. Of a folder, NEW then has the journals alone. Seals are not renewed.

    \b
    walproof recover 000003.log --out recovered.log
    walproof recover journal/ --out recovered/
    walproof recover system.journal --out clean.journal --drop --unit vpn --until yesterday
    walproof systemd read --help    lists the filters

    Exit status: 0 if nothing was lost, 3 if something was (NEW has the rest), 4 refused,
    1 for a usage or I/O error, or if the survivors cannot form one log.
    """
    if out.exists() or out.is_symlink():
        raise click.ClickException(f"{out} exists: expected a path where nothing is")
    log, *more = words
    if (more or journal_filters.are_given) and not drop:
        raise click.UsageError(f"expected one LOG, found {more[0]!r}" if more else NEEDS_DROP)
    try:
        if drop:
            if logs_only or context_items:
                raise click.UsageError("--drop goes with neither --logs-only nor --context")
            return _recover_without(log, more, journal_filters, out, format_id)
        with source_of(log, format_id) as source:
            if source.path.is_dir():
                name = "" if source.is_copy else source.typed
                with contents_of(source.path, name, format_id) as found:
                    if any(not isinstance(item.what, NotRead) for item in found.items):
                        context = context_of(context_items, format_id) if format_id else {}
                        name = f"{source.typed}{source.came}"
                        return recover_folder(
                            found, source.path, name, write_anew, out, context, logs_only
                        )
            return _recover_log(log_in(source, format_id), out, context_items)
    except ValueError as error:
        raise click.ClickException(
            f"{log}: its survivors cannot stand in one log: {error}"
        ) from None


def _recover_without(
    log: str, matches: list[str], filters: JournalFilters, out: Path, format_id: str | None
) -> int:
    """Write journals anew without the entries that are selected: exit status."""
    # Not imported for the other logs: it takes longer than recovering a small one.
    from walproof.cli.recover_journals import recover_without

    if not matches and not filters.are_given:
        raise click.UsageError("--drop: expected FIELD=VALUE or another filter, found none")
    return recover_without(log, filters.query(matches), out, format_id, write_anew)


def _recover_log(old: Opened, out: Path, context_items: tuple[str, ...]) -> int:
    """Write the survivors of one log into a new one: exit status."""
    context = context_of(context_items, old.format.id)
    with before_conversion(old.format.id, old.path, context) as converted:
        if converted is None:
            return _recover_path(old, old.path, out, context)
        say(f"{old.name}: each LF in it had become CR LF; this was undone", err=True)
        return _recover_path(old, converted[0], out, context)


def _recover_path(old: Opened, path: Path, out: Path, context: Mapping[str, Any]) -> int:
    format = old.format
    with progress(size_of(path)) as told:
        seen = watched(events(format, path, context), path, told)
        found = gather(seen, count_lost=lost_counter(format.id, path))
    system_folder = plugin_for(format.id).system_folder
    dialect = system_folder.foreign_dialect(path) if path.is_file() else None
    if found.end.verdict == "refused" or dialect:
        reason = f"{dialect} dialect" if dialect else found.end.reason
        say(f"{old.name}: {format.id}, refused ({reason}); nothing was written", err=True)
        return 4
    found, more = with_more(found, system_folder, path)
    carve = f"walproof carve {shlex.quote(old.source.typed)}"
    if not found.record_count and found.lost_bytes:
        advice = "" if old.source.is_copy else f"; {carve} looks for records inside it"
        raise click.ClickException(
            f"{old.name}: no record survives, {counted(found.lost_bytes, 'byte')} are lost: nothing"
            f" was written{advice}"
        )
    write_anew(format, path, found.kept.records, out, context)
    say(
        f"{out}: {counted(found.record_count, 'record')};"
        f" {counted(found.lost_bytes, 'byte')} lost of {old.name}",
        err=True,
    )
    if more:
        say(f"  {more}", err=True)
    for gap in found.kept.lost():
        place = f"{gap.file}: " if gap.file else ""
        say(f"  lost  {place}[{gap.start}, {gap.end})  {gap.reason}", err=True)
    if may_be_carved(format.id, found.kept.lost()) and path == old.path and not old.source.is_copy:
        say(f"  {carve} looks for records inside what is lost", err=True)
    return 3 if found.end.verdict != "intact" else 0


def write_anew(
    format: Format, log: Path, records: Sequence[Record], out: Path, context: Mapping[str, Any]
) -> None:
    """Write the records of a log as a new one, which gets the name ``out`` only if it is right.

    Raises ``ValueError`` if the format's writer does not accept them, :class:`Unlike` if reading
    them back gives anything else, and ``OSError``.
    """
    with tempfile.TemporaryDirectory(
        dir=out.absolute().parent, prefix=f".{out.name[:200]}.", suffix=UNFINISHED
    ) as folder:
        # In some formats the name decides which kind of log to write.
        made = Path(folder) / log.resolve().name
        told = format.copied(log, context)
        try:
            with named_in_errors(out), progress(size_of(log), "writing") as passed:
                format.write(made, Anew(records, passed), told)
        except ValueError:
            if not records:  # a log of this format has at least one
                raise ValueError("no record survives") from None
            raise
        with progress(size_of(made), "reading back") as passed:
            _compare(records, watched(events(format, made, told), made, passed))
        publish(made, out)


class Anew(Sequence[NewRecord]):
    """Records as they are written, made when they are asked for.

    ``progress`` is told how many bytes they took in their log.
    """

    def __init__(
        self, records: Sequence[Record], progress: Callable[[int], None] = lambda _: None
    ) -> None:
        self._records, self._progress = records, progress

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[NewRecord]:
        passed = 0
        for number, record in enumerate(self._records):
            passed += record.size
            if number % EVERY == 0:
                self._progress(passed)
            yield NewRecord(record.payload, record.fields)

    @overload
    def __getitem__(self, at: int) -> NewRecord: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[NewRecord]: ...
    def __getitem__(self, at: int | slice) -> NewRecord | Sequence[NewRecord]:
        if isinstance(at, slice):
            return Anew(self._records[at])
        record = self._records[at]
        return NewRecord(record.payload, record.fields)


def _compare(old: Sequence[Record], new: Iterable[Event | Passed]) -> None:
    waiting = iter(old)
    count = 0
    for event in new:
        if isinstance(event, Record):
            one = next(waiting, None)
            if one is not None:
                _compare_two(count, one, event)
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


def _compare_two(number: int, one: Record, other: Record) -> None:
    if one.payload != other.payload:
        raise Unlike(f"record {number} at {one.at} reads back with another payload")
    for name in sorted((one.fields.keys() | other.fields.keys()) - ABOUT_THE_FILE):
        if (was := one.fields.get(name)) != (found := other.fields.get(name)):
            raise Unlike(f"record {number} at {one.at}: {name} is {was} and would be {found}")
