"""The fields of a file by a grammar that may be anybody's: its parser runs in a box."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.kaitai.compile import GrammarError
from conformance.kaitai.field_map import Field, ParseStopped
from conformance.process import NoReply
from walproof.parsers.boxed_grammar import BoxedGrammar

FORMAT = ""
"""In place of the id of a format: nothing is known of one but its grammar."""
_PATH = re.compile(r"\w+(\[\d+\])?(\.\w+(\[\d+\])?)*", re.ASCII)


class _Named(int):
    """A number that an enum of the grammar has a name for."""

    name: str

    def __str__(self) -> str:
        return f"{self.name} ({int(self)})"


class ForeignGrammar:
    """A grammar outside ``ksy/``. The fields of the last file are kept: they are asked for often.

    Raises what :class:`~walproof.parsers.boxed_grammar.BoxedGrammar` raises.
    """

    def __init__(self, grammar: Path) -> None:
        self.grammar = grammar
        self._parser = BoxedGrammar(grammar, "walproof.damage.foreign_worker", in_steps=True)
        self.sandbox = self._parser.sandbox
        self._last: tuple[bytes, list[Field], str | None] | None = None

    def fields(self, data: bytes, name: str) -> Iterator[Field]:
        """The fields of a file. Raises ``ParseStopped`` after them, ``GrammarError``."""
        if self._last is None or self._last[0] != data:
            self._last = (data, *self._mapped(data))
        _, fields, stopped = self._last
        yield from fields
        if stopped is not None:
            raise ParseStopped(stopped)

    def close(self) -> None:
        """End the parser's process."""
        self._parser.close()

    def _mapped(self, data: bytes) -> tuple[list[Field], str | None]:
        try:
            reply = self._parser.request({"data": data.hex()})
            fields = [_field(one, data) for one in reply["fields"]]
        except NoReply as why:
            raise GrammarError(f"{self.grammar}: the parser's process: {why}") from None
        except (KeyError, TypeError, ValueError):
            said = "what it said is no list of fields"
            raise GrammarError(f"{self.grammar}: the parser's process: {said}") from None
        stopped = reply.get("stopped")
        return fields, None if stopped is None else str(stopped)


def _field(said: Any, data: bytes) -> Field:
    """A field as the process told it, which may say anything. ``TypeError``, ``ValueError``."""
    path, start, end, value = said
    if not _PATH.fullmatch(path) or not 0 <= start <= end <= len(data):
        raise ValueError
    start, end = int(start), int(end)
    if isinstance(value, dict):
        value = data[start:end]
    elif isinstance(value, list):
        name, number = value
        value = _Named(number)
        value.name = str(name)
    elif value is not None and not isinstance(value, int | float | str):
        raise TypeError
    return Field(path, start, end, value, "", (), "")
