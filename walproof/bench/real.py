"""Contenders that are implementations of this repository with a ``bench LOG REPEAT`` mode."""

from __future__ import annotations

from pathlib import Path

from conformance.registry import FOLDER, load
from walproof.bench.contender import Contender


def real(name: str, repeat: int, peer: bool = True, share: int = 1) -> Contender:
    """A real reader, opened anew for each pass, in one warm process; as a rule the peer."""
    implementation = load(FOLDER / name)

    def unavailable() -> str | None:
        if missing := implementation.missing():
            return f"{' and '.join(missing)} not found"
        return None if implementation.is_built() else "not built; walproof setup builds it"

    def command(log: Path, times: int) -> list[str]:
        return [*implementation.command, "bench", str(log), str(times)]

    return Contender(
        name=name,
        title=implementation.title,
        format=implementation.formats[0],
        command=command,
        peer=peer,
        repeat=repeat,
        share=share,
        unavailable=unavailable,
    )
