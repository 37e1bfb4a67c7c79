"""LevelDB's own ``log::Reader`` with its CRC-32C by the processor's instruction."""

from __future__ import annotations

from pathlib import Path

from walproof.bench.contender import Contender
from walproof.bench.readers import leveldb_cpp

DRIVER = leveldb_cpp.DRIVER.with_name("driver-sse42")


def unavailable() -> str | None:
    """Why it cannot run: LevelDB is not built, or the processor is no x86-64."""
    if (why := leveldb_cpp.unavailable()) is not None:
        return why
    return None if DRIVER.exists() else "needs an x86-64 with SSE 4.2"


def command(log: Path, repeat: int) -> list[str]:
    """The driver's own measuring mode."""
    return [str(DRIVER), "bench", str(log), str(repeat)]


CONTENDER = Contender(
    name="leveldb-cpp-sse42",
    title="the same, built with SSE 4.2",
    format="leveldb-log",
    command=command,
    repeat=5,
    unavailable=unavailable,
)
