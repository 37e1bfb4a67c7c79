"""``walproof audit``: write records and damage of many logs as tables."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from walproof.cli.context import key_and_value
from walproof.cli.output import say
from walproof.cli.stopping import stoppable


@click.command()
@click.argument("paths", metavar="PATH…", nargs=-1, required=True)
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the tables and the summary.",
)
@click.option(
    "--payload/--no-payload",
    help="Payloads of the records as well; by default, only positions.",
)
@click.option("--decode", is_flag=True, help="The decoded records as well.")
@click.option("--again", "is_again", is_flag=True, help="Read all logs, including unchanged ones.")
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
@click.option(
    "--unit",
    type=click.FloatRange(min=0.01),
    default=128,
    show_default=True,
    metavar="MIB",
    help="Largest part of a log that one task reads.",
)
@stoppable()
def audit(
    paths: tuple[str, ...],
    out: Path,
    payload: bool,
    decode: bool,
    is_again: bool,
    given: tuple[str, ...],
    master: str | None,
    settings: tuple[str, ...],
    unit: float,
) -> int:
    """Write tables of the records and damage of many logs.

    PATH is a file, a folder with its subfolders, or a URL, for example with s3: or hdfs:. The logs
    may have different formats. Hidden files are skipped. The job runs on Spark and writes three
    Parquet tables and a summary to DIR:

    \b
    DIR/records       one row per record: file, offset, length, index, time …
    DIR/damage        one row per lost range: file, offset, length, reason
    DIR/files         one row per file: verdict, counts, error if unreadable
    DIR/summary.html  plots; DIR/summary.json has the same numbers

    An unreadable log does not stop the audit. If the audit is interrupted, even by kill -9, the
    previous result is unchanged. Later runs read only logs that are new or whose name, size or time
    has changed. --again reads all logs, because a failing disk does not change file times. Without
    Java, walproof export --parquet DIR PATH… writes the same tables.

    \b
    walproof audit /var/log/journal /data/broker --out audit
    walproof audit /mnt/lake --out /mnt/audit --payload --master spark://head:7077
    walproof audit /data/broker --out audit --decode
    duckdb -c "select reason, count(*) from 'audit/damage/*.parquet' group by 1"

    Exit status: 0 if all logs are intact, 3 if a log is torn, damaged or unreadable, 4 if a log is
    refused and none is torn, damaged or unreadable, 1 for a usage or I/O error.
    """
    for package, extra in (("pyarrow", "fast"), ("pyspark", "spark")):
        if importlib.util.find_spec(package) is None:
            raise click.ClickException(
                f"an audit needs {package}, which is not installed: pip install 'walproof[{extra}]'"
            )
    from pyspark_journal.audit import JobFailed, OutputRefused
    from pyspark_journal.audit import audit as run
    from pyspark_journal.session import DidNotStart
    from walproof.inventory.report import print_summary, work_line
    from walproof.inventory.schemas import TableOptions
    from walproof.inventory.summary import exit_status
    from walproof.lake.options import BadOption, Options

    spark_settings = dict(key_and_value("--conf", each) for each in settings)
    source_options = dict(key_and_value("--option", each) for each in given)
    try:
        source = Options.parse({"lastFlushedIndex": "meta", **source_options})
    except BadOption as error:
        raise click.UsageError(str(error).replace("journal: ", "--option: ", 1)) from None
    options = TableOptions(replace(source, paths=paths, recursive=True), payload, decode)
    try:
        outcome = run(options, out, master, spark_settings, is_again, int(unit * (1 << 20)))
    except (OutputRefused, JobFailed, DidNotStart) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{where}{error.strerror or error}") from None
    except KeyboardInterrupt:
        say("Interrupted; the previous result is unchanged.", err=True)
        raise
    print_summary(outcome.summary, Console())
    say(work_line(outcome.summary, outcome.is_new))
    say(f"Tables {out}/records, damage, files; plots {out}/summary.html")
    return exit_status(outcome.summary)
