"""A driver that does one job after the other in one Spark application, as it is told.

It runs at the head of the cluster of ``test_nodes``. A line of JSON on its input is a job, and a
line of JSON on its output says how that ended.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.walproof.audit.lakes import options
from walproof.audit.engine import JobFailed, OnCores, OnSpark
from walproof.audit.job import audit
from walproof.spark.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

UNIT = 100 << 10
"""Bytes in a unit of the audit: many units, of which some are always still to be done."""


class Driver:
    """The jobs, by name. Each returns what can be said in JSON."""

    def __init__(self, master: str, settings: dict[str, str]) -> None:
        self.spark: SparkSession = session("nodes", master, settings)

    def where(self, tasks: int, warm: bool) -> list[list[str]]:
        """Address of the executor, and where it has our code from, of so many tasks.

        With ``warm`` each executor among them has then compiled what it reads logs with.
        """
        numbers = self.spark.sparkContext.parallelize([warm] * tasks, tasks)
        return [list(pair) for pair in sorted(set(numbers.mapPartitions(_here).collect()))]

    def audit(self, lake: str, out: str, reach: dict[str, str], on_spark: bool) -> dict[str, Any]:
        """Totals of the summary, and whether there is a new result."""
        engine = OnSpark(session=self.spark) if on_spark else OnCores()
        try:
            done = audit(options(lake, payload=True, **reach), Path(out), engine, UNIT)
        finally:
            engine.stop()
        return {"totals": done.summary["totals"], "is_new": done.is_new}


def _here(warm: Iterator[bool]) -> Iterator[tuple[str, str]]:
    import socket
    import tempfile
    import time

    import walproof
    from reference_impl.answer import NewRecord
    from reference_impl.formats import named
    from walproof.audit.reading import events
    from walproof.audit.unit import Options, Piece
    from walproof.lake.discovery import FoundLog
    from walproof.lake.options import parse

    time.sleep(0.3)  # so that one executor does not do all of them
    if any(warm):
        # Its first log takes an executor seconds, in which the others would do all the work.
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "000001.log")
            named("leveldb-log").write(log, [NewRecord(b"alpha")], {})
            piece = Piece("warm", FoundLog(str(log), 12, format="leveldb-log"), None, 12)
            list(events(piece, Options(parse({}), True)))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("10.77.0.1", 9))
        yield probe.getsockname()[0], str(walproof.__file__)


def main() -> None:
    """Do what the lines of the input say, until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the JVM prints here, too
    driver = Driver(sys.argv[1], json.loads(sys.argv[2]))
    print(json.dumps("ready"), file=answers, flush=True)
    with suppress(KeyboardInterrupt):
        for line in sys.stdin:
            told = json.loads(line)
            try:
                answer = getattr(driver, told.pop("job"))(**told)
            except (JobFailed, OSError) as error:
                answer = {"failed": str(error)}
            print(json.dumps(answer), file=answers, flush=True)
    driver.spark.stop()


if __name__ == "__main__":
    main()
