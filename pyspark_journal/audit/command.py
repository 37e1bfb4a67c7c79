"""``walproof audit``: records and damage of a lake of logs, as tables."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from conformance import __version__
from pyspark_journal.audit.progress import Bar
from reference_impl.formats import FORMATS


@click.command()
@click.argument("paths", metavar="PATH…", nargs=-1, required=True)
@click.option(
    "--out", required=True, metavar="DIR", type=click.Path(path_type=Path, file_okay=False)
)
@click.option(
    "--payload/--no-payload", help="Also what the records hold (default: where they are)."
)
@click.option(
    "--max-payload", default=64, show_default=True, metavar="MIB", help="Cut longer ones."
)
@click.option(
    "--format",
    "format_id",
    type=click.Choice(list(FORMATS)),
    metavar="ID",
    help="Read every file as this format; told from the bytes when not given.",
)
@click.option("--again", is_flag=True, help="Read everything, also what has not changed.")
@click.option(
    "--master",
    metavar="URL",
    help="Spark master, such as spark://host:7077; `none` does without Spark.  [default: that of"
    " spark-submit, else all cores of this machine]",
)
@click.option("--conf", "settings", multiple=True, metavar="KEY=VALUE", help="A setting for Spark.")
@click.option("--unit", default=128, show_default=True, metavar="MIB", help="Of logs in one task.")
def audit(
    paths: tuple[str, ...],
    out: Path,
    payload: bool,
    max_payload: int,
    format_id: str | None,
    again: bool,
    master: str | None,
    settings: tuple[str, ...],
    unit: int,
) -> int:
    """Take stock of a lake of logs: what is in them, what is lost, where, and why.

    PATH is a file or a folder, searched to the bottom; all formats may be mixed. DIR gets three
    tables in Parquet, for Spark, DuckDB, pyarrow and the like:

    \b
    DIR/records       a row for each record: file, offset, length, index, time …
    DIR/damage        a row for each lost range: file, offset, length, reason
    DIR/files         a row for each file: verdict, counts; why it could not be read
    DIR/summary.html  plots; DIR/summary.json has the same numbers

    A log that cannot be read never ends the audit. Stopped at any moment, even by kill -9, it
    leaves the result before it as it was, and goes on from there when run again. Run again, it
    reads only what is new or has changed by name, size, time, or at either end; --again reads
    everything (a failing disk changes no times).

    \b
    walproof audit /var/log/journal /data/broker --out audit
    walproof audit /mnt/lake --out /mnt/audit --payload --master spark://head:7077
    duckdb -c "select reason, count(*) from 'audit/damage/*.parquet' group by 1"

    Exit status: 0 if all logs are intact, 3 if one is torn, damaged or unreadable, 4 if none is
    but one is refused, 1 for a usage or I/O error.
    """
    if importlib.util.find_spec("pyarrow") is None:
        raise click.ClickException("an audit needs pyarrow: pip install 'walproof[spark]'")
    from pyspark_journal.audit.engine import Engine, InProcess, JobFailed, OnSpark
    from pyspark_journal.audit.job import audit as run
    from pyspark_journal.audit.output import OutputRefused
    from pyspark_journal.audit.terminal import print_summary
    from pyspark_journal.audit.unit import Options
    from pyspark_journal.java import JavaMissing

    engine: Engine
    if master == "none":
        engine = InProcess()
    elif importlib.util.find_spec("pyspark") is None:
        raise click.ClickException(
            "an audit on Spark needs pyspark: pip install 'walproof[spark]', or --master none"
        )
    else:
        engine = OnSpark(master, dict(_setting(each) for each in settings))
    options = Options(payload, max_payload << 20, __version__)
    console = Console(stderr=True)
    try:
        with Bar(console) as bar:
            outcome = run(paths, out, engine, options, format_id, unit << 20, again, bar)
    except (OutputRefused, JobFailed, JavaMissing) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        where = error.filename or out
        raise click.ClickException(f"{where}: {error.strerror or error}") from None
    except KeyboardInterrupt:
        click.echo("Stopped. Run it again to go on from here.", err=True)
        raise click.exceptions.Abort from None
    finally:
        engine.stop()
    print_summary(outcome.summary, out, outcome.is_new, Console())
    return exit_status(outcome.summary)


def exit_status(summary: Mapping[str, Any]) -> int:
    """0 intact, 3 torn, damaged or unreadable, 4 refused."""
    totals = summary["totals"]
    if totals["torn"] or totals["damaged"] or totals["unreadable"]:
        return 3
    return 4 if totals["refused"] else 0


def _setting(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator or not key:
        raise click.UsageError(f"--conf: expected KEY=VALUE, found {text!r}")
    return key, value
