"""``walproof inspect``: show each byte of a log with its field, value and rule."""

from __future__ import annotations

import click
from rich.console import Console

from conformance.kaitai.compile import GrammarError, ToolMissing
from walproof.cli.context import format_option, offset
from walproof.cli.opening import log_in, source_of
from walproof.cli.output import EXIT_STATUS
from walproof.cli.summary import about
from walproof.inspection.inspection import inspection
from walproof.inspection.log_bytes import LogBytes
from walproof.inspection.terminal import TerminalMap


@click.command()
@click.argument("log", metavar="FILE")
@format_option
@click.option(
    "--from",
    "start",
    metavar="OFFSET",
    type=offset,
    default="0",
    help="Offset of the first byte to show.",
)
@click.option(
    "--to", "end", metavar="OFFSET", type=offset, help="Offset after the last byte to show."
)
@click.option("--depth", type=click.IntRange(min=1), help="Deepest level of fields to show.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=400,
    show_default=True,
    help="Number of fields; 0 for all.",
)
def inspect(
    log: str,
    format_id: str | None,
    start: int,
    end: int | None,
    depth: int | None,
    limit: int,
) -> int:
    """Show each byte of a log with its field and rule.

    Each line has an offset, bytes, a field, its value and, if there is room, the requirements for
    it. In the margin, x marks lost ranges, ~ marks a torn tail, and = marks the offset where a
    writer may append. Fields and paths are those of the grammar in ksy/; the test vectors use the
    same paths. The map follows the stored lengths even after damage.

    \b
    walproof inspect 000003.log                        the map, first fields first
    walproof inspect 000003.log --depth 2              one line per physical record
    walproof inspect 000003.log --from 0x8000          the map from the second block

    For a folder, the command lists the logs, and you can inspect each log on its own.

    If the output is a pipe, each line has the full path of its field for use with grep. The log is
    never changed. Only the shown part of a large log is parsed.

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    if end is not None and end <= start:
        raise click.UsageError(f"--to {end} is not after --from {start}")
    try:
        with source_of(log, format_id) as source:
            if source.path.is_dir():
                return about(source, format_id, {}, all_logs=True)
            result = log_in(source, format_id)
            with LogBytes(result.path) as data:
                view = inspection(result.path, result.name, result.format, data)
                size = view.outline.size
                if start and start >= size:
                    raise click.UsageError(f"--from {start}: the log ends at {size}")
                end = size if end is None else min(end, size)
                fields = view.fields(start, end, depth)
                TerminalMap(view, Console()).print(fields, start, end, limit or None)
    except (GrammarError, ToolMissing) as error:
        raise click.ClickException(str(error)) from None
    return EXIT_STATUS[view.outline.verdict]
