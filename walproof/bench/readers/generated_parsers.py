"""Generated parsers in other languages: fields only, no checksums, fragments not joined."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from conformance.registry import Implementation, load
from walproof.bench.contender import Contender
from walproof.implementations import FOLDER
from walproof.parsers.languages import LANGUAGES

REPEAT = 5
"""Reads in a round: the compiled ones are done in milliseconds."""


def _command(implementation: Implementation) -> Callable[[Path, int], list[str]]:
    return lambda log, repeat: [*implementation.command, "bench", str(log), str(repeat)]


def _unavailable(implementation: Implementation) -> Callable[[], str | None]:
    def why() -> str | None:
        if missing := implementation.missing():
            return f"{' and '.join(missing)} not found"
        return None if implementation.is_built() else "not built: walproof setup"

    return why


def _contenders() -> list[Contender]:
    found = []
    for language in LANGUAGES.values():
        if language.driver and language.id != "python":  # Python has kaitai_parser.py
            implementation = load(FOLDER / language.driver)
            found.append(
                Contender(
                    name=language.driver,
                    title=f"Kaitai parser ({language.title}): structure only, no checksums",
                    format="leveldb-log",
                    command=_command(implementation),
                    repeat=REPEAT,
                    unavailable=_unavailable(implementation),
                )
            )
    return found


CONTENDERS = _contenders()
