"""Drivers that run real systems in separate processes and open folders on request."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conformance import ROOT
from tests.conftest import alone, unavailable

DRIVERS = Path(__file__).with_name("recovery") / "drivers"
BUILD = ROOT / ".build" / "implementations"
TIMEOUT_SECONDS = 10
INSTALL_TIMEOUT_SECONDS = 300


class Driver:
    """A process that opens folders with a real system and exchanges JSON lines.

    If the process crashes or times out, this counts as a refusal, and the next request restarts it.
    """

    def __init__(self, *command: str | Path, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._command = [str(part) for part in command]
        self._timeout_seconds = timeout_seconds
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()

    def request(self, action: str, folder: Path, **more: str) -> Mapping[str, Any]:
        """Send a request and return the reply."""
        process = self._process
        if process is None or process.poll() is not None:
            process = self._start()
        assert process.stdin is not None
        request = json.dumps({"action": action, "folder": str(folder), **more})
        try:
            process.stdin.write(f"{request}\n")
            process.stdin.flush()
            end = time.monotonic() + self._timeout_seconds
            while (line := self._lines.get(timeout=max(0.1, end - time.monotonic()))) is not None:
                if line.startswith("{"):  # other lines are messages from libraries
                    answer: Mapping[str, Any] = json.loads(line)
                    return answer
            reason = f"crashed with status {process.wait(self._timeout_seconds)}"
        except queue.Empty:
            reason = f"no answer in {self._timeout_seconds} s"
        except OSError as error:
            reason = str(error)
        self.stop()
        return {"refused": reason}

    def stop(self) -> None:
        """Stop the process."""
        if self._process is not None:
            # communicate() would wait for every process that holds the output open.
            self._process.kill()
            self._process.wait(60)
            self._process = None

    def _start(self) -> subprocess.Popen[str]:
        lines: queue.Queue[str | None] = queue.Queue()
        pipe, none = subprocess.PIPE, subprocess.DEVNULL
        process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=none, text=True)
        self._lines, self._process = lines, process

        def read() -> None:
            assert process.stdout is not None
            for line in process.stdout:
                lines.put(line)
            lines.put(None)

        threading.Thread(target=read, daemon=True).start()
        return process


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Create a temporary folder, in memory if possible, because databases sync often."""
    memory = Path("/dev/shm")
    parent = memory if os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="walproof-recovery-", dir=parent) as folder:
        yield Path(folder)


def python_with(package: str, version: str) -> Path:
    """Return a Python with a package, installed in its own environment below ``.build``."""
    folder = BUILD.parent / "engines" / f"{package}-{version}"
    python = folder / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    requirement = ["--no-deps", "--only-binary", ":all:", f"{package}=={version}"]
    with alone(folder):
        if (folder / "done").exists():
            return python
        for command in ([sys.executable, "-m", "venv", str(folder)], [*install, *requirement]):
            try:
                subprocess.run(
                    command, check=True, capture_output=True, timeout=INSTALL_TIMEOUT_SECONDS
                )
            except (OSError, subprocess.SubprocessError) as error:
                output = getattr(error, "stderr", b"") or str(error).encode()
                shutil.rmtree(folder, ignore_errors=True)
                unavailable(f"unavailable: cannot install {package}: {output.decode()!r}")
        (folder / "done").touch()
    return python
