"""The session for jobs on journals: a process that has loaded forks all its Python daemons."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from conformance import ROOT
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.spark.handover import DAEMONS

pytestmark = pytest.mark.xdist_group("spark")

ASKS = """
import json, os, sys, psutil
from pyspark_journal.session import session

spark = session("daemons", "local[2]")
count = spark.read.format("journal").load(sys.argv[1]).count()
own = psutil.Process().children()
(server,) = [one for one in own if "walproof.spark.forkserver" in one.cmdline()]
(java,) = [one for one in own if one.name() == "java"]
begun = []
for one in java.children():
    try:
        begun.append(one.cmdline()[2:4])
    except psutil.Error:
        pass  # Java starts others for a moment, which have ended
print(json.dumps({"count": count, "begun": begun, "forked": len(server.children()),
                  "pids": [one.pid for one in psutil.Process().children(recursive=True)],
                  "told": "WALPROOF_SPARK_FORKSERVER" in os.environ}))
"""


def test_daemons_are_forked(tmp_path: Path, spark: object) -> None:
    """``spark`` says whether Spark is here."""
    log = tmp_path / "000003.log"
    named("leveldb-log").write(log, [NewRecord(b"1"), NewRecord(b"2")], {})
    done = subprocess.run(
        [sys.executable, "-c", ASKS, str(log)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["count"] == 2
    kinds = [words[1] for words in told["begun"] if words[:1] and words[0] in DAEMONS]
    assert sorted(kinds) == [
        "pyspark.sql.worker.create_data_source",
        "pyspark.sql.worker.lookup_data_sources",
        "pyspark.sql.worker.plan_data_source_read",
        "pyspark.worker",
    ]
    assert told["forked"] == len(kinds), "each of them waits for a child of the server"
    assert not told["told"], "what is started later has nothing to do with it"
    processes = [psutil.Process(pid) for pid in told["pids"] if psutil.pid_exists(pid)]
    assert psutil.wait_procs(processes, timeout=30)[1] == []
