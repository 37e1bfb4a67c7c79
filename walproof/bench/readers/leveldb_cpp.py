"""The peer: LevelDB's own ``log::Reader``, C++, with checksums on."""

from __future__ import annotations

from pathlib import Path

from conformance.registry import FOLDER, load
from walproof.bench.contender import Contender

_IMPLEMENTATION = load(FOLDER / "leveldb-cpp")
DRIVER = _IMPLEMENTATION.output / "driver"


def unavailable() -> str | None:
    """Why it cannot run: a compiler is missing, or it was not built."""
    if missing := _IMPLEMENTATION.missing():
        return f"{' and '.join(missing)} not found"
    return None if DRIVER.exists() else "not built; walproof setup builds it"


def command(log: Path, repeat: int) -> list[str]:
    """The driver's own measuring mode."""
    return [str(DRIVER), "bench", str(log), str(repeat)]


CONTENDER = Contender(
    name="leveldb-cpp",
    title=_IMPLEMENTATION.title,
    format="leveldb-log",
    command=command,
    peer=True,
    repeat=5,
    unavailable=unavailable,
)
