"""``walproof inspect``: show each byte of a log with its field, value and rule."""

from __future__ import annotations

import click
from rich.console import Console

from conformance.kaitai.compile import GrammarError, ToolMissing
from walproof.cli.context import format_option, offset
from walproof.cli.opening import opened
from walproof.cli.output import EXIT_STATUS
from walproof.inspection.byte_map import byte_map
from walproof.inspection.terminal import TerminalMap


@click.command()
@click.argument("path", metavar="FILE")
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
    path: str,
    format_id: str | None,
    start: int,
    end: int | None,
    depth: int | None,
    limit: int,
) -> int:
    """Show each byte of a log with its field and rule.

    Each line has an offset, bytes, a field, its value and, if there is room, the requirements for
    it. In the margin, x marks lost ranges, ~ marks a torn tail, and = marks the offset where a
    writer may append. The grammar in ksy/ defines the fields and their paths, which the test
    vectors also use. Even after damage, the map follows the stored lengths.

    \b
    walproof inspect 000003.log                        the map, first fields first
    walproof inspect 000003.log --depth 2              one line per physical record
    walproof inspect 000003.log --from 0x8000          the map from the second block

    FILE is a single file. For a log that consists of several files, choose one of them.

    In a pipe, each line contains the full path of its field, for use with grep. The log is never
    changed. If a format divides logs into blocks, only the blocks to be shown are parsed. In other
    formats, only the first 16 MiB of a log are mapped.

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    if end is not None and end <= start:
        raise click.UsageError(f"--to {end} is not after --from {start}")
    try:
        with opened(path, format_id) as log, log.path.open("rb") as file:
            view = byte_map(log, file)
            size, most = view.outline.size, view.max_offset
            if start and start >= size:
                raise click.UsageError(f"--from {start}: the log ends at {size}")
            if start > most:
                raise click.UsageError(
                    f"--from {start}: of a {log.format}, only the first {most} bytes are mapped"
                )
            end = size if end is None else min(end, size)
            TerminalMap(view, Console()).print(start, end, depth, limit or None)
    except (GrammarError, ToolMissing) as error:
        raise click.ClickException(str(error)) from None
    return EXIT_STATUS[view.outline.verdict]
