"""The readers to measure: this project's own, and the programs that a format lists."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance import ROOT
from conformance.registry import FOLDER, load
from lab.bench.format_bench import MeasuredProgram, bench_of

#: numba stores and loads compiled kernels only in directories that it can write to.
KERNELS = tuple((ROOT / "walproof" / "formats").rglob("__pycache__"))


@dataclass(frozen=True)
class Contender:
    """One reader of one format."""

    name: str
    #: The program takes two more arguments, the path of a log and ``repeat``. It reads the log
    #: ``repeat`` times and prints ``{"records": n, "payload_bytes": n, "all_seconds": [s, …]}``.
    command: Sequence[str]
    repeat: int = 1
    is_peer: bool = False
    #: False if the reader returns no payloads.
    has_payloads: bool = True
    #: Paths that the sandboxed program may change, in addition to the log's directory.
    writes: tuple[Path, ...] = ()
    #: Reason why the reader cannot run here.
    unavailable: str | None = None


def contenders(format_id: str) -> list[Contender]:
    """Return the contenders of a format, the peer first."""
    bench = bench_of(format_id)
    first, *others = [_program(each) for each in bench.programs]
    peer = Contender(**{**vars(first), "is_peer": True, "has_payloads": bench.peer_has_payloads})
    return [peer, *others, *our_contenders(format_id)]


def our_contenders(format_id: str) -> Iterator[Contender]:
    """Yield the bulk scanner, also in a variant without payloads if the peer returns none."""
    bench = bench_of(format_id)
    repeat = bench.scanner_repeat
    yield Contender("fast-scan", _worker("scanner", format_id), repeat, writes=KERNELS)
    if not bench.peer_has_payloads:
        without = _worker("scanner-without-payloads", format_id)
        yield Contender(
            "fast-scan, no payloads", without, repeat, has_payloads=False, writes=KERNELS
        )


def _worker(reader: str, format_id: str) -> list[str]:
    return [sys.executable, "-m", "lab.bench.readers", reader, format_id]


def _program(program: MeasuredProgram) -> Contender:
    each = load(FOLDER / program.implementation)
    name, command = each.name, [word for word in each.command if word != program.without]
    if program.variant is not None:
        name, command = f"{name}, {program.variant}", [str(each.output / program.variant)]
    unavailable = None
    if missing := each.missing():
        unavailable = f"{' and '.join(missing)} not found"
    elif not each.is_built():
        unavailable = "not built; make setup builds it"
    elif program.variant is not None and not Path(command[0]).exists():
        unavailable = f"the build left {program.variant} out"
    writes = (each.output, *each.writes)
    return Contender(
        name, [*command, "bench"], program.repeat, writes=writes, unavailable=unavailable
    )
