"""Audits on a cluster of three machines with an object store, and what goes wrong there.

The machines are namespaces (``tests/machines.py``): each has its own network and its own files.
Lakes lie in S3; audits are written to the one folder that all machines share. All
tests use one cluster and one Spark application, as starting them takes most of the time. What
each job leaves is compared with what a job without Spark leaves, row by row.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from conformance import ROOT
from tests.faulty_store import Fault, FaultyStore
from tests.machines import Head, Node, NoNamespaces
from tests.s3 import gateway, reach
from tests.spark_cluster import PATIENCE, Cluster, wait_for

from .lakes import VECTORS, leveldb
from .tables import rows
from .test_cluster import SMALL, only_python

pytestmark = pytest.mark.xdist_group("cluster")

BEHIND, BEFORE = 7070, 7071
"""Ports of the store, and of what lets it fail."""
LAZY = Fault("slow", 0, sys.maxsize, seconds=0.02)
"""A store that takes its time with each request: so there is a middle of a job to do harm in."""


class Nodes:
    """The cluster, the store and the driver; ``shared`` is the folder that all machines see."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.shared = folder / "shared"
        self.shared.mkdir()
        self.head = stack.enter_context(Head())
        self.root, behind = stack.enter_context(gateway(folder / "store", self.head, BEHIND))
        self.store = stack.enter_context(FaultyStore(behind, self.head, BEFORE))
        self.nodes = [Node(self.head, number, self.shared) for number in range(3)]
        (self.root / "lake").mkdir()
        self.cluster = stack.enter_context(Cluster(folder / "cluster", self.nodes, self.head))
        self.code: dict[str, str] = {}
        self.events = self.shared / "events"
        self.events.mkdir()
        archive = folder / "walproof.tar.gz"
        with tarfile.open(archive, "w:gz", compresslevel=1) as tar:
            for part in ("spec", "reference_impl", "conformance", "walproof", "pyspark_journal"):
                tar.add(ROOT / part, part, filter=only_python)
        settings = SMALL | {
            "spark.archives": f"{archive}#walproof",
            "spark.driver.host": self.head.address,
            "spark.driver.bindAddress": self.head.address,
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": self.events.as_uri(),
            "spark.eventLog.rolling.enabled": "false",
            "spark.eventLog.compress": "false",
            # As docs/cluster.md advises; and soon, since these tasks are short.
            "spark.speculation": "true",
            "spark.speculation.minTaskRuntime": "500ms",
            "spark.speculation.quantile": "0.5",
        }
        driver = [sys.executable, "-m", "tests.walproof.audit.driver"]
        self.said = (folder / "driver.log").open("w+")
        stack.callback(self.said.close)
        self.driver = subprocess.Popen(
            self.head.within([*driver, self.cluster.url, json.dumps(settings)]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.said,
            text=True,
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "PYSPARK_PYTHON": sys.executable,
                "SPARK_LOCAL_IP": self.head.address,
            },
        )
        stack.callback(self._end)
        assert self.answer() == "ready"

    def _end(self) -> None:
        assert self.driver.stdin is not None
        self.driver.stdin.close()
        try:
            self.driver.wait(20)
        finally:
            self.driver.kill()
            self.driver.wait()

    def tell(self, job: str, **told: Any) -> None:
        """Begin a job of the driver."""
        assert self.driver.stdin is not None
        print(json.dumps({"job": job, **told}), file=self.driver.stdin, flush=True)

    def answer(self) -> Any:
        """How it ended."""
        assert self.driver.stdout is not None
        # A driver that hangs must not make us hang.
        clock = threading.Timer(PATIENCE, self.driver.kill)
        clock.start()
        line = self.driver.stdout.readline()
        clock.cancel()
        if not line:
            self.said.seek(0)
            pytest.fail(f"the driver is gone:\n{self.said.read()[-3000:]}")
        return json.loads(line)

    def do(self, job: str, **told: Any) -> Any:
        """Begin a job, and wait for its end, which must be a good one."""
        self.tell(job, **told)
        return self.succeeded()

    def succeeded(self) -> Any:
        """How the job ended, which must be well."""
        answer = self.answer()
        assert "failed" not in answer, answer["failed"]
        return answer

    def where(self, warm: bool = False) -> dict[str, str]:
        """The machines that work, by address, and where each has our code from."""
        return dict(self.do("where", tasks=9, warm=warm))

    def begin(self) -> dict[str, str]:
        """The same, kept as ``code``, with all machines ready to read a log."""
        self.code = self.where(warm=True)
        return self.code

    def audit(self, name: str, on_spark: bool = True) -> dict[str, Any]:
        """What the driver is told to audit the lake into ``shared/name``."""
        return {
            "lake": "s3://lake/",
            "out": str(self.shared / name),
            "reach": reach(self.store.address),
            "on_spark": on_spark,
        }

    def tasks(self, since: int = 0) -> list[dict[str, Any]]:
        """What Spark wrote down of each task that ended; of those since the first so many."""
        (log,) = self.events.iterdir()
        lines = log.read_text().split("\n")[:-1]
        events = [json.loads(line) for line in lines if '"SparkListenerTaskEnd"' in line]
        return events[since:]


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    try:
        Head().__exit__(None, None, None)
    except NoNamespaces as missing:
        pytest.skip(f"no machines of their own: {missing}")
    from walproof.spark.java import JavaMissing, java_home

    pytest.importorskip("pyspark")
    try:
        java_home()
    except JavaMissing as missing:
        pytest.skip(f"no Spark: {missing}")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        made = Nodes(Path(folder), stack)
        fill(made.root / "lake")
        assert made.do("audit", **made.audit("alone", on_spark=False))["is_new"]
        wait_for(lambda: made.code if len(made.begin()) == len(made.nodes) else None)
        yield made
        left = [p for daemon in made.cluster.daemons for p in daemon.family()]
        made.cluster.stop()
        assert left, "there was no cluster any more"


def fill(lake: Path) -> None:
    """LevelDB logs, whose kernels compile fastest: many of one file, and one that is cut."""
    for log in sorted((VECTORS / "leveldb-log").glob("*.log"))[::6]:
        shutil.copyfile(log, lake / log.name)
    leveldb(lake / "large.log", 15_000)


def test_the_machines_are_apart(nodes: Nodes) -> None:
    """Each of three addresses, and the code of each from the archive."""
    assert nodes.code.keys() == {node.address for node in nodes.nodes}
    for code in nodes.code.values():
        assert code.startswith("/tmp/spark/"), code


def test_an_audit(nodes: Nodes) -> None:
    before = len(nodes.tasks())
    assert nodes.do("audit", **nodes.audit("audit"))["is_new"]
    same_tables(nodes, "audit")
    hosts = Counter(task["Task Info"]["Host"] for task in nodes.tasks(before))
    assert set(hosts) == {node.address for node in nodes.nodes}, hosts
    assert not nodes.do("audit", **nodes.audit("audit"))["is_new"]


def same_tables(nodes: Nodes, name: str) -> None:
    """All rows of all tables are those of the audit without Spark, and nothing else is left."""
    for table in ("records", "damage", "files"):
        found = rows(nodes.shared / name, table)
        assert found == rows(nodes.shared / "alone", table)
        assert found
    assert not list((nodes.shared / name).rglob("*.unfinished"))
    assert len(list((nodes.shared / name / ".results").iterdir())) == 1


def test_a_slow_machine(nodes: Nodes) -> None:
    """Its tasks are begun elsewhere as well, and of two that do the same work one counts."""
    before = len(nodes.tasks())
    nodes.store.strike(LAZY)
    nodes.nodes[0].slow_down(mbit=1)
    try:
        nodes.tell("audit", **nodes.audit("slow"))
        wait_for(lambda: notes(nodes, "slow") >= 4 or None)
        nodes.cluster.workers[0].halt(5)
        nodes.succeeded()
    finally:
        nodes.nodes[0].speed_up()
    same_tables(nodes, "slow")
    again = [task for task in nodes.tasks(before) if task["Task Info"]["Speculative"]]
    assert again, "no task of the slow machine was begun elsewhere"


def notes(nodes: Nodes, name: str) -> int:
    """Units of an audit under way that are done."""
    return sum(1 for _ in (nodes.shared / name).glob(".results/*/done/[0-9]*.json"))


@pytest.mark.parametrize("kind", ["busy", "reset"])
def test_the_store_fails_under_an_audit(nodes: Nodes, kind: str) -> None:
    """Five requests in the middle; whoever sent them tries again."""
    nodes.store.strike(Fault(kind, 60, 64))
    nodes.do("audit", **nodes.audit(f"faulty-{kind}"))
    assert nodes.store.strike(None)["hit"] == 5
    same_tables(nodes, f"faulty-{kind}")


def test_a_machine_dies(nodes: Nodes) -> None:
    nodes.store.strike(LAZY)
    nodes.tell("audit", **nodes.audit("dead"))
    wait_for(lambda: notes(nodes, "dead") >= 4 or None)
    nodes.cluster.workers[0].kill()
    under_way = list((nodes.shared / "dead").glob(".results/*.building"))
    nodes.succeeded()
    assert under_way, "the job was over before the machine died"
    same_tables(nodes, "dead")
    assert nodes.nodes[0].address not in nodes.where()
