"""``walproof inspect``: show each byte of a log with its field, value and rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from conformance.kaitai.compile import GrammarError, ToolMissing
from walproof.cli.context import format_option, offset
from walproof.cli.opening import log_in, source_of
from walproof.cli.output import EXIT_STATUS, require_new_path, say
from walproof.cli.summary import about
from walproof.inspection.inspection import Inspection, inspection
from walproof.inspection.log_bytes import LogBytes
from walproof.inspection.show import counted
from walproof.inspection.terminal import TerminalMap

TERMINAL_LIMIT = 400
PAGE_LIMIT = 20_000


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
    help=f"Number of fields; 0 for all. [default: {TERMINAL_LIMIT}, {PAGE_LIMIT} with --html]",
)
@click.option(
    "--html", "page", metavar="OUT", type=click.Path(path_type=Path), help="HTML page to write."
)
def inspect(
    log: str,
    format_id: str | None,
    start: int,
    end: int | None,
    depth: int | None,
    limit: int | None,
    page: Path | None,
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
    walproof inspect 000003.log --html map.html        a page with the same map

    For a folder, the command lists the logs, and you can inspect each log on its own.

    If the output is a pipe, each line has the full path of its field for use with grep. The log is
    never changed. Only the shown part of a large log is parsed.

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    if end is not None and end <= start:
        raise click.UsageError(f"--to {end} is not after --from {start}")
    if page is not None:
        require_new_path(page)
    try:
        with source_of(log, format_id) as source:
            if source.path.is_dir():
                return about(source, format_id, {}, all_logs=True)
            result = log_in(source, format_id)
            with LogBytes(result.path) as data:
                view = inspection(result.path, result.format, data)
                view = replace(view, path=Path(result.name))
                if page is not None:
                    _write_page(view, page, start, end, limit)
                else:
                    end = _end_of_window(view, start, end)
                    limit = TERMINAL_LIMIT if limit is None else limit or None
                    fields = view.fields(start, end, depth)
                    TerminalMap(view, Console()).print(fields, start, end, limit)
    except (GrammarError, ToolMissing) as error:
        raise click.ClickException(str(error)) from None
    return EXIT_STATUS[view.outline.verdict]


def _write_page(
    view: Inspection, page: Path, start: int, end: int | None, limit: int | None
) -> None:
    from walproof.inspection.page import Page  # loads the template engine

    end = _end_of_window(view, start, end)
    written = Page(view, start, end, PAGE_LIMIT if limit is None else limit or None)
    written.write(page)
    shown = f"{written.end - start} of {counted(view.outline.size, 'byte')}"
    say(f"{page}: {view.outline.verdict}, {shown}, {counted(written.fields, 'field')}")
    if written.end < end:
        say(f"--from {written.end} continues from there; --limit 0 shows everything.")


def _end_of_window(view: Inspection, start: int, end: int | None) -> int:
    size = view.outline.size
    if start and start >= size:
        raise click.UsageError(f"--from {start}: the log ends at {size}")
    return size if end is None else min(end, size)
