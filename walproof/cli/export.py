"""``walproof export``: a log in a form that other programs read."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from conformance.saving import publish, temporary_sibling
from reference_impl.answer import End, Event, Lost
from reference_impl.formats import UnknownFormat
from reference_impl.systemd_journal import loaded
from reference_impl.systemd_journal.export_format import export_entry
from reference_impl.systemd_journal.objects import FIELD_NAME
from reference_impl.systemd_journal.reader import read_data
from walproof.cli.context import context_of
from walproof.cli.opening import log_in, logs_of, source_of
from walproof.cli.output import EXIT_STATUS, must_not_overwrite, say
from walproof.cli.stopping import stoppable
from walproof.extras import advice
from walproof.formats.systemd_journal.system_folder import read_merged
from walproof.lake.recognition import recognise_log
from walproof.quantity import counted
from walproof.systems import recognise

SYSTEMD = "systemd-journal"
NOT_A_JOURNAL = "the Journal Export Format is that of systemd's journal files; say --parquet OUT"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@click.command()
@click.argument("log", metavar="PATH")
@click.argument("matches", metavar="[FIELD=VALUE | PATH]...", nargs=-1)
@click.option("-S", "--since", metavar="TIME", help="Only entries at or after this time.")
@click.option("--from-seqnum", metavar="N", type=click.IntRange(0), help="Only from this one on.")
@click.option(
    "--parquet",
    "out",
    metavar="OUT",
    type=click.Path(path_type=Path),
    help="Write this Parquet file instead, from a log of any format; or this folder of tables, from"
    " several logs.",
)
@click.option("--format", "format_id", metavar="ID", help="Format id; detected if not given.")
@click.option(
    "--context",
    "context_items",
    metavar="KEY=VALUE",
    multiple=True,
    help="What the reader is told besides the bytes; VALUE is JSON or text.",
)
@click.option(
    "--compression",
    type=click.Choice(["auto", "lz4", "zstd", "snappy", "none"]),
    default="auto",
    show_default=True,
    help="Of the Parquet file: lz4 is written quickest, zstd takes least room. auto is lz4, but"
    " payloads stay as they are if a sample of them does not get smaller; for tables it is zstd.",
)
@click.option(
    "--max-payload",
    metavar="BYTES",
    type=click.IntRange(0, 1 << 30),
    default=1 << 30,
    help="Cut longer payloads in the Parquet file, and mark them.",
)
@click.option(
    "--no-payload",
    "is_bare",
    is_flag=True,
    help="Leave payloads out of the Parquet file: where records lie, and their fields.",
)
@click.option("--decode", "is_decoded", is_flag=True, help="Add what each record means, typed.")
def export(
    log: str,
    matches: tuple[str, ...],
    since: str | None,
    from_seqnum: int | None,
    out: Path | None,
    format_id: str | None,
    context_items: tuple[str, ...],
    compression: str,
    max_payload: int,
    is_bare: bool,
    is_decoded: bool,
) -> int:
    """Print systemd journals in the Journal Export Format, or write any log as Parquet.

    Without --parquet, it prints what journalctl -o export prints for the same file, but sorts the
    fields of each entry. The journals of a folder are merged as journalctl -D merges them. From a
    damaged file it prints all that survives, and lists on standard error what is lost.

    With --parquet, it writes a row for each record and each lost range, in the columns of the Spark
    data source, and puts the verdict into the metadata of the file. Memory stays bounded, and the
    file appears only when it is complete. Payloads of which a sample, from the first 32 MiB, does
    not get smaller are not compressed, and the last line says so. --decode adds its struct decoded:
    write batches, commands of a broker, records of Zeebe.

    Given several paths, or a folder of logs, --parquet writes a new folder with the tables of
    walproof audit: records, damage and files. Folders are searched to the bottom, and all cores
    read. There --decode adds what each record means as a line of text.

    Matches work as in journalctl: given two values of one field, either will do; given two fields,
    both must match. TIME is 2023-11-14 or "2023-11-14 22:13:20", both in UTC, or @ and the seconds
    since 1970, which may have a fraction.

    \b
    walproof export /var/log/journal > all.export
    walproof export system.journal | systemd-journal-remote --output=copy.journal -
    walproof export broken.journal | walproof systemd import --out mended.journal
    walproof export system.journal _UID=0 PRIORITY=3 PRIORITY=2 --since @1700000000
    walproof export 000003.log --parquet records.parquet --decode
    walproof export /var/lib/broker /var/log/journal --parquet tables

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    if out is not None:
        if since or from_seqnum or any("=" in path and not Path(path).exists() for path in matches):
            raise click.UsageError("matches select entries of the Journal Export Format only")
        if matches or not _is_one_log(log, format_id):
            return _tables(
                (log, *matches), out, format_id, context_items, compression, max_payload, is_bare,
                is_decoded,
            )  # fmt: skip
        return _parquet(
            log, out, format_id, context_items, compression, max_payload, is_bare, is_decoded
        )
    selection = _selection(matches, since, from_seqnum)
    if is_decoded or is_bare:
        raise click.UsageError(f"--{'decode' if is_decoded else 'no-payload'} needs --parquet OUT")
    if format_id not in (None, "systemd-journal") or context_items:
        raise click.UsageError(NOT_A_JOURNAL)
    with source_of(log, format_id) as source:
        if not source.path.is_dir():
            with loaded(source.path) as data:
                return _entries(f"{log}{source.came}", read_data(data, "recover", selection))
        system = recognise(source.path, format_id)
        if system is not None and system.format != SYSTEMD:
            raise click.UsageError(NOT_A_JOURNAL)
        if system is not None:
            found = log_in(source, format_id)
            return _entries(found.name, found.events("recover", selection))
        with logs_of(source, SYSTEMD) as paths:
            say(f"{source.typed}: {counted(len(paths), 'journal file')} below it", err=True)
            return _entries(source.typed, read_merged(paths, "recover", selection))


def _selection(
    matches: tuple[str, ...], since: str | None, from_seqnum: int | None
) -> dict[str, Any]:
    """The entries to select, as the reader is told."""
    for match in matches:
        if not FIELD_NAME.fullmatch(match.partition("=")[0].encode()) or "=" not in match:
            raise click.UsageError(f"expected FIELD=VALUE, found {match!r}")
    selection: dict[str, Any] = {"match": list(matches)} if matches else {}
    if since is not None:
        selection["from_realtime"] = str(microseconds(since))
    if from_seqnum is not None:
        selection["from_seqnum"] = str(from_seqnum)
    return selection


def _parquet(
    log: str,
    out: Path,
    format_id: str | None,
    context_items: tuple[str, ...],
    compression: str,
    max_payload: int,
    is_bare: bool,
    is_decoded: bool,
) -> int:
    try:
        from walproof.scan.log import Log
        from walproof.tables.parquet import to_parquet
    except ModuleNotFoundError as error:
        raise click.ClickException(f"--parquet {advice(error) or error}") from None
    try:
        with source_of(log, format_id) as source:
            found = log_in(source, format_id)
            if found.logs_apart is not None:
                raise UnknownFormat(f"{log}: expected one log; unpack it to export tables of all")
            if out.is_dir():
                raise click.UsageError(f"--parquet {out} is a folder: a log becomes a file")
            must_not_overwrite(found.path, out, "--parquet")
            format = found.format
            context = context_of(context_items, format.id)
            done = to_parquet(
                Log(found.path, context), format.id, out, compression, max_payload,
                is_decoded=is_decoded, has_payloads=not is_bare,
            )  # fmt: skip
    except ValueError as error:  # a --context that the format does not understand
        raise click.ClickException(str(error)) from None
    end: End = done.end
    why = f" ({end.reason})" if end.reason else ""
    say(
        f"{out}: {format.id}, {end.verdict}{why}, {counted(done.records, 'record')},"
        f" {counted(done.lost, 'lost range')}"
        f"{'; payloads are not compressed' if done.is_stored else ''}"
    )
    return EXIT_STATUS[end.verdict]


def _is_one_log(log: str, format_id: str | None) -> bool:
    """Whether a path is one log, and not a folder of several."""
    path = Path(log)
    if not path.is_dir():
        return True
    if (system := recognise(path, format_id)) is not None:
        return system.is_one_log
    try:
        return bool(format_id or recognise_log(path))
    except UnknownFormat:
        return False


def _tables(
    paths: tuple[str, ...],
    out: Path,
    format_id: str | None,
    context_items: tuple[str, ...],
    compression: str,
    max_payload: int,
    is_bare: bool,
    is_decoded: bool,
) -> int:
    """Write the three tables of several logs into a new folder."""
    try:
        from walproof.inventory.logs import find_logs
        from walproof.inventory.result import make_plan, run_in_pool, write_result
        from walproof.inventory.summary import exit_status, summarise
        from walproof.inventory.task import Options
        from walproof.inventory.terminal import print_summary
        from walproof.lake.options import parse
        from walproof.worker_pool import core_count
    except ModuleNotFoundError as error:
        raise click.ClickException(f"--parquet {advice(error) or error}") from None
    if context_items and format_id is None:
        raise click.UsageError("--context for several logs needs --format")
    source = parse({"lastFlushedIndex": "meta", "journalFormat": format_id or "auto"})
    contexts = dict(source.contexts)
    if format_id is not None and context_items:
        contexts[format_id] = context_of(context_items, format_id)
    source = replace(
        source, paths=paths, recursive=True, max_payload=max_payload, contexts=contexts
    )
    codec = "zstd" if compression == "auto" else compression
    options = Options(source, not is_bare, is_decoded, codec)
    if out.exists():
        raise click.UsageError(f"--parquet {out} is there already")
    with stoppable(), temporary_sibling(out) as building:
        logs = find_logs(source, str(out))
        plan = make_plan(logs, options, building / "tasks", core_count())
        result = building / "result"
        write_result(logs, plan, None, run_in_pool, result)
        summary = {"paths": list(paths), **summarise(result)}
        publish(result, out)
    print_summary(summary, Console())
    say(f"Tables {out}/records, damage, files")
    return exit_status(summary)


def _entries(log: str, events: Iterable[Event]) -> int:
    """Print the entries, say what is lost: the exit status."""
    out = sys.stdout.buffer
    status = 0
    for event in events:
        if isinstance(event, Lost):
            place = f"{event.file}: " if event.file else ""
            say(f"lost {place}{event.start}–{event.end}: {event.reason}", err=True)
        elif isinstance(event, End):
            status = EXIT_STATUS[event.verdict]
            if event.reason:
                say(f"{log}: {event.verdict} ({event.reason})", err=True)
        else:
            seqnum_id = event.fields["cursor"].partition(";")[0].removeprefix("s=")
            out.write(export_entry(event.fields, seqnum_id, event.payload))
    out.flush()
    return status


def microseconds(text: str) -> int:
    """A time as journalctl accepts it: a date, a date and a time of day, or ``@`` and seconds."""
    try:
        if text.startswith("@"):
            seconds, _, fraction = text[1:].partition(".")
            return int(seconds) * 1_000_000 + int(f"{fraction:0<6}"[:6])
        when = datetime.fromisoformat(text)
    except ValueError:
        raise click.UsageError(f"--since: no time: {text!r}") from None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return (when - EPOCH) // timedelta(microseconds=1)
