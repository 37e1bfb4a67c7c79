"""Programs that are measured run in the box of ``check``: it is entered before they start.

What a box costs is a few milliseconds of a start, which no contender's own clock sees, and some
hundred nanoseconds of each file that is opened.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from conformance import ROOT
from conformance.isolation import Box, evidence, words
from conformance.isolation.boxed import TookTooLong, once
from conformance.isolation.environment import existing
from conformance.isolation.words import Isolation
from conformance.scratch import Held


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
        box = Box(held.folder, hides=evidence(), writes=writes)
        told = box.command(command)
        # Modules of ours are found from the checkout, which is not where it works.
        environment = {**box.environment(told), "PYTHONPATH": str(ROOT)}
        done = once(told, box, environment, seconds)
    except TookTooLong:
        raise subprocess.TimeoutExpired(command, seconds) from None
    finally:
        held.close()
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    return done.stdout


def isolation(isolated: bool) -> Isolation:
    """What isolates the programs of a benchmark here."""
    return words.told(isolated, existing(evidence()))
