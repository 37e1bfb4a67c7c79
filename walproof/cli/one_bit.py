"""``walproof one-bit``: which flips of one bit lose or change a record, and nothing tells."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from conformance.saving import save
from conformance.traceability.write_tables import write_tables
from conformance.unseen import FOLDER, text_of
from conformance.vectors import BrokenVector, load_all
from reference_impl.formats import FORMATS
from reference_impl.places import SPEC
from walproof.cli.checkout import must_be_checkout
from walproof.cli.context import context_of
from walproof.cli.output import say, say_json
from walproof.onebit import logs, terminal, totals
from walproof.onebit.run import run, tasks
from walproof.onebit.search import Disagreement, Stretch
from walproof.spark.java import JavaMissing


@click.command("one-bit")
@click.argument("paths", metavar="[LOG]...", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--format", "format", required=True, type=click.Choice(sorted(FORMATS)))
@click.option("--control", "patterns", multiple=True, metavar="GLOB",
              help="Vectors to search. [default: all that are intact and undamaged]")  # fmt: skip
@click.option("--at-most", type=click.IntRange(1), default=logs.AT_MOST, show_default=True,
              metavar="N", help="Flips of one log: of a larger one a sample. An eighth above 64 KiB"
              " or 256 records.")  # fmt: skip
@click.option("--context", "context_items", metavar="KEY=VALUE", multiple=True,
              help="What the reader of LOG is told; VALUE is JSON or text.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1), metavar="N",
              help="Processes. [default: one for each core]")  # fmt: skip
@click.option("--master", metavar="MASTER",
              help="Spark's master. [default: this machine, without Spark]")  # fmt: skip
@click.option("--save", "is_saved", is_flag=True,
              help="Write spec/one-bit/FORMAT.json, and the tables of the chapter.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print everything, each flip too, as JSON.")
def one_bit(
    paths: tuple[Path, ...],
    format: str,
    patterns: tuple[str, ...],
    at_most: int,
    context_items: tuple[str, ...],
    jobs: int | None,
    master: str | None,
    is_saved: bool,
    as_json: bool,
) -> int:
    """Flip every bit of undamaged logs, one at a time: which flips does nothing tell?

    A flip is listed if the log is still `intact` and its records are not what they were: one is
    gone, changed or invented, the order is another, or a value beside the payload is. The
    executable specification reads each flip, in both profiles if it is listed; logs of many records
    are read by the scanner first. Each is a limit of the format, which the register of the format
    explains, or a rule is missing.

    \b
    walproof one-bit --format zmq-raft
    walproof one-bit --format leveldb-log --control three-records --json | jq .flips
    walproof one-bit --format zeebe-journal ~/raft-partition/partitions/1
    walproof one-bit --format systemd-journal --at-most 1000000 --master spark://host:7077

    LOG is a log of yours, a file or a folder; without one, vectors are searched. They are never
    changed: what is flipped is a copy.

    Exit status: 0 if the register explains all that was found, 3 if not, 1 for a usage or I/O
    error.
    """
    if is_saved:
        must_be_checkout("one-bit --save", "writes the chapter's table")
    if is_saved and (paths or patterns):
        raise click.UsageError("--save is for a search of all vectors of a format")
    if context_items and not paths:
        raise click.UsageError("--context is for a LOG; vectors have a context of their own")
    started = time.monotonic()
    try:
        if paths:
            context = context_of(context_items, format)
            chosen = [logs.from_path(path, format, context, at_most) for path in paths]
        else:
            chosen = logs.choose(load_all(), format, patterns, at_most)
        if not chosen:
            raise click.ClickException(f"no undamaged vector of {format} fits")
        stretches = _run(chosen, master, jobs)
    except BrokenVector as error:
        raise click.ClickException(f"a vector of ours is broken: {error}") from None
    except (logs.NotIntact, Disagreement, JavaMissing) as error:
        raise click.ClickException(str(error)) from None
    found = totals.totals(format, at_most, chosen, stretches)
    if as_json:
        say_json(totals.to_json(found, stretches), indent=1)
    else:
        terminal.show(found, Console(), time.monotonic() - started)
    if is_saved:
        path = SPEC / FOLDER / f"{format}.json"
        path.parent.mkdir(exist_ok=True)
        save(path, text_of(found))
        write_tables()
        say(f"wrote {path}", err=True)
    return 3 if totals.problems(found) else 0


def _run(chosen: Sequence[logs.Searched], master: str | None, jobs: int | None) -> list[Stretch]:
    with Progress(
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
        console=Console(stderr=True), transient=True,
        auto_refresh=False,  # a thread of its own would be in the way of a fork
    ) as bar:  # fmt: skip
        task = bar.add_task("flips", total=sum(log.count for log in chosen))

        def progress(count: int) -> None:
            bar.update(task, advance=count, refresh=True)

        return run(chosen, tasks(chosen), master, jobs, progress)
