"""``walproof recover``: write the surviving records of a damaged log to a new, intact log."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from conformance.saving import saved
from walproof.cli.context import context_of, context_option, format_option
from walproof.cli.journal_query import JournalFilters, filter_options
from walproof.cli.new_log import EVIDENCE, survivors
from walproof.cli.opening import Opened, log_in, source_of
from walproof.cli.output import EXIT_STATUS, require_new_path, say
from walproof.cli.recover_system import recover_folder
from walproof.formats import plugin_for
from walproof.quantity import counted
from walproof.summary.screen import may_be_carved
from walproof.systems.contents import NotRead, contents_of

NEEDS_DROP = "filters require --drop"


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
@click.option("--drop", is_flag=True, help="Remove the journal entries that filters select.")
@filter_options(is_hidden=True)
def recover(
    words: tuple[str, ...],
    out: Path,
    format_id: str | None,
    context_items: tuple[str, ...],
    drop: bool,
    journal_filters: JournalFilters,
) -> int:
    """Write the surviving records to a new log.

    LOG is a log, or a folder such as a database, a broker's store, a raft node, or the journals of
    a host. For a folder, NEW is a copy of the folder in which only damaged logs are rewritten. The
    old content of a rewritten log remains in NAME.before-recovery. For a database that is one file
    with a log, NEW is a copy of the database to which the log was applied. If an earlier record is
    lost, whole records that must not be applied are written to the log NEW.after-loss.

    LOG is never changed, and NEW must not exist. NEW appears only if it is intact and has exactly
    the records that survived in LOG. Some formats allow no gap between records. If there is a gap,
    the command names the missing record. `walproof read --each DIR` can then write each surviving
    record to its own file.

    --drop removes the journal entries that match FIELD=VALUE or filters such as --unit, --since and
    --grep. For a folder, NEW then has only the journals. Seals are not renewed.

    \b
    walproof recover 000003.log --out recovered.log
    walproof recover journal/ --out recovered/
    walproof recover system.journal --out clean.journal --drop --unit vpn --until yesterday
    walproof systemd read --help    list the filters

    Exit status: 0 if nothing was lost, 3 if something was lost (NEW has the rest), 4 if LOG is
    refused, 1 for a usage or I/O error, or if the survivors cannot form one log.
    """
    for path in (out, out.with_name(f"{out.name}{EVIDENCE}")):
        require_new_path(path)
    log, *more = words
    if (more or journal_filters.are_given) and not drop:
        raise click.UsageError(f"expected one LOG, found {more[0]!r}" if more else NEEDS_DROP)
    try:
        if drop:
            if context_items:
                raise click.UsageError("--drop excludes --context")
            return _recover_without(log, more, journal_filters, out, format_id)
        with source_of(log, format_id) as source:
            if source.path.is_dir():
                name = "" if source.is_copy else source.typed
                result = contents_of(source.path, name, format_id)
                whats = [item.what for item in result.items]
                # An unreadable file may be a log: copy the folder, and report the file.
                if any(not isinstance(what, NotRead) or what.is_fault for what in whats):
                    context = context_of(context_items, format_id) if format_id else {}
                    name = f"{source.typed}{source.origin}"
                    return recover_folder(result, source.path, name, out, context)
            return _recover_log(log_in(source, format_id), out, context_items)
    except ValueError as error:
        raise click.ClickException(
            f"{log}: the surviving records cannot form one log: {error}"
        ) from None


def _recover_without(
    log: str, matches: list[str], filters: JournalFilters, out: Path, format_id: str | None
) -> int:
    # Import only on use: the import takes longer than recovering a small log.
    from walproof.cli.recover_journals import recover_without

    if not matches and not filters.are_given:
        raise click.UsageError("--drop: expected FIELD=VALUE or another filter, found none")
    return recover_without(log, filters.query(matches), out, format_id)


def _recover_log(old: Opened, out: Path, context_items: tuple[str, ...]) -> int:
    format, folder_type = old.format, plugin_for(old.format.id).system_folder
    carve = f"walproof carve {shlex.quote(old.source.typed)}"
    with survivors(format, old.path, context_of(context_items, format.id)) as left:
        if left.is_converted:
            say(f"{old.name}: undid a text conversion: each LF had become CR LF", err=True)
        if left.refusal is not None:
            refusal = f"{format.id}, refused ({left.refusal}); nothing was written"
            say(f"{old.name}: {refusal}", err=True)
            return EXIT_STATUS["refused"]
        records = counted(len(left.kept), "record")
        lost = counted(left.answer.lost_bytes, "byte")
        if old.database is not None:
            try:
                with saved(out, replace=False) as new:
                    folder_type.apply(old.database.path, left.kept, new)
            except ValueError as error:
                raise click.ClickException(f"{old.name}: {error}; nothing was written") from None
            applied = f"{records} of {old.name} applied to a copy of {old.database.typed}"
            say(f"{out}: {applied}; {lost} lost", err=True)
        elif left.answer.lost_bytes and not left.answer.record_count:
            advice = "" if old.source.is_copy else f"; {carve} searches it for records"
            raise click.ClickException(
                f"{old.name}: no record survives, {lost} lost; nothing was written{advice}"
            )
        else:
            left.write(out)
            say(f"{out}: {records}; {lost} of {old.name} lost", err=True)
        if left.more:
            say(f"  {left.more}", err=True)
        gaps = left.answer.stored.lost()
        for gap in gaps:
            place = f"{gap.file}: " if gap.file else ""
            say(f"  lost  {place}[{gap.start}, {gap.end})  {gap.reason}", err=True)
        for text in left.write_evidence(out):
            say(f"  check  {text}", err=True)
        is_original = old.database is None and not left.is_converted and not old.source.is_copy
        if is_original and may_be_carved(format.id, gaps):
            say(f"  {carve} searches the lost ranges for records", err=True)
        return 3 if left.answer.end.verdict != "intact" else 0
