"""An audit writes the rows with Spark, and the summary of a table of rows equals the answers."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from conformance import ROOT
from pyspark_journal import audit, columns
from pyspark_journal.errors import advice
from pyspark_journal.source import JournalDataSource
from reference_impl.answer import collect
from reference_impl.formats import named
from tests.conftest import spark_environment, unavailable
from tests.lakes import MIXED, leveldb, mixed, rows, vector
from walproof.cli import walproof

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")

BAD = ("torn", "damaged")
COMMAND = (sys.executable, "-m", "walproof", "audit")


def write(spark: SparkSession, lake: Path, target: audit.Target, **options: str) -> None:
    audit.write(spark, audit.source_options([str(lake)], options), target, payload=True)


def expected(lake: Path) -> dict[str, tuple[Any, ...]]:
    """Return the verdict, reason, records and lost bytes of each log of ``mixed``."""
    answers = {}
    for format_id, names in MIXED.items():
        for name in names:
            log = lake / format_id / name
            context = {"last_flushed_index": "meta"} if format_id == "zeebe-journal" else {}
            answer = collect(named(format_id).read(log, "recover", context))
            key = f"{log}/journal-*.log" if format_id == "zeebe-journal" else str(log)
            lost = sum(each.end - each.start for each in answer.lost)
            answers[key] = (answer.verdict, answer.reason, len(answer.records), lost)
    return answers


def test_the_table_has_the_answers(spark: SparkSession, tmp_path: Path) -> None:
    lake, out = mixed(tmp_path / "lake"), tmp_path / "out"
    target = audit.Target(str(out))
    write(spark, lake, target, maxPartitionBytes="1k")
    exported = ["export", str(lake), "--out", str(tmp_path / "exported")]
    assert CliRunner().invoke(walproof, exported, standalone_mode=False).return_value == 3
    for kind in ("record", "lost", "refused", "unreadable"):
        assert rows(out, kind) == rows(tmp_path / "exported", kind), kind
    logs = audit.logs(target.read(spark))
    found = {row.log: row for row in logs.collect()}
    for log, answer in expected(lake).items():
        row = found[log]
        assert (row.verdict, row.reason, row.records, row.lost_bytes) == answer, log
    assert len(found) == 11 + 3
    verdicts = {(row.format, row.verdict): row.logs for row in audit.by_verdict(logs).collect()}
    assert verdicts["kahadb-journal", "damaged"] == 2 and verdicts[None, None] == 2
    reasons = audit.losses(target.read(spark), "reason").collect()
    assert sum(row.lost_bytes for row in reasons) == sum(row.lost_bytes for row in found.values())
    assert audit.worst(logs, 1).collect()[0].lost_bytes == max(r.lost_bytes for r in found.values())


def test_a_table_of_the_catalog_by_day(spark: SparkSession, tmp_path: Path) -> None:
    leveldb(tmp_path / "lake" / "a.log", 3)
    target = audit.Target(table="of_an_audit", format="orc", partition_by=("day", "kind"))
    write(spark, tmp_path / "lake", target)
    (log,) = audit.logs(spark.table("of_an_audit")).collect()
    assert (log.verdict, log.records) == ("intact", 3)
    days = {row.day for row in target.read(spark).select("day").collect()}
    assert days == {log.modified.date()}
    with pytest.raises(Exception, match="ALREADY_EXISTS") as refused:
        write(spark, tmp_path / "lake", target)
    assert "--mode append" in advice(refused.value)
    spark.sql("DROP TABLE of_an_audit")


def queries() -> list[str]:
    """Return the queries in the README."""
    page = (ROOT / "pyspark_journal" / "README.md").read_text()
    section = page.split("## Five queries")[1].split("\n## ")[0]
    return re.findall(r"```sql\n(.*?)```", section, re.DOTALL)


def test_the_queries_of_the_readme(spark: SparkSession, tmp_path: Path) -> None:
    lake = tmp_path / "logs"
    for host in ("north", "south"):
        mixed(lake / host)
    given = audit.source_options([str(lake)], {})
    rows = spark.read.format("journal").schema(columns()).options(**given).load()
    rows.cache().createOrReplaceTempView("rows")
    rows.where("log NOT LIKE '%payload-flipped%'").createOrReplaceTempView("earlier")
    losses, torn, near, filled, changed = (spark.sql(query).collect() for query in queries())
    total = rows.where("kind = 'lost'").agg({"length": "sum"}).collect()[0][0]
    assert {row.host for row in losses} == {"north", "south"}
    assert sum(row.lost_bytes for row in losses) == total
    bad = {log for log, answer in expected(lake / "north").items() if answer[0] in BAD}
    assert {row.log for row in torn if "/north/" in row.log} == bad
    kinds = {row.kind for row in near}
    assert kinds == {"record", "lost"} and len(near) < rows.where("kind != 'log'").count()
    assert {"index", "asqn", "checksum"} <= {row.name for row in filled}
    assert not {"seqnum", "cursor"} & {row.name for row in filled}
    assert len(changed) == 2
    assert all(row.before is None and row.after for row in changed)


@pytest.mark.usefixtures("java")
def test_the_page_of_a_table(spark: SparkSession, tmp_path: Path) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        unavailable("no matplotlib")
    from pyspark_journal.page import by_name, over_time, write_page

    assert "&lt;script&gt;$x$\\x1b" in by_name([("<script>$x$\x1b", 1)]) and over_time([])
    name = "<script>alert(1)<⁄script>&$x$\x1b\x07\u202e.log"
    lake = mixed(tmp_path / "lake")
    (lake / "leveldb-log" / "large-lengths-in-every-block.log").rename(lake / name)
    # Spark, not an audit, writes this table of rows.
    options = {"recursiveFileLookup": "true", "logRows": "true"}
    made = spark.read.format("journal").options(**options).load(str(lake))
    made.drop("payload").write.orc(str(tmp_path / "made"))
    rows = spark.read.orc(str(tmp_path / "made"))
    write_page(tmp_path / "page.html", rows, audit.logs(rows))
    page = (tmp_path / "page.html").read_text()
    assert "<script" not in page and "&lt;script&gt;" in page and "default-src 'none'" in page
    assert r"\x1b\x07\u202e.log" in page and not set("\x1b\x07\u202e") & set(page)
    assert page.count("<svg") == 3 and page.endswith("</html>\n")
    for text in ("Losses over time", "Losses by reason", "checksum-mismatch", "unreadable"):
        assert text in page


def command_output(
    command: Sequence[str | Path], environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command that starts Spark. A JVM that outlives the command may keep its output open."""
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.mark.usefixtures("java")
def test_the_command_prints_the_summary(tmp_path: Path) -> None:
    lake, out = tmp_path / "lake", tmp_path / "out"
    intact = leveldb(lake / "a.log", 3)
    refused = vector("rocksdb-wal", "compressed-with-lz4.log", lake)
    command = [*COMMAND, intact, refused, "--out", out]
    environment = spark_environment()
    ended = command_output(command, environment)
    assert ended.returncode == 4, ended.stderr
    assert ended.stderr == "", "Spark starts quietly"
    for line in (
        r"leveldb-log +intact +1 +.*",
        r"rocksdb-wal +refused +1 .*",
        r"refused  \S+: unsupported-compression, 0 B of \d+ B lost",
        r"2 logs, 3 records: 1 refused; 0 B lost\.",
        rf"Table {out}",
    ):
        assert re.search(f"^{line}$", ended.stdout, re.MULTILINE), (line, ended.stdout)
    again = command_output(command, environment)
    assert again.returncode == 1 and "already exists" in again.stderr, again.stderr
    assert "--mode append" in again.stderr and "Traceback" not in again.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--out", "o", "--option", "colour=red"], "unknown option 'colour'"),
        (["--out", "o", "--table", "t"], "either --out or --table"),
        (["--table", "t", "--incremental"], "needs --checkpoint"),
        (["--out", "o", "--incremental", "--mode", "overwrite"], "--incremental appends"),
        (["--out", "logs/audit"], "logs/audit is inside the logs"),
    ],
)
def test_options_that_do_not_fit_are_rejected(words: list[str], message: str) -> None:
    done = CliRunner().invoke(walproof, ["audit", "logs", *words])
    assert done.exit_code and message in done.output, done.output


Failure = Callable[["SparkSession", Path, Path], object]


def without_log_rows(spark: SparkSession, lake: Path, out: Path) -> None:
    spark.read.format("journal").load(str(lake)).write.parquet(str(out))
    audit.logs(spark.read.parquet(str(out))).collect()


FAILURES: dict[str, tuple[Failure, str, str]] = {
    "no logs": (
        lambda spark, lake, out: write(spark, lake / "missing", audit.Target(str(out))),
        "path does not exist", "",
    ),
    "no table": (
        lambda spark, lake, out: audit.Target(str(out)).read(spark),
        "PATH_NOT_FOUND", "no rows have been written there",
    ),
    "no log rows": (without_log_rows, "UNRESOLVED_COLUMN", "option logRows"),
    "a file in the way": (
        lambda spark, lake, out: write(spark, lake, audit.Target(str(lake / "a.log" / "out"))),
        "Parent path is not a directory", "choose a path in which Spark may create a folder",
    ),
    "no connector of a store": (
        lambda spark, lake, out: write(spark, lake, audit.Target("s3a://bucket/out")),
        "S3AFileSystem not found", "add the connector",
    ),
    "no connector of a format": (
        lambda spark, lake, out: write(spark, lake, audit.Target(str(out), format="delta")),
        "DATA_SOURCE_NOT_FOUND", "add the connector",
    ),
    "no catalog": (
        lambda spark, lake, out: write(spark, lake, audit.Target(table="lake.ops.logs")),
        "lake", "--conf spark.sql.catalog.NAME",
    ),
}  # fmt: skip


@pytest.mark.parametrize("failure", FAILURES)
def test_errors_say_what_to_do(failure: str, spark: SparkSession, tmp_path: Path) -> None:
    leveldb(tmp_path / "lake" / "a.log", 3)
    fails, reason, remedy = FAILURES[failure]
    with pytest.raises(Exception) as failed:
        fails(spark, tmp_path / "lake", tmp_path / "out")
    line = advice(failed.value)
    assert reason in line and remedy in line and "\n" not in line, line


def test_numba_on_some_machines_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba")
    log = leveldb(tmp_path / "a.log", 5000)
    source = JournalDataSource({"path": str(log), "maxPartitionBytes": "100k"})
    reader = source.reader(source.schema())
    assert len(reader.partitions()) > 1
    split = reader.partitions()[-1]
    for name in [name for name in sys.modules if name.startswith("walproof.scanners")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(Exception, match="numba is missing") as failed:
        list(reader.read(split))
    assert advice(failed.value).endswith("install numba on all machines or on none")


WRONG_PYTHON = """
import sys
import pyspark_journal
from pyspark_journal.errors import advice
from pyspark_journal.session import session
spark = session("wrong", "local[1]", {"spark.log.level": "FATAL"})
pyspark_journal._check_python = lambda *_: None  # as on a cluster
for begin in (lambda spark: None, pyspark_journal.register):
    try:
        begin(spark)
        spark.read.format("journal").load(sys.argv[1]).count()
    except Exception as error:
        print(advice(error))
spark.stop()
"""


@pytest.mark.usefixtures("java")
def test_workers_with_a_wrong_python(tmp_path: Path) -> None:
    """Workers find PySpark, but none of the other packages."""
    import pyspark

    bare = tmp_path / "python3"
    packages = Path(pyspark.__file__).parent.parent
    (tmp_path / "packages").mkdir()
    for name in ("pyspark", "py4j"):
        (tmp_path / "packages" / name).symlink_to(packages / name)
    python = Path(sys.base_prefix) / "bin" / "python3"
    bare.write_text(f'#!/bin/sh\nexport PYTHONPATH={tmp_path}/packages\nexec {python} "$@"\n')
    bare.chmod(0o755)
    log = leveldb(tmp_path / "a.log", 3)
    environment = {**spark_environment(), "PYSPARK_PYTHON": str(bare)}
    done = command_output([sys.executable, "-c", WRONG_PYTHON, str(log)], environment)
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done.stderr
    assert all("set PYSPARK_PYTHON to a Python that has walproof[spark]" in x for x in lines), lines


SPARK_MESSAGE = """An error occurred while calling o57.save.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 17.0 failed 4
  File "pyarrow/error.pxi", line 92, in pyarrow.lib.check_status
FileNotFoundError: [Errno 2] Failed to open local file '/audit/records/a.parquet'
 SQLSTATE: 38000
	at org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(x.scala:1)
"""


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (SPARK_MESSAGE, "FileNotFoundError: [Errno 2] Failed to open local file"),
        ("Connection refused", "Connection refused"),
        ("", ""),
        ("[PYTHON_VERSION_MISMATCH] 3.11 and 3.12", "[PYTHON_VERSION_MISMATCH] 3.11 and 3.12; set"),
        ("[DATA_SOURCE_NOT_FOUND] delta", "[DATA_SOURCE_NOT_FOUND] delta; add the connector"),
        ("[DATA_SOURCE_NOT_FOUND] journal", "[DATA_SOURCE_NOT_FOUND] journal; set PYSPARK_PYTHON"),
    ],
)
def test_spark_errors_become_one_line(message: str, line: str) -> None:
    assert advice(Exception(message)).startswith(line)
