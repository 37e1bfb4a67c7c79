"""The bulk scanner of ``systemd-journal``: every column of every entry, as arrow arrays."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from conformance.bench.contender import Contender, in_python


def unavailable() -> str | None:
    """Why it cannot run here."""
    missing = [name for name in ("numba", "pyarrow") if find_spec(name) is None]
    return f"{' and '.join(missing)} not installed" if missing else None


def prepare() -> None:
    """Imports, and compiles where no compiled kernels are on the disk yet."""
    from pyspark_journal.scan import scanner

    scanner("systemd-journal")


def read_once(log: Path) -> tuple[int, int]:
    """Records and bytes of payload of one pass."""
    from pyspark_journal.scan import scanner
    from pyspark_journal.scan.log import Log
    from pyspark_journal.scan.model import Records, Wanted

    records = payload_bytes = 0
    for event in scanner("systemd-journal").scan(Log(log), Wanted()):
        if isinstance(event, Records):
            assert event.payload is not None
            records += len(event)
            offsets = event.payload.buffers()[1]
            payload_bytes += int.from_bytes(offsets[4 * len(event) : 4 * len(event) + 4], "little")
    return records, payload_bytes


CONTENDER = Contender(
    name="fast-scan",
    title="the bulk scanner (pyspark_journal.scan)",
    format="systemd-journal",
    command=in_python(__name__),
    repeat=5,
    unavailable=unavailable,
)
