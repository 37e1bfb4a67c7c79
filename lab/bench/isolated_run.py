"""Run the programs to measure in the sandbox of ``walproof check``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from conformance import ROOT
from conformance.process import CannotStart, Limits, OverLimit, Timeout, describe_exit, run_program
from conformance.sandbox import Sandbox, evidence
from conformance.scratch import Held

#: For a measured program and all that it starts.
MEMORY_BYTES = 16 << 30


class Failed(Exception):
    """A reader or writer failed; the message gives the reason."""


def printed(command: Sequence[str], seconds: float, writes: Iterable[Path]) -> str:
    """Return the output of a program that may change ``writes``. Raises :class:`Failed`."""
    scratch = Held()
    try:
        sandbox = Sandbox(scratch.folder, hides=evidence(), writes=writes)
        # Modules of ours are found from the checkout, which is not where it works.
        variables, limits = {"PYTHONPATH": str(ROOT)}, Limits(memory_bytes=MEMORY_BYTES)
        done = run_program(command, seconds, sandbox, variables, limits)
    except (CannotStart, Timeout, OverLimit) as error:
        raise Failed(f"{command[0]}: {error}") from None
    finally:
        scratch.close()
    if done.returncode:
        raise Failed(f"{command[0]}: {describe_exit(done.returncode)}: {done.stderr[-300:]}")
    return done.stdout
