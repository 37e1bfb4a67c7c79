"""Find the grammar in ``ksy/`` for a file of a log, as the register of its format lists it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from reference_impl.register import Grammar, registers


def grammar_of(format: str, head: bytes = b"", name: str = "") -> str:
    """Return the grammar of a log, or of one file in a log.

    ``head`` contains at least the first four bytes of the file. ``name`` is the name of the file.
    Both are optional.
    """
    known = _grammars(format)
    for grammar in known:
        if grammar.token and head.startswith(grammar.token):
            return grammar.name
    default = next((g.name for g in known if g.default), format.replace("-", "_"))
    return by_extension(format).get(PurePosixPath(name).suffix, default)


def grammar_of_file(format: str, name: str) -> str | None:
    """Return the grammar of a file in a log, or None if the file name does not determine it."""
    known = _grammars(format)
    if len(known) == 1:
        return known[0].name
    return by_extension(format).get(PurePosixPath(name).suffix)


def by_extension(format: str) -> Mapping[str, str]:
    """Return the grammars of a format by file name extension, dot included."""
    return {ending: grammar.name for grammar in _grammars(format) for ending in grammar.extensions}


def names_of(format: str) -> list[str]:
    """Return the grammars of a format, without those that they import."""
    return [grammar.name for grammar in _grammars(format)] or [format.replace("-", "_")]


def _grammars(format: str) -> tuple[Grammar, ...]:
    register = registers().get(format)
    return register.grammars if register else ()
