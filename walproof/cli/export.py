"""``walproof export``: write the records and the damage of logs as Parquet files."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from conformance.saving import named_in_errors, publish, temporary_sibling
from walproof.cli.audit import exit_status, print_summary
from walproof.cli.context import context_of, context_option, format_option
from walproof.cli.opening import errors_of, opened
from walproof.cli.output import require_new_path, say


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "-o", "--out", "--parquet", metavar="DIR", type=click.Path(path_type=Path), required=True,
    help="New folder for the Parquet files.",
)  # fmt: skip
@format_option
@context_option
@click.option(
    "--no-payload", "is_bare", is_flag=True, help="Omit the payloads of records from the files."
)
def export(
    paths: tuple[str, ...],
    out: Path,
    format_id: str | None,
    context_items: tuple[str, ...],
    is_bare: bool,
) -> int:
    """Export logs of any format as Parquet files.

    DIR becomes a folder with the same rows and columns as in walproof audit: kind=record, kind=lost
    and kind=log. A PATH may be a log or a folder; subfolders are searched.

    \b
    walproof export 000003.log --out tables
    walproof export /var/lib/broker /var/log/journal --out tables

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    if context_items and format_id is None:
        raise click.UsageError("--context needs --format")
    require_new_path(out)
    from walproof.lake.discovery import find
    from walproof.lake.options import Options
    from walproof.parquet_export import by_verdict
    from walproof.parquet_export import export as write

    with contextlib.ExitStack() as stack:
        found, originals = [], {}
        for path in paths:
            if "://" in path:
                found.append(path)
                continue
            if Path(path).is_dir() or (len(paths) > 1 and Path(path).is_file()):
                stack.enter_context(errors_of(path))
                found.append(path)
                continue
            log = stack.enter_context(opened(path, format_id))
            found.append(str(log.path))
            if log.is_copy:
                originals[found[-1]] = path if path == "-" else os.path.abspath(path)  # noqa: PTH100
        source = Options.parse({"lastFlushedIndex": "meta", "journalFormat": format_id or "auto"})
        if format_id and context_items:
            contexts = {**source.contexts, format_id: context_of(context_items, format_id)}
            source = replace(source, contexts=contexts)
        source = replace(source, paths=tuple(found), recursive=True, max_payload=1 << 30)
        logs = [replace(log, original=originals.get(log.path)) for log in find(source)]
        with named_in_errors(out), temporary_sibling(out) as building:
            result = building / "result"
            write(logs, source, result, not is_bare)
            verdicts = by_verdict(result)
            publish(result, out)
    print_summary(verdicts, [], [], Console())
    say(f"Rows {out}/kind=record, kind=lost, kind=log")
    return exit_status(verdicts)
