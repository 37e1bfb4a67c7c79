"""How long the first query waits: ``python -m pyspark_journal.bench_start``.

Each round is a process of its own: a session is started, Spark counts numbers of its own (its first
job, which has nothing to do with logs), a small log is counted, and counted again. By the clock, as
somebody waits. Both sessions are measured: the one that :mod:`pyspark_journal.session` starts, and
one as Spark starts it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from conformance import ROOT
from conformance.saving import save
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.bench import bytecode
from walproof.bench.reading import Row

ROUNDS = 5
SECONDS = 300
SLOTS = "local[2]"
STEPS = ("session", "first job", "first journal query", "second")
SESSIONS = ("ours", "plain")


def steps(kind: str, log: str) -> dict[str, float]:
    """Seconds of each step, in this process, which must not have a session yet."""
    told: dict[str, float] = {}
    started = time.perf_counter()

    def done(step: str) -> None:
        nonlocal started
        told[step] = round(time.perf_counter() - started, 3)
        started = time.perf_counter()

    if kind == "ours":
        from pyspark_journal.session import session

        spark = session("bench", SLOTS)
    else:
        from pyspark.sql import SparkSession

        spark = SparkSession.builder.master(SLOTS).getOrCreate()
    done(STEPS[0])
    spark.range(1000).count()
    done(STEPS[1])
    for step in STEPS[2:]:
        found = spark.read.format("journal").load(log).count()
        done(step)
        assert found == 1, found
    spark.stop()
    return told


def measure(rounds: int, kinds: Sequence[str] = SESSIONS) -> list[Row]:
    """A row for each kind of session. Raises ``OSError`` for a round that fails."""
    told: Mapping[str, list[dict[str, float]]] = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "000001.log"
        named("leveldb-log").write(log, [NewRecord(b"record")], {})
        for _ in range(rounds):
            for kind in kinds:
                told[kind].append(_round(kind, log))
    return [
        {"session": kind, "seconds": {step: [one[step] for one in told[kind]] for step in STEPS}}
        for kind in kinds
    ]


def _round(kind: str, log: Path) -> dict[str, float]:
    words = [sys.executable, "-m", "pyspark_journal.bench_start", kind, str(log)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode:
        raise OSError(f"a session of Spark ended with {done.returncode}: {done.stderr[-500:]}")
    said: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return said


def main(arguments: list[str]) -> None:
    """Print the medians, which go to ``bench-start.json``; with arguments, one round as JSON."""
    if arguments:
        print(json.dumps(steps(*arguments)))
        return
    with bytecode.kept():
        rows = measure(ROUNDS)
    for row in rows:
        medians = (f"{step} {statistics.median(row['seconds'][step]):.2f} s" for step in STEPS)
        print(f"{row['session']}: {', '.join(medians)}")
    report = ROOT / "reports" / "bench-start.json"
    report.parent.mkdir(exist_ok=True)
    save(report, json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
