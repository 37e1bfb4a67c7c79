"""The logs that cost readers the most time and memory, with one module of functions per format."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from conformance import ROOT
from reference_impl.formats import FORMATS
from reference_impl.register import registers

TIMEOUT_SECONDS = 900


@dataclass(frozen=True)
class Hostile:
    """A log that costs readers much time or memory."""

    name: str
    format: str
    #: A file name from which tools recognise the format.
    file_name: str
    #: A function that returns the bytes of a log of about the given size.
    make: Callable[[int], bytes]


def logs() -> Iterator[Hostile]:
    """Yield the logs of all formats."""
    for format_id in FORMATS:
        module = import_module(f"tests.hostile.{registers()[format_id].module}")
        for make in module.LOGS:
            file_name = getattr(module, "NAMES", {}).get(make, module.NAME)
            yield Hostile(make.__name__.replace("_", "-"), format_id, file_name, make)


def memory_limit_bytes(log_bytes: int) -> int:
    """Return how many bytes of memory a command may use for a log of ``log_bytes`` bytes."""
    return 16 * log_bytes + (64 << 20)


def run_command(log: Path, small: Path, format_id: str, words: Sequence[str]) -> dict[str, float]:
    """Run a command in a new process, first on a small log, and return the results for ``log``."""
    worker = [sys.executable, "-m", "tests.hostile.command_worker"]
    done = subprocess.run(
        [*worker, str(log), str(small), format_id, *words],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=TIMEOUT_SECONDS,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    result: dict[str, float] = json.loads(done.stdout)
    return result
