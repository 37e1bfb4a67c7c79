"""The process in which inputs are tried: ``python -m lab.fuzz.worker SETTINGS [FLAG …]``.

With coverage, atheris rewrites the modules of the readers as they are imported, and libFuzzer,
which it brings, chooses what to change; it takes the flags. Without it, seeds are changed at
random. The process may die of an input: whoever starts it looks for what was tried last.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from lab.fuzz.settings import BLIND, PROGRESS, Settings

MINIMISING = 20.0
"""Processor seconds for making the input of a new finding small."""


class Session:
    """Tries inputs, and keeps count of them in the file :data:`PROGRESS`."""

    def __init__(self, settings: Settings) -> None:
        from conformance.vectors import load_all
        from lab.fuzz.findings import Findings
        from lab.fuzz.judge import Judge
        from lab.fuzz.mutator import Mutator
        from lab.fuzz.seeds import seeds

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
        for one in self.seeds[:: max(1, len(self.seeds) // 24)]:
            self.judge.faults(one)  # kernels are compiled, modules imported
        self.judge.slowest, self.judge.largest, self.judge.void = 0.0, 0, 0

    def one(self, packed: bytes) -> None:
        """Try one input."""
        from lab.fuzz.packed import NotPacked, unpack

        self.count += 1
        try:
            one = unpack(packed)
        except NotPacked:
            return
        if one.format != self.settings.format:
            return
        for fault in self.judge.faults(one):
            if self.findings.is_new(fault):
                self.findings.add(fault, one)
                self._make_small(fault.signature, one)
            else:
                self.findings.add(fault, one)
        if time.monotonic() - self._saved > 1:
            self.save()

    def _make_small(self, signature: str, one: Any) -> None:
        from lab.fuzz.minimise import minimise

        self.judge.always = True

        def shows(simpler: Any) -> bool:
            faults = self.judge.faults(simpler)
            found = [fault for fault in faults if fault.signature == signature]
            for fault in found:
                self.findings.add(fault, simpler)
                self.findings.by_signature[signature].count -= 1
            return bool(found)

        minimise(one, shows, MINIMISING)
        self.judge.always = False

    def save(self) -> None:
        """Say how far it is."""
        from conformance.saving import save

        self._saved = time.monotonic()
        body = {
            "inputs": self.count,
            "void": self.judge.void,
            "slowest_seconds": round(self.judge.slowest, 3),
            "largest_bytes": self.judge.largest,
            "processor_seconds": round(time.process_time(), 2),
            "findings": {
                one.fault.signature: one.count for one in self.findings.by_signature.values()
            },
        }
        save(self.scratch / PROGRESS, json.dumps(body), sync=False)


def blind(session: Session) -> None:
    """Change seeds at random until the inputs or the time are used up."""
    from lab.fuzz.mutator import LARGEST, any_bytes
    from lab.fuzz.settings import LAST

    settings = session.settings
    chance = Random(settings.seed)
    pool = [one.pack() for one in session.seeds]
    deadline = time.monotonic() + settings.seconds if settings.seconds else None
    last = os.open(session.scratch / LAST, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    native = any_bytes(chance)
    try:
        while not settings.inputs or session.count < settings.inputs:
            if deadline is not None and time.monotonic() > deadline:
                return
            begin = min(chance.choice(pool), chance.choice(pool), key=len)  # small ones are quick
            packed = session.mutator.change(begin, LARGEST, chance, native)
            if chance.random() < 0.05:
                packed = session.mutator.cross(packed, chance.choice(pool), LARGEST, chance)
            os.pwrite(last, len(packed).to_bytes(8, "little") + packed, 0)
            session.one(packed)
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

    def one(packed: bytes) -> None:
        session.one(packed)
        if settings.inputs and session.count >= settings.inputs:
            session.save()

    def change(packed: bytes, most: int, seed: int) -> bytes:
        return session.mutator.change(packed, most, Random(seed), atheris.Mutate)

    def cross(packed: bytes, other: bytes, most: int, seed: int) -> bytes:
        return session.mutator.cross(packed, other, most, Random(seed))

    atheris.Setup([sys.argv[0], *flags], one, custom_mutator=change, custom_crossover=cross)
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
