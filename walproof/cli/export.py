"""``walproof export``: write logs in formats for other programs."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from conformance.saving import named_in_errors, publish, temporary_sibling
from walproof.cli.context import context_of, context_option, format_option
from walproof.cli.journal_query import (
    NOT_A_JOURNAL,
    JournalFilters,
    filter_options,
    journal_files,
    print_entries,
    split_words,
)
from walproof.cli.opening import log_in, source_of
from walproof.cli.output import require_new_path, say
from walproof.cli.stopping import stoppable


@click.command()
@click.argument("words", metavar="PATH... [FIELD=VALUE]...", nargs=-1, required=True)
@click.option(
    "--parquet", "out", metavar="DIR", type=click.Path(path_type=Path),
    help="New folder for tables of logs of any format.",
)  # fmt: skip
@format_option
@context_option
@click.option(
    "--no-payload", "is_bare", is_flag=True, help="Omit the payloads of records from the tables."
)
@click.option("--decode", "is_decoded", is_flag=True, help="Add the decoded records to the tables.")
@filter_options(is_hidden=True)
def export(
    words: tuple[str, ...],
    out: Path | None,
    format_id: str | None,
    context_items: tuple[str, ...],
    is_bare: bool,
    is_decoded: bool,
    journal_filters: JournalFilters,
) -> int:
    """Export systemd journals as text, or any log as Parquet.

    Without --parquet, the output is identical to that of journalctl -o export since systemd 254.
    The entries of several files or of a folder are merged as by journalctl -D. Lost ranges are
    listed on standard error. The filters are those of `walproof systemd read`.

    With --parquet, DIR becomes a folder with the tables of walproof audit: records, damage and
    files. A PATH may be a log or a folder, also packed; subfolders are searched. --decode adds the
    column decoded to records, a struct with a field for each format, or that of --format.

    \b
    walproof export /var/log/journal > all.export
    walproof export system.journal | systemd-journal-remote --output=copy.journal -
    walproof export broken.journal | walproof systemd import --out repaired.journal
    walproof export system.journal --unit ssh --since yesterday --not PRIORITY=7
    walproof export 000003.log --parquet tables --decode
    walproof export /var/lib/broker /var/log/journal --parquet tables

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    if out is not None:
        if journal_filters.are_given or split_words(words)[1]:
            raise click.UsageError("filters cannot be combined with --parquet")
        if context_items and format_id is None:
            raise click.UsageError("--context with --parquet needs --format")
        require_new_path(out)
        return _tables(words, out, format_id, context_items, is_bare, is_decoded)
    if is_decoded or is_bare:
        raise click.UsageError(f"--{'decode' if is_decoded else 'no-payload'} needs --parquet DIR")
    if format_id not in (None, "systemd-journal") or context_items:
        raise click.UsageError(NOT_A_JOURNAL)
    typed, matches = split_words(words)
    query = journal_filters.query(matches)
    with journal_files(typed, format_id) as paths:
        return print_entries(paths, " ".join(typed), query, "export")


def _tables(
    paths: tuple[str, ...],
    out: Path,
    format_id: str | None,
    context_items: tuple[str, ...],
    is_bare: bool,
    is_decoded: bool,
) -> int:
    from walproof.inventory.logs import find_logs
    from walproof.inventory.report import print_summary
    from walproof.inventory.result import make_plan, run_in_pool, write_result
    from walproof.inventory.schemas import TableOptions
    from walproof.inventory.summary import exit_status, summarise
    from walproof.lake.options import Options
    from walproof.lake.trees import absolute
    from walproof.worker_pool import core_count

    with contextlib.ExitStack() as stack:
        found, originals = [], {}
        for path in paths:
            if "://" in path:
                found.append(path)
                continue
            opened = stack.enter_context(source_of(path, format_id))
            if len(paths) == 1 and not opened.path.is_dir():
                opened = log_in(opened, format_id).source
            found.append(str(opened.path))
            if opened.is_copy:
                originals[absolute(found[-1])] = "-" if path == "-" else absolute(opened.typed)
        source = Options.parse({"lastFlushedIndex": "meta", "journalFormat": format_id or "auto"})
        if format_id and context_items:
            contexts = {**source.contexts, format_id: context_of(context_items, format_id)}
            source = replace(source, contexts=contexts)
        source = replace(source, paths=tuple(found), recursive=True, max_payload=1 << 30)
        options = TableOptions(source, not is_bare, is_decoded)
        with stoppable(), named_in_errors(out), temporary_sibling(out) as building:
            logs = find_logs(source, str(out), originals)
            plan = make_plan(logs, options, building / "tasks", core_count())
            result = building / "result"
            write_result(logs, plan, run_in_pool, result)
            summary = {"paths": list(paths), **summarise(result)}
            publish(result, out)
    print_summary(summary, Console())
    say(f"Tables {out}/records, damage, files")
    return exit_status(summary)
