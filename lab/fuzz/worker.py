"""Fuzz the Python readers in a separate process, guided by coverage.

Usage: ``python -m lab.fuzz.worker FORMAT FINDINGS SCRATCH FLAG…``. The flags are those of
libFuzzer.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from conformance.saving import save
from reference_impl.register import registers

if TYPE_CHECKING:
    from lab.fuzz.inputs import Input

#: CPU time limit for minimising the input of a new finding.
MINIMISE_SECONDS = 20.0
#: This file in the scratch folder lists the findings, and the most time and memory that a reader
#: took.
PROGRESS = "progress.json"


class FuzzSession:
    """Run inputs, and store the findings, maximum time and maximum memory in :data:`PROGRESS`."""

    def __init__(self, format_id: str, findings: Path, scratch: Path) -> None:
        from conformance.vectors import load_all
        from lab.fuzz.findings import Findings
        from lab.fuzz.inputs import seeds
        from lab.fuzz.judge import FuzzJudge
        from lab.fuzz.mutator import Mutator

        self.format = format_id
        self.scratch = scratch
        logs = seeds(load_all().values(), format_id)
        self.mutator = Mutator(format_id, logs)
        (scratch / "here").mkdir(exist_ok=True)  # after a death, another process goes on
        self.judge = FuzzJudge(format_id, scratch / "here")
        self.findings = Findings(findings)
        for log in logs[:: max(1, len(logs) // 24)]:
            self.judge.faults(log)  # imports modules and compiles kernels
        self.judge.slowest, self.judge.largest = 0.0, 0
        self._saved = time.monotonic()

    def try_input(self, packed: bytes) -> None:
        """Run all readers on one input."""
        from lab.fuzz.inputs import NotPacked, unpack

        try:
            log = unpack(packed)
        except NotPacked:
            return
        if log.format != self.format:
            return
        known = len(self.findings.sizes)
        for fault in self.judge.faults(log):
            if self.findings.add(fault, log):
                self._minimise(fault.signature, log)
        if len(self.findings.sizes) > known or time.monotonic() - self._saved > 1:
            self.save()

    def _minimise(self, signature: str, log: Input) -> None:
        from lab.fuzz.findings import minimise

        def shows(simpler: Input) -> bool:
            faults = self.judge.faults(simpler)
            fitting = [fault for fault in faults if fault.signature == signature]
            for fault in fitting:
                self.findings.add(fault, simpler)
            return bool(fitting)

        minimise(log, shows, MINIMISE_SECONDS)

    def save(self) -> None:
        """Store the findings and measurements."""
        # Results are stored often, because the engine may end the process at any time.
        self._saved = time.monotonic()
        body = {
            "slowest_seconds": self.judge.slowest,
            "largest_bytes": self.judge.largest,
            "findings": list(self.findings.sizes),
        }
        save(self.scratch / PROGRESS, json.dumps(body), sync=False)


def main(format_id: str, findings: str, scratch: str, *flags: str) -> None:
    """Fuzz for the time that the flags give. Never returns, because atheris ends the process."""
    import atheris

    module = registers()[format_id].module
    # These modules loop over each byte, so counting their lines would take most of the time.
    exclude = [f"reference_impl.{module}.hashes", f"{module}.hashes"]
    # The scanner is not instrumented, because lines of compiled code cannot be counted.
    with atheris.instrument_imports(include=["reference_impl", module], exclude=exclude):
        import reference_impl.formats  # noqa: F401

        session = FuzzSession(format_id, Path(findings), Path(scratch))

    def change(packed: bytes, most: int, seed: int) -> bytes:
        return session.mutator.change(packed, most, Random(seed), atheris.Mutate)

    atheris.Setup([sys.argv[0], *flags], session.try_input, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
