"""Run inputs in a separate process: ``python -m lab.fuzz.worker SETTINGS [FLAG …]``.

With coverage, atheris instruments the modules of the readers when they are imported. Its libFuzzer
selects the changes and receives the flags. Without coverage, seeds are changed at random. If an
input crashes the process, the parent finds this input in a file.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from reference_impl.register import registers

#: CPU time for minimising the input of a new finding.
MINIMISE_SECONDS = 20.0

GUIDED, BLIND = "coverage", "blind"
PROGRESS, LAST = "progress.json", "last"
"""In the scratch folder: how far it is; the input that is being tried, of the blind engine."""


@dataclass(frozen=True)
class Settings:
    """The settings of one run, for one format and one target.

    The run ends after ``seconds`` seconds or ``inputs`` inputs. A limit of 0 is ignored; at least
    one limit must be set. ``findings`` and ``scratch`` are directories.
    """

    format: str
    target: str
    engine: str
    seed: int
    seconds: float
    inputs: int
    findings: str
    scratch: str
    nice: int = 0

    @property
    def instrumented(self) -> tuple[str, ...]:
        """Return the packages that are instrumented for coverage.

        These contain the readers of the target. The scanner is compiled, so the coverage of the
        executable specification is used for it.
        """
        if self.target == "second":
            return (registers()[self.format].module,)
        both = self.target == "differential"
        return ("reference_impl", *((registers()[self.format].module,) if both else ()))

    @property
    def left_alone(self) -> tuple[str, ...]:
        """Modules whose loops over bytes would take all the time if each turn was counted."""
        module = registers()[self.format].module
        return (f"reference_impl.{module}.hashes", f"{module}.hashes")

    def to_json(self) -> str:
        """Return the settings as a file holds them."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """Return the settings in the text of a file."""
        return cls(**json.loads(text))


class Session:
    """Run inputs, and count them in the file :data:`PROGRESS`.

    Everything to be measured is imported here, after coverage has begun.
    """

    def __init__(self, settings: Settings) -> None:
        from conformance.vectors import load_all
        from lab.fuzz.findings import Findings
        from lab.fuzz.inputs import seeds
        from lab.fuzz.judge import Judge
        from lab.fuzz.mutator import Mutator

        self.settings = settings
        self.scratch = Path(settings.scratch)
        self.seeds = seeds(load_all().values(), settings.format)
        self.mutator = Mutator(settings.format, self.seeds)
        here = self.scratch / "here"
        here.mkdir(exist_ok=True)
        self.judge = Judge(settings.format, settings.target, here)
        self.findings = Findings(Path(settings.findings), settings.target)
        self.count = 0
        self._saved = time.monotonic()
        for log in self.seeds[:: max(1, len(self.seeds) // 24)]:
            self.judge.faults(log)  # kernels are compiled, modules imported
        self.judge.slowest, self.judge.largest, self.judge.void = 0.0, 0, 0

    def try_input(self, packed: bytes) -> None:
        """Try one input."""
        from lab.fuzz.inputs import NotPacked, unpack

        self.count += 1
        try:
            log = unpack(packed)
        except NotPacked:
            return
        if log.format != self.settings.format:
            return
        for fault in self.judge.faults(log):
            if self.findings.is_new(fault):
                self.findings.add(fault, log)
                self._make_small(fault.signature, log)
            else:
                self.findings.add(fault, log)
        if time.monotonic() - self._saved > 1:
            self.save()

    def _make_small(self, signature: str, log: Any) -> None:
        from lab.fuzz.findings import minimise

        self.judge.always = True

        def shows(simpler: Any) -> bool:
            faults = self.judge.faults(simpler)
            fitting = [fault for fault in faults if fault.signature == signature]
            for fault in fitting:
                self.findings.add(fault, simpler)
                self.findings.by_signature[signature].count -= 1
            return bool(fitting)

        minimise(log, shows, MINIMISE_SECONDS)
        self.judge.always = False

    def save(self) -> None:
        """Write how far it is."""
        from conformance.saving import save

        self._saved = time.monotonic()
        body = {
            "inputs": self.count,
            "void": self.judge.void,
            "slowest_seconds": round(self.judge.slowest, 3),
            "largest_bytes": self.judge.largest,
            "processor_seconds": round(time.process_time(), 2),
            "findings": {
                log.fault.signature: log.count for log in self.findings.by_signature.values()
            },
        }
        save(self.scratch / PROGRESS, json.dumps(body), sync=False)


def blind(session: Session) -> None:
    """Change seeds at random until the inputs or the time are used up."""
    from lab.fuzz.inputs import MAX_INPUT_BYTES
    from lab.fuzz.mutator import any_bytes

    settings = session.settings
    chance = Random(settings.seed)
    pool = [log.pack() for log in session.seeds]
    deadline = time.monotonic() + settings.seconds if settings.seconds else None
    last = os.open(session.scratch / LAST, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    native = any_bytes(chance)
    try:
        while not settings.inputs or session.count < settings.inputs:
            if deadline is not None and time.monotonic() > deadline:
                return
            begin = min(chance.choice(pool), chance.choice(pool), key=len)  # small ones are quick
            packed = session.mutator.change(begin, MAX_INPUT_BYTES, chance, native)
            if chance.random() < 0.05:
                packed = session.mutator.cross(packed, chance.choice(pool), MAX_INPUT_BYTES, chance)
            os.pwrite(last, len(packed).to_bytes(8, "little") + packed, 0)
            session.try_input(packed)
            if chance.random() < 0.02:
                pool[chance.randrange(len(pool))] = packed
                pool.append(session.seeds[chance.randrange(len(session.seeds))].pack())
    finally:
        os.close(last)


def guided(settings: Settings, flags: list[str]) -> None:
    """Let coverage lead. Does not return: the engine ends the process."""
    import atheris

    include, exclude = list(settings.instrumented), list(settings.left_alone)
    with atheris.instrument_imports(include=include, exclude=exclude):
        import reference_impl.formats  # noqa: F401

        session = Session(settings)

    def try_input(packed: bytes) -> None:
        session.try_input(packed)
        if settings.inputs and session.count >= settings.inputs:
            session.save()

    def change(packed: bytes, most: int, seed: int) -> bytes:
        return session.mutator.change(packed, most, Random(seed), atheris.Mutate)

    def cross(packed: bytes, other: bytes, most: int, seed: int) -> bytes:
        return session.mutator.cross(packed, other, most, Random(seed))

    atheris.Setup([sys.argv[0], *flags], try_input, custom_mutator=change, custom_crossover=cross)
    atheris.Fuzz()


def main(arguments: list[str]) -> None:
    """Run until the budget is used up."""
    settings = Settings.from_json(Path(arguments[0]).read_text("utf-8"))
    with contextlib.suppress(OSError):
        os.nice(settings.nice)
    if settings.engine == BLIND:
        session = Session(settings)
        try:
            blind(session)
        finally:
            session.save()
        return
    guided(settings, arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
