"""Programs that are measured run in the sandbox of ``check``.

A sandbox costs a few milliseconds of a start, which no contender's own clock sees.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from conformance import ROOT
from conformance.process import Limits, Timeout, run_program
from conformance.sandbox import Sandbox, evidence
from conformance.scratch import Held

MEMORY_BYTES = 16 << 30


def run(
    command: Sequence[str], seconds: float, writes: Iterable[Path] = (), isolated: bool = True
) -> str:
    """What a program prints. It may change the places ``writes`` besides its own folder.

    Raises ``subprocess.CalledProcessError`` and ``subprocess.TimeoutExpired``.
    """
    if not isolated:
        return subprocess.run(
            command, cwd=ROOT, capture_output=True, check=True, timeout=seconds, text=True
        ).stdout
    held = Held()
    try:
        sandbox = Sandbox(held.folder, hides=evidence(), writes=writes)
        # Modules of ours are found from the checkout, which is not where it works.
        done = run_program(
            command, seconds, sandbox, {"PYTHONPATH": str(ROOT)}, Limits(memory_bytes=MEMORY_BYTES)
        )
    except Timeout:
        raise subprocess.TimeoutExpired(command, seconds) from None
    finally:
        held.close()
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    return done.stdout
