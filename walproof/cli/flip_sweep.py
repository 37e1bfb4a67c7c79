"""Run the bit-flip search of ``walproof sweep --flips``, report the flips, and save the table."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import click
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from conformance import undetected_flips
from conformance.saving import save
from conformance.traceability.write_tables import write_tables
from conformance.vectors import load_all
from reference_impl.paths import SPEC
from reference_impl.register import registers
from walproof.cli.checkout import must_be_checkout
from walproof.cli.output import say, say_json
from walproof.progress import progress_bar
from walproof.quantity import counted
from walproof.sweep import flips
from walproof.sweep.flips import FlippedLog, FlipResults


def flip_sweep(
    format: str,
    patterns: Sequence[str],
    bits_at_most: int,
    is_saved: bool,
    as_json: bool,
    shows_cost: bool,
) -> int:
    """Run the search with the given options, and return the exit status."""
    if is_saved:
        must_be_checkout("sweep --flips --save", "writes the chapter's table")
    if is_saved and (patterns or shows_cost):
        raise click.UsageError("--save is for a search of all vectors of a format")
    try:
        logs = flips.choose_logs(load_all(), format, patterns, bits_at_most)
        if shows_cost and not patterns:
            logs = logs and [max(logs, key=lambda log: log.record_count)]
        if not logs:
            raise click.ClickException(f"no intact vector of {format} fits")
        with progress_bar("flips", sum(log.count for log in logs)) as bar:
            stretches = flips.run_flips(logs, flips.flip_tasks(logs), bar.advance)
    except flips.ProfilesDisagree as error:
        raise click.ClickException(str(error)) from None
    if shows_cost:
        _show_costs(logs, stretches)
        return 0
    searched = flips.totals(format, bits_at_most, logs, stretches)
    register = registers()[format]
    hits = undetected_flips.hits_in(searched["logs"].values())
    problems = [
        f"unexplained: {count:,} flips of {field} have the effect {effect}"
        for (field, effect), count in sorted(hits.items())
        if not undetected_flips.explained_by((field, effect), register.unseen)
    ]
    if as_json:
        undetected = [
            {
                "log": stretch.log,
                **({"file": flip.file} if flip.file else {}),
                "at": flip.at,
                "bit": flip.bit,
                "field": flip.path,
                "effect": flip.effect,
            }
            for stretch in stretches
            for flip in stretch.undetected
        ]
        say_json({**searched, "flips": undetected, "problems": problems}, indent=1)
    else:
        console = Console()
        console.print(Markdown(undetected_flips.table(register, searched)))
        for problem in problems:
            console.print(problem, style="bold red", highlight=False, markup=False)
    if is_saved:
        path = SPEC / undetected_flips.FOLDER / f"{format}.json"
        path.parent.mkdir(exist_ok=True)
        save(path, undetected_flips.text_of(searched))
        write_tables()
        say(f"wrote {path}", err=True)
    return 3 if problems else 0


def _show_costs(logs: Sequence[FlippedLog], stretches: Sequence[FlipResults]) -> None:
    """Print how many records a flip costs in each field of each log."""
    console = Console()
    for log in logs:
        costs: defaultdict[str, Counter[int]] = defaultdict(Counter)
        for stretch in stretches:
            if stretch.log == log.control.id:
                for (field, cost), count in stretch.costs.items():
                    costs[field][cost] += count
        console.print(f"{log.control.id}, {counted(log.record_count, 'record')}", highlight=False)
        table = Table("field", box=None, pad_edge=False)
        for head in ("flips", "cost 0", "1", "more", "from", "to"):
            table.add_column(head, justify="right")
        for field, of in [*sorted(costs.items()), ("all", sum(costs.values(), Counter()))]:
            numbers = of.total(), of[0], of[1], of.total() - of[0] - of[1], min(of), max(of)
            table.add_row(field, *(f"{n:,}" for n in numbers))
        console.print(table)
