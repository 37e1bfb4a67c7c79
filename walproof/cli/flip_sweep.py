"""The bit-flip search of ``walproof sweep --flips``: search, report, save the chapter's table."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from conformance.saving import save
from conformance.traceability.write_tables import write_tables
from conformance.undetected_flips import FOLDER, text_of
from conformance.vectors import BrokenVector, load_all
from reference_impl.paths import SPEC
from walproof.cli.checkout import must_be_checkout
from walproof.cli.context import context_of
from walproof.cli.output import say, say_json
from walproof.progress import progress_bar
from walproof.sweep import flip_report, flips


def flip_sweep(
    format: str,
    patterns: Sequence[str],
    paths: Sequence[Path],
    context_items: Sequence[str],
    bits_at_most: int,
    is_saved: bool,
    as_json: bool,
) -> int:
    """Run the search with the given options; return the exit status."""
    if is_saved:
        must_be_checkout("sweep --flips --save", "writes the chapter's table")
    if is_saved and (paths or patterns):
        raise click.UsageError("--save is for a search of all vectors of a format")
    if context_items and not paths:
        raise click.UsageError("--context is for a LOG; vectors have a context of their own")
    started = time.monotonic()
    try:
        if paths:
            context = context_of(context_items, format)
            chosen = [flips.flipped_log_at(path, format, context, bits_at_most) for path in paths]
        else:
            chosen = flips.choose_logs(load_all(), format, patterns, bits_at_most)
        if not chosen:
            raise click.ClickException(f"no intact vector of {format} fits")
        stretches = _run(chosen)
    except BrokenVector as error:
        raise click.ClickException(f"invalid vector: {error}") from None
    except (flips.NotIntact, flips.Disagreement) as error:
        raise click.ClickException(str(error)) from None
    searched = flip_report.totals(format, bits_at_most, chosen, stretches)
    if as_json:
        say_json(flip_report.to_json(searched, stretches), indent=1)
    else:
        flip_report.show(searched, Console(), time.monotonic() - started)
    if is_saved:
        path = SPEC / FOLDER / f"{format}.json"
        path.parent.mkdir(exist_ok=True)
        save(path, text_of(searched))
        write_tables()
        say(f"wrote {path}", err=True)
    return 3 if flip_report.problems(searched) else 0


def _run(chosen: Sequence[flips.FlippedLog]) -> list[flips.Stretch]:
    with progress_bar("flips", sum(log.count for log in chosen)) as bar:
        return flips.run_flips(chosen, flips.flip_tasks(chosen), bar.advance)
