"""Start a Spark cluster on this machine, with a master and workers as separate processes.

Each process leads its own session. All its children (executors and their Python workers) can
therefore be found and ended with it.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import psutil

from pyspark_journal.java import java_home

LOOPBACK = "127.0.0.1"
QUICK = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""For a JVM that lives for seconds."""
PATIENCE = 120.0
"""Seconds; a machine with much else to do needs many more than an idle one."""


class Daemon:
    """A master or a worker, with everything that it starts."""

    def __init__(self, kind: str, arguments: Sequence[str], folder: Path) -> None:
        import pyspark

        home = Path(pyspark.__file__).parent
        self.log = folder / "log"
        folder.mkdir(parents=True)
        name = f"org.apache.spark.deploy.{kind}.{kind.capitalize()}"
        environment = {
            **os.environ,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": LOOPBACK,
            "SPARK_LOCAL_DIRS": str(folder),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": QUICK,
            "SPARK_LAUNCHER_OPTS": QUICK,
        }
        # Workers have our dependencies but not ourselves: what runs on them has to be shipped.
        environment.pop("PYTHONPATH", None)
        if (java := java_home()) is not None:
            environment["JAVA_HOME"] = str(java)
        command = [str(home / "bin" / "spark-class"), name, "--host", LOOPBACK]
        command += ["--port", "0", "--webui-port", "0", *arguments]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )

    def said(self, pattern: str) -> re.Match[str]:
        """Wait until the log has it. Raises ``TimeoutError`` with the end of the log."""

        def look() -> re.Match[str] | None:
            return re.search(pattern, self.log.read_text(errors="replace"))

        with suppress(TimeoutError):
            return wait_for(look, lambda: self.process.poll() is not None)
        raise TimeoutError(f"no {pattern!r} in:\n{self.log.read_text(errors='replace')[-2000:]}")

    def family(self) -> list[psutil.Process]:
        """The process and all that it started, also what lost its parent."""
        mine = []
        for process in psutil.process_iter():
            with suppress(psutil.Error, ProcessLookupError):
                ours = os.getsid(process.pid) == self.process.pid
                if ours and process.status() != psutil.STATUS_ZOMBIE:
                    mine.append(process)
        return mine

    def kill(self) -> None:
        """Pull the plug: SIGKILL for all of them at once, until none is left."""
        for _ in range(50):
            if not (family := self.family()):
                break
            for process in family:
                with suppress(psutil.Error):
                    process.send_signal(signal.SIGKILL)
            time.sleep(0.05)
        self.process.wait()


class Cluster:
    """A master and workers of one core each; gone at the end of the ``with`` block."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder = folder
        self.count = workers
        self.daemons: list[Daemon] = []
        self.url = ""

    def __enter__(self) -> Cluster:
        try:
            master = self._start("master", [], "master")
            self.url = master.said(rf"spark://{re.escape(LOOPBACK)}:\d+")[0]
            for n in range(self.count):
                arguments = ["--cores", "1", "--memory", "1g"]
                work = ["--work-dir", str(self.folder / f"work-{n}")]
                self._start("worker", [*arguments, *work, self.url], f"worker-{n}")
            for worker in self.workers:
                worker.said("Successfully registered with master")
        except BaseException:
            self.stop()
            raise
        return self

    def _start(self, kind: str, arguments: Sequence[str], name: str) -> Daemon:
        daemon = Daemon(kind, arguments, self.folder / name)
        self.daemons.append(daemon)
        return daemon

    @property
    def workers(self) -> list[Daemon]:
        return self.daemons[1:]

    def stop(self) -> None:
        for daemon in reversed(self.daemons):
            daemon.kill()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


T = TypeVar("T")


def wait_for(look: Callable[[], T | None], given_up: Callable[[], bool] = bool) -> T:
    """Look until there is something. Raises ``TimeoutError``."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if (result := look()) is not None:
            return result
        if given_up():
            break
        time.sleep(0.05)
    raise TimeoutError
