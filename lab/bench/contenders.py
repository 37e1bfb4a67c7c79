"""The readers to measure: those of this project, and those that ``bench.toml`` files declare.

A contender is a program that reads a log several times and prints how long it took.
"""

from __future__ import annotations

import importlib.util
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance import ROOT, declaration
from conformance.declaration import BrokenDeclaration
from conformance.registry import BENCH_FILE, Implementation, check_command, check_formats
from lab.bench.format_bench import bench_of
from reference_impl.formats import FORMATS
from walproof.implementations import all_implementations

#: numba stores no kernel, and reads none, where it cannot write.
KERNELS = tuple((ROOT / "walproof" / "formats").rglob("__pycache__"))
NEEDED_TO_SCAN = ("numpy", "pyarrow", "numba")
PARQUET_PASSES = 5
_SCHEMA = Path(__file__).with_name("bench.schema.json")

Command = Callable[[Path, int], list[str]]


@dataclass(frozen=True)
class Contender:
    """One reader of one format.

    ``command(log, repeat)`` returns a program that opens and reads the log ``repeat`` times, and
    prints ``{"records": n, "payload_bytes": n, "all_seconds": [s, …]}``. ``peer`` marks the
    contender that the others of its format are compared with. ``repeat`` is the number of reads in
    a round: more than one for readers that take only milliseconds. ``unavailable()`` returns the
    reason why the contender cannot run here, or None.

    A slow reader, which would take minutes, has a ``share`` above 1: its log has 1/``share`` of the
    records of the workload, and its row shows that. The sandbox lets the program change the
    directory of the log and the paths ``writes``. Without ``has_payloads`` the reader returns no
    payloads, and its payload bytes are not counted.
    """

    name: str
    title: str
    format: str
    command: Command
    peer: bool = False
    repeat: int = 1
    unavailable: Callable[[], str | None] = lambda: None
    share: int = 1
    writes: tuple[Path, ...] = ()
    has_payloads: bool = True


def contenders() -> list[Contender]:
    """Return all contenders by format, in each format the peer first."""
    results = [each for format_id in FORMATS for each in our_contenders(format_id)]
    for implementation in all_implementations():
        results += declared_contenders(implementation)
    return sorted(results, key=lambda each: (each.format, not each.peer, each.name))


def why_not(implementation: Implementation) -> str | None:
    """Return what keeps an implementation from running: a missing program, or it is not built."""
    if missing := implementation.missing():
        return f"{' and '.join(missing)} not found"
    return None if implementation.is_built() else "not built; make setup builds it"


def why_no_scan() -> str | None:
    """Return what keeps the bulk scanners from running: parts of ``walproof[fast]``."""
    missing = [name for name in NEEDED_TO_SCAN if importlib.util.find_spec(name) is None]
    return f"{' and '.join(missing)} not installed" if missing else None


def worker_command(reader: str, *arguments: str) -> Command:
    """Return the command that times a reader of :data:`lab.bench.readers.READERS`."""

    def command(log: Path, repeat: int) -> list[str]:
        worker = [sys.executable, "-m", "lab.bench.readers"]
        return [*worker, str(log), str(repeat), reader, *arguments]

    return command


def our_contenders(format_id: str) -> Iterator[Contender]:
    """Yield the executable specification, the scanner and the export of a measured format."""
    bench = bench_of(format_id)
    if not bench.logs:
        return
    yield Contender(
        name="executable-spec",
        title="the executable specification (reference_impl)",
        format=format_id,
        command=worker_command("specification", format_id),
    )
    scanner = Contender(
        name="fast-scan",
        title="the bulk scanner",
        format=format_id,
        command=worker_command("scanner", format_id),
        repeat=bench.scanner_repeat,
        unavailable=why_no_scan,
        writes=KERNELS,
    )
    yield scanner
    if bench.payloads_and:
        yield replace(
            scanner,
            name="fast-scan-payloads",
            title=f"the bulk scanner, payloads and {bench.payloads_and} only",
            command=worker_command("scanner", format_id, bench.payloads_and),
        )
    if not bench.peer_has_payloads:
        yield replace(
            scanner,
            name="fast-scan, no payloads",
            title="the bulk scanner without payloads",
            command=worker_command("scanner", format_id, "no-payload"),
            has_payloads=False,
        )
    for has_payloads in (True, False):
        yield replace(
            scanner,
            name=f"fast-scan-parquet{'' if has_payloads else ', no payloads'}",
            title=f"walproof export --parquet{'' if has_payloads else ' --no-payload'}",
            command=worker_command("parquet", format_id, *[] if has_payloads else ["no-payload"]),
            repeat=PARQUET_PASSES,
            has_payloads=has_payloads,
        )


def declared_contenders(implementation: Implementation) -> Iterator[Contender]:
    """Yield the contenders that an implementation declares in its ``bench.toml``, if it has one.

    Each table ``[[contender]]`` declares one contender for each of ``formats``;
    ``bench.schema.json`` describes the keys. Raises :class:`BrokenDeclaration`, for example if the
    table removes an argument that the command does not have.
    """
    path = implementation.folder / BENCH_FILE
    if not path.exists():
        return
    for table in declaration.read(path, _SCHEMA)["contender"]:
        check_formats(path, table.get("formats", ()))
        check_command(path, table.get("command", ()))
        for format_id in table.pop("formats", implementation.formats):
            yield _declared(implementation, format_id, **table)


def _declared(
    implementation: Implementation,
    format_id: str,
    command: Sequence[str] | None = None,
    leave_out: Sequence[str] = (),
    without: str | None = None,
    in_process: bool = False,
    **rest: Any,
) -> Contender:
    template = list(command or implementation.command_template)
    for argument in leave_out:
        if argument not in template:
            reason = f"leave_out: {argument!r} is not in the command {shlex.join(template)}"
            raise BrokenDeclaration(f"{implementation.folder / BENCH_FILE}: {reason}")
        template.remove(argument)
    implementation = replace(implementation, command_template=tuple(template))

    def unavailable() -> str | None:
        if (reason := why_not(implementation)) is not None:
            return reason
        is_left_out = without is not None and not Path(implementation.command[0]).exists()
        return without if is_left_out else None

    def bench_mode(log: Path, repeat: int) -> list[str]:
        return [*implementation.command, "bench", str(log), str(repeat)]

    in_worker = worker_command("adapter", format_id, implementation.name)
    defaults = {"name": implementation.name, "title": implementation.title}
    return Contender(
        format=format_id,
        command=in_worker if in_process else bench_mode,
        unavailable=unavailable,
        writes=(implementation.output, *implementation.writes),
        **defaults | rest,
    )
