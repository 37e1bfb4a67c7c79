"""``walproof audit``: write a table of the records and damage of many logs."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.reports.console_text import say as say_text
from walproof.cli.context import key_and_value
from walproof.cli.output import say
from walproof.quantity import counted, in_bytes, number
from walproof.verdict import VERDICT_STYLE

MAX_SHOWN_LOGS = 10

Row = Mapping[str, Any]


@click.command()
@click.argument("paths", metavar="[PATH…]", nargs=-1)
@click.option("-o", "--out", metavar="WHERE", help="Path or URL of the table, as Spark writes it.")
@click.option("--table", metavar="NAME", help="Table of a catalog instead: catalog.db.name.")
@click.option(
    "--format",
    "table_format",
    default="parquet",
    show_default=True,
    help="Any format of the Spark session: parquet, orc, json, delta …",
)
@click.option(
    "--mode",
    type=click.Choice(["errorifexists", "append", "overwrite"]),
    default="errorifexists",
    show_default=True,
    help="What Spark does if the table exists.",
)
@click.option(
    "--partition-by",
    type=click.Choice(["kind", "day"]),
    multiple=True,
    default=["kind"],
    show_default=True,
    help="Folders of the table. A day is that of the record, or of the last change of the log.",
)
@click.option(
    "--payload/--no-payload",
    help="Payloads of the records as well; by default, only positions.",
)
@click.option(
    "--incremental", is_flag=True, help="Read only what was added to the logs since the last run."
)
@click.option(
    "--checkpoint",
    metavar="WHERE",
    help="State of an incremental audit.  [default: WHERE/_checkpoint]",
)
@click.option(
    "--page",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="HTML page with plots.",
)
@click.option(
    "--option",
    "given",
    multiple=True,
    metavar="KEY=VALUE",
    help="Option of the data source: pathGlobFilter='*.log', journalFormat=zmq-raft,"
    " maxPayloadBytes=1m, fs.region=… .",
)
@click.option(
    "--master",
    metavar="URL",
    help="Spark master, such as spark://host:7077.  [default: that of spark-submit, else Spark on"
    " all cores of this machine]",
)
@click.option("--conf", "settings", multiple=True, metavar="KEY=VALUE", help="Spark setting.")
def audit(
    paths: tuple[str, ...],
    out: str | None,
    table: str | None,
    table_format: str,
    mode: str,
    partition_by: tuple[str, ...],
    payload: bool,
    incremental: bool,
    checkpoint: str | None,
    page: Path | None,
    given: tuple[str, ...],
    master: str | None,
    settings: tuple[str, ...],
) -> int:
    """Write a table of the records and damage of many logs.

    PATH is a file, a folder with its subfolders, or a URL, for example with s3: or hdfs:. The logs
    may have different formats. Hidden files are skipped. Spark reads the logs and writes one table,
    with a row for each record, lost range and log:

    \b
    WHERE/kind=record   file, offset, length, index, time …
    WHERE/kind=lost     file, offset, length, reason
    WHERE/kind=log      log, format, verdict, records, lost_bytes …

    An unreadable log does not stop the audit. Without PATH, the summary and the page describe an
    existing table. Without Java, walproof export writes the same rows.

    \b
    walproof audit /var/log/journal /data/broker --out audit --page audit.html
    walproof audit /mnt/lake --table lake.ops.logs --incremental --checkpoint /mnt/checkpoint
    duckdb -c "select reason, count(*) from 'audit/kind=lost/*.parquet' group by 1"

    Exit status: 0 if all logs are intact, 3 if a log is torn, damaged or unreadable, 4 if a log is
    refused and none is torn, damaged or unreadable, 1 for a usage or I/O error.
    """
    for package in ("pyarrow", "pyspark", *(["matplotlib"] if page else [])):
        if importlib.util.find_spec(package) is None:
            raise ModuleNotFoundError(f"no {package}", name=package)
    if (out is None) == (table is None):
        raise click.UsageError("expected either --out or --table")
    if incremental and mode == "overwrite":
        raise click.UsageError("--incremental appends: remove --mode overwrite")
    checkpoint = checkpoint or (f"{out.rstrip('/')}/_checkpoint" if out else None)
    if incremental and checkpoint is None:
        raise click.UsageError("--incremental with --table needs --checkpoint")
    if out is not None and any(_is_below(out, path) for path in paths):
        raise click.UsageError(f"{out} is inside the logs: choose another --out")
    from pyspark_journal import audit as job
    from pyspark_journal.errors import advice
    from pyspark_journal.options import Options
    from pyspark_journal.session import DidNotStart, redirect_jvm_output, session
    from walproof.lake.options import BadOption

    spark_settings = dict(key_and_value("--conf", each) for each in settings)
    options = job.source_options(paths, dict(key_and_value("--option", each) for each in given))
    try:
        Options.parse(options)
    except BadOption as error:
        raise click.UsageError(str(error).replace("journal: ", "--option: ", 1)) from None
    target = job.Target(out, table, table_format, mode, partition_by)
    try:
        # Keep the file open while the JVM runs.
        with tempfile.TemporaryFile() as output:
            with redirect_jvm_output(output):
                spark = session("walproof audit", master, {**QUIET, **spark_settings})
            try:
                if incremental and paths and checkpoint:
                    job.write_new(spark, options, target, checkpoint, payload)
                elif paths:
                    job.write(spark, options, target, payload)
                rows = target.read(spark)
                logs = job.logs(rows).cache()
                verdicts = [row.asDict() for row in job.by_verdict(logs).collect()]
                of_reasons = job.losses(rows, "reason", "verdict", "format").collect()
                reasons = [row.asDict() for row in of_reasons]
                worst = [row.asDict() for row in job.worst(logs, MAX_SHOWN_LOGS).collect()]
                if page is not None:
                    from pyspark_journal.page import write_page

                    write_page(page, rows, logs)
            finally:
                spark.stop()
    except DidNotStart as error:
        raise click.ClickException(str(error)) from None
    except Exception as error:
        raise click.ClickException(advice(error)) from error
    print_summary(verdicts, reasons, worst, Console())
    say(f"Table {table or out}" + (f"; page {page}" if page else ""))
    return exit_status(verdicts)


# Spark must not print failures, because the command prints each failure on one line.
QUIET = {"spark.log.level": "FATAL"}


def _is_below(out: str, path: str) -> bool:
    if "://" in out or "://" in path:
        return f"{out}/".startswith(f"{path.rstrip('/')}/")
    return Path(os.path.abspath(out)).is_relative_to(os.path.abspath(path))  # noqa: PTH100


def print_summary(
    verdicts: Sequence[Row], reasons: Sequence[Row], worst: Sequence[Row], console: Console
) -> None:
    """Print the number of logs by format and verdict, the reason codes, and the worst logs."""
    known = [row for row in verdicts if row["format"]]
    _print_table(
        console,
        ("format", "verdict", "logs", "size", "records", "lost"),
        [
            (
                row["format"], _verdict(row["verdict"]), number(row["logs"]), in_bytes(row["size"]),
                number(row["records"]), in_bytes(row["lost_bytes"]),
            )
            for row in known
        ],
    )  # fmt: skip
    _print_table(
        console,
        ("reason", "verdict", "format", "ranges", "lost", "logs"),
        [
            (
                row["reason"], _verdict(row["verdict"]), row["format"], number(row["ranges"]),
                in_bytes(row["lost_bytes"]), number(row["logs"]),
            )
            for row in reasons
        ],
    )  # fmt: skip
    for row in worst:
        if row["format"] or row["verdict"] is None:
            lost = f"{in_bytes(row['lost_bytes'])} of {in_bytes(row['size'])} lost"
            what = f"{row['log']}: {row['reason']}, {lost}" if row["verdict"] else row["detail"]
            say_text(Text.assemble(_verdict(row["verdict"]), f"  {what}"), console)
    other = sum(row["logs"] for row in verdicts if not row["format"] and row["verdict"])
    if other:
        noun = "file is not a log" if other == 1 else "files are not logs"
        say_text(Text(f"{number(other)} {noun} of a known format.", style="dim"), console)
    say_text(_conclusion(verdicts), console)


def _verdict(verdict: str | None) -> Text:
    return Text(verdict or "unreadable", style=VERDICT_STYLE[verdict or "damaged"])


def _print_table(console: Console, heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    if not rows:
        return
    table = Table(box=None, pad_edge=False)
    for head, cell in zip(heads, rows[0], strict=True):
        is_number = isinstance(cell, str) and cell[:1].isdigit()
        table.add_column(head, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    console.print()


def _conclusion(verdicts: Sequence[Row]) -> Text:
    known = [row for row in verdicts if row["format"]]
    logs, records = (sum(row[name] for row in known) for name in ("logs", "records"))
    text = Text(f"{counted(logs, 'log')}, {counted(records, 'record')}: ")
    counts = {name: _count(verdicts, name) for name in (None, "damaged", "torn", "refused")}
    bad = [
        Text(f"{number(count)} {name or 'unreadable'}", VERDICT_STYLE[name or "damaged"])
        for name, count in counts.items()
        if count
    ]
    if not bad:
        return text.append("all intact." if logs else "no logs found.")
    text.append(Text(", ").join(bad))
    return text.append(f"; {in_bytes(sum(row['lost_bytes'] for row in known))} lost.")


def _count(verdicts: Sequence[Row], verdict: str | None) -> int:
    """Return the number of logs. A file of unknown format counts only if it is unreadable."""
    return sum(
        row["logs"]
        for row in verdicts
        if row["verdict"] == verdict and (row["format"] or verdict is None)
    )


def exit_status(verdicts: Sequence[Row]) -> int:
    """Return 3 if a log is torn, damaged or unreadable, 4 if a log is refused, or 0."""
    if any(_count(verdicts, verdict) for verdict in (None, "damaged", "torn")):
        return 3
    return 4 if _count(verdicts, "refused") else 0
