"""``walproof export``: write logs in formats for other programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from conformance.saving import named_in_errors, publish, temporary_sibling
from reference_impl.answer import End
from reference_impl.formats import UnknownFormat
from walproof.cli.context import context_of, context_option, format_option
from walproof.cli.journal_query import (
    NOT_A_JOURNAL,
    JournalFilters,
    filter_options,
    journal_files,
    print_entries,
    split_words,
)
from walproof.cli.opening import opened
from walproof.cli.output import EXIT_STATUS, require_new_path, say
from walproof.cli.stopping import stoppable
from walproof.lake.recognition import recognise_log
from walproof.quantity import counted
from walproof.systems import recognise


@click.command()
@click.argument("words", metavar="PATH... [FIELD=VALUE]...", nargs=-1, required=True)
@click.option(
    "--parquet",
    "out",
    metavar="OUT",
    type=click.Path(path_type=Path),
    help="Parquet file to write for one log of any format; folder of tables for several logs.",
)
@format_option
@context_option
@click.option(
    "--compression",
    type=click.Choice(["auto", "lz4", "zstd", "snappy", "none"]),
    default="auto",
    show_default=True,
    help="Compression of the Parquet files: lz4 is fastest, zstd smallest. auto is lz4 for a file,"
    " zstd for tables.",
)
@click.option(
    "--max-payload",
    metavar="BYTES",
    type=click.IntRange(0, 1 << 30),
    default=1 << 30,
    help="Truncate longer payloads in the Parquet file, and mark them.",
)
@click.option(
    "--no-payload",
    "is_bare",
    is_flag=True,
    help="Omit payloads from the Parquet file.",
)
@click.option(
    "--decode", "is_decoded", is_flag=True, help="Add the decoded records as typed columns."
)
@filter_options(is_hidden=True)
def export(
    words: tuple[str, ...],
    out: Path | None,
    format_id: str | None,
    context_items: tuple[str, ...],
    compression: str,
    max_payload: int,
    is_bare: bool,
    is_decoded: bool,
    journal_filters: JournalFilters,
) -> int:
    """Export systemd journals as text, or any log as Parquet.

    Without --parquet, the output is identical to that of journalctl -o export since systemd 254.
    The entries of several files or of a folder are merged as by journalctl -D. Lost ranges are
    listed on standard error. The filters are those of `walproof systemd read`.

    With --parquet and one log, OUT is a file with one row for each record and each lost range. The
    columns are those of the Spark data source, and the metadata of the file contains the verdict.
    OUT appears only when it is complete. --decode adds the column decoded, a struct.

    With --parquet and several paths or a folder, OUT is a folder with the tables of walproof audit:
    records, damage and files. Subfolders are searched. In these tables, --decode adds a line of
    text that describes each record.

    \b
    walproof export /var/log/journal > all.export
    walproof export system.journal | systemd-journal-remote --output=copy.journal -
    walproof export broken.journal | walproof systemd import --out repaired.journal
    walproof export system.journal --unit ssh --since yesterday --not PRIORITY=7
    walproof export 000003.log --parquet records.parquet --decode
    walproof export /var/lib/broker /var/log/journal --parquet tables

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    if out is not None:
        if journal_filters.are_given or split_words(words)[1]:
            raise click.UsageError("filters cannot be combined with --parquet")
        require_new_path(out)
        is_one = len(words) == 1 and _is_one_log(words[0], format_id)
        write = _parquet if is_one else _tables
        return write(
            words, out, format_id, context_items, compression, max_payload, is_bare, is_decoded
        )
    if is_decoded or is_bare:
        raise click.UsageError(f"--{'decode' if is_decoded else 'no-payload'} needs --parquet OUT")
    if format_id not in (None, "systemd-journal") or context_items:
        raise click.UsageError(NOT_A_JOURNAL)
    typed, matches = split_words(words)
    query = journal_filters.query(matches)
    with journal_files(typed, format_id) as paths:
        return print_entries(paths, " ".join(typed), query, "export")


def _parquet(
    paths: tuple[str, ...],
    out: Path,
    format_id: str | None,
    context_items: tuple[str, ...],
    compression: str,
    max_payload: int,
    is_bare: bool,
    is_decoded: bool,
) -> int:
    from walproof.scan.log import Log
    from walproof.tables.parquet import to_parquet

    with opened(paths[0], format_id) as log:
        if log.logs_apart is not None:
            raise UnknownFormat(f"{paths[0]}: expected one log; unpack it to export tables of all")
        format = log.format
        context = context_of(context_items, format.id)
        done = to_parquet(
            Log(log.path, context), format.id, out,
            "lz4" if compression == "auto" else compression, max_payload,
            is_decoded=is_decoded, has_payloads=not is_bare,
            name=log.source.typed if log.source.is_copy else None,
        )  # fmt: skip
    end: End = done.end
    why = f" ({end.reason})" if end.reason else ""
    say(
        f"{out}: {format.id}, {end.verdict}{why}, {counted(done.records, 'record')},"
        f" {counted(done.lost, 'lost range')}"
    )
    return EXIT_STATUS[end.verdict]


def _is_one_log(log: str, format_id: str | None) -> bool:
    path = Path(log)
    if not path.is_dir():
        return True
    if (system := recognise(path, format_id)) is not None:
        return system.is_one_log
    if format_id is not None:
        from walproof.lake.discovery import find
        from walproof.lake.options import Options
        from walproof.lake.trees import absolute

        found = find(Options(paths=(log,), format=format_id, recursive=True))
        return not found or any(each.path == absolute(log) for each in found)
    try:
        return bool(recognise_log(path))
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
    """Write the three tables of several logs to a new folder."""
    from walproof.inventory.logs import find_logs
    from walproof.inventory.report import print_summary
    from walproof.inventory.result import make_plan, run_in_pool, write_result
    from walproof.inventory.schemas import TableOptions
    from walproof.inventory.summary import exit_status, summarise
    from walproof.lake.options import Options
    from walproof.worker_pool import core_count

    if context_items and format_id is None:
        raise click.UsageError("--context for several logs needs --format")
    source = Options.parse({"lastFlushedIndex": "meta", "journalFormat": format_id or "auto"})
    contexts = dict(source.contexts)
    if format_id is not None and context_items:
        contexts[format_id] = context_of(context_items, format_id)
    source = replace(
        source, paths=paths, recursive=True, max_payload=max_payload, contexts=contexts
    )
    codec = "zstd" if compression == "auto" else compression
    options = TableOptions(source, not is_bare, is_decoded, codec)
    with stoppable(), named_in_errors(out), temporary_sibling(out) as building:
        logs = find_logs(source, str(out))
        plan = make_plan(logs, options, building / "tasks", core_count())
        result = building / "result"
        write_result(logs, plan, run_in_pool, result)
        summary = {"paths": list(paths), **summarise(result)}
        publish(result, out)
    print_summary(summary, Console())
    say(f"Tables {out}/records, damage, files")
    return exit_status(summary)
