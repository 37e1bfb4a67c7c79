"""Real LevelDB, if it is built: its reader and writer through the adapter, and a database."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conformance.compare import normalise
from conformance.process import Limits
from conformance.registry import FOLDER, load
from conformance.session import ProtocolSession
from walproof.setup import in_ci

WALL_MS = 60_000
LIMITS = Limits(memory_bytes=4 << 30, output_bytes=512 << 20)


class RealLevelDB:
    """LevelDB's own ``log::Reader`` and ``log::Writer``, and databases of LevelDB."""

    def __init__(self, command: Sequence[str], modules: Path) -> None:
        self.command = command
        self.modules = modules

    def ask(self, requests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the replies to these requests from one process."""

        session = ProtocolSession(self.command, LIMITS)
        session.start()
        try:
            return [
                session.request({"seq": seq, "format": "leveldb-log", **request}, WALL_MS)
                for seq, request in enumerate(requests)
            ]
        finally:
            session.close()

    def read(self, paths: Iterable[Path]) -> list[list[dict[str, Any]]]:
        """Return LevelDB's records of each log in the form of answers."""
        requests = (
            {"cmd": "read", "path": str(path), "profile": "recover", "context": {}, "limits": {}}
            for path in paths
        )
        return [normalise(reply["answer"])["records"] for reply in self.ask(requests)]

    def write(self, path: Path, payloads: Iterable[bytes]) -> None:
        """Write a new log with ``log::Writer``."""
        records = [{"payload": payload.hex()} for payload in payloads]
        (reply,) = self.ask([{"cmd": "write", "path": str(path), "records": records}])
        assert reply["done"]

    def generate(self, path: Path, count: int, size: int) -> None:
        """Write a new log of ``count`` records of ``size`` bytes with ``log::Writer``."""
        subprocess.run([*self.command, "generate", path, str(count), str(size)], check=True)

    @contextmanager
    def database(self, folder: Path, scenario: str) -> Iterator[subprocess.Popen[str]]:
        """Return a database after a scenario; the process is killed at the end."""
        process = subprocess.Popen(self._node(folder, scenario), stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()

    def entries(self, folder: Path) -> dict[str, str]:
        """Return the entries of a copy of a database after LevelDB has recovered it."""
        copy = folder.with_name(f"{folder.name} recovered")
        shutil.copytree(folder, copy)
        done = subprocess.run(
            self._node(copy, "entries"), stdout=subprocess.PIPE, text=True, check=True
        )
        entries: dict[str, str] = json.loads(done.stdout)
        return entries

    def _node(self, folder: Path, scenario: str) -> list[str]:
        script = Path(__file__).with_name("real_database.cjs")
        return ["node", str(script), str(self.modules), str(folder), scenario]


@pytest.fixture(scope="session")
def leveldb() -> RealLevelDB:
    """Return real LevelDB; if it is not built, skip the tests, or fail them in CI."""
    implementation = load(FOLDER / "leveldb-cpp")
    missing = implementation.missing()
    if missing or not (implementation.output / "driver").exists():
        why = f"{' and '.join(missing)} not found" if missing else "make setup builds it"
        (pytest.fail if in_ci() else pytest.skip)(f"leveldb-cpp is not there: {why}")
    return RealLevelDB(implementation.command, implementation.output / "node_modules")
