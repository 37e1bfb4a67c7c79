"""``walproof audit``: records and damage of a lake of logs, as tables."""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from walproof.audit.progress import Bar
from walproof.cli.output import say
from walproof.cli.stopping import stoppable


@click.command()
@click.argument("paths", metavar="PATH…", nargs=-1, required=True)
@click.option(
    "--out", required=True, metavar="DIR", type=click.Path(path_type=Path, file_okay=False)
)
@click.option(
    "--payload/--no-payload",
    help="Also what the records hold, or (the default) only where they are.",
)
@click.option("--decode", is_flag=True, help="Also what they mean, in a line of text.")
@click.option("--again", is_flag=True, help="Read everything, even what has not changed.")
@click.option(
    "--option",
    "given",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the data source: pathGlobFilter='*.log', journalFormat=zmq-raft,"
    " maxPayloadBytes=1m, fs.region=… .",
)
@click.option(
    "--master",
    metavar="URL",
    help="Spark master, such as spark://host:7077; `none` does without Spark, on all cores of this"
    " machine.  [default: that of spark-submit, else Spark on all cores of this machine]",
)
@click.option("--conf", "settings", multiple=True, metavar="KEY=VALUE", help="A setting for Spark.")
@click.option(
    "--unit",
    type=click.FloatRange(min=0.01),
    default=128,
    show_default=True,
    metavar="MIB",
    help="The most that one task reads, where logs can be cut.",
)
@stoppable()
def audit(
    paths: tuple[str, ...],
    out: Path,
    payload: bool,
    decode: bool,
    again: bool,
    given: tuple[str, ...],
    master: str | None,
    settings: tuple[str, ...],
    unit: float,
) -> int:
    """Take stock of a lake of logs: what is in them, what is lost, where, and why.

    PATH is a file or a folder with all its subfolders; s3:, hdfs: and the like work too. All
    formats may be mixed. Hidden names are skipped. DIR gets three tables in Parquet, for Spark,
    DuckDB, pyarrow and so on:

    \b
    DIR/records       a row for each record: file, offset, length, index, time …
    DIR/damage        a row for each lost range: file, offset, length, reason
    DIR/files         a row for each file: verdict, counts, why it could not be read
    DIR/summary.html  plots; DIR/summary.json has the same numbers

    A log that cannot be read never ends the audit. If the audit is stopped at any moment, even by
    kill -9, the previous result stays as it was, and the next run goes on from there. A later run
    reads only what is new, or has changed by name, size, time, or at either end. --again reads
    everything (a failing disk changes no times).

    \b
    walproof audit /var/log/journal /data/broker --out audit
    walproof audit /mnt/lake --out /mnt/audit --payload --master spark://head:7077
    walproof audit /data/broker --out audit --decode
    duckdb -c "select reason, count(*) from 'audit/damage/*.parquet' group by 1"

    Exit status: 0 if all logs are intact, 3 if one is torn, damaged or unreadable, 4 if none is
    but one is refused, 1 for a usage or I/O error.
    """
    if importlib.util.find_spec("pyarrow") is None:
        raise click.ClickException("an audit needs pyarrow: pip install 'walproof[fast]'")
    if master != "none" and importlib.util.find_spec("pyspark") is None:
        raise click.ClickException(
            "an audit on Spark needs pyspark: pip install 'walproof[spark]', or --master none"
        )
    from walproof.audit.engine import Engine, JobFailed, OnCores, OnSpark
    from walproof.audit.job import audit as run
    from walproof.audit.output import OutputRefused
    from walproof.audit.terminal import print_summary
    from walproof.audit.unit import Options
    from walproof.lake.options import BadOption, parse
    from walproof.spark.java import JavaMissing

    spark = _pairs("--conf", settings)
    try:
        source = parse({"lastFlushedIndex": "meta", **_pairs("--option", given)})
    except BadOption as error:
        raise click.UsageError(str(error).replace("journal: ", "--option: ", 1)) from None
    options = Options(replace(source, paths=paths, recursive=True), payload, decode)
    engine: Engine = OnCores() if master == "none" else OnSpark(master, spark)
    began = time.monotonic()
    try:
        # A handle of its own: the engine turns the common one away while Spark starts.
        with os.fdopen(os.dup(2), "w") as errors:
            bar = Bar(Console(file=errors))
            with bar:
                outcome = run(options, out, engine, int(unit * (1 << 20)), again, bar)
        taken = time.monotonic() - began
    except (OutputRefused, JobFailed, JavaMissing) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{where}{error.strerror or error}") from None
    except KeyboardInterrupt:
        say(f"Stopped: {bar.said}. Run it again to go on from here.", err=True)
        raise
    finally:
        engine.stop()
    print_summary(outcome.summary, out, outcome.is_new, Console())
    if isinstance(engine, OnSpark) and (told := start_told(engine.seconds_to_start, taken)):
        say(told, err=True)
    return exit_status(outcome.summary)


def start_told(start: float, taken: float) -> str | None:
    """What to say of an audit that mostly waited for Spark to start; both in seconds."""
    if start < taken / 2:
        return None
    return (
        f"Of {taken:.1f} s, {start:.1f} s were the start of Spark; `--master none` does without it."
    )


def exit_status(summary: Mapping[str, Any]) -> int:
    """0 intact, 3 torn, damaged or unreadable, 4 refused."""
    totals = summary["totals"]
    if totals["torn"] or totals["damaged"] or totals["unreadable"]:
        return 3
    return 4 if totals["refused"] else 0


def _pairs(option: str, texts: Iterable[str]) -> dict[str, str]:
    pairs = {}
    for text in texts:
        key, separator, value = text.partition("=")
        if not separator or not key:
            raise click.UsageError(f"{option}: expected KEY=VALUE, found {text!r}")
        pairs[key] = value
    return pairs
