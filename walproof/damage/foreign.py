"""Map the fields of a file with a grammar outside the project; its parser runs in a sandbox."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.kaitai.compile import GrammarError
from conformance.kaitai.field_map import Field, ParseStopped
from conformance.process import NoReply
from walproof.parsers.sandboxed_grammar import SandboxedGrammar

#: Format id of a log that is only known by its grammar.
FORMAT = ""
_PATH = re.compile(r"\w+(\[\d+\])?(\.\w+(\[\d+\])?)*", re.ASCII)


class _EnumNumber(int):
    """A number with a name in an enum of the grammar."""

    name: str

    def __str__(self) -> str:
        return f"{self.name} ({int(self)})"


class ForeignGrammar:
    """A grammar outside ``ksy/``. The fields of the last file are cached.

    Raises the errors of :class:`~walproof.parsers.sandboxed_grammar.SandboxedGrammar`.
    """

    def __init__(self, grammar: Path) -> None:
        self.grammar = grammar
        self._parser = SandboxedGrammar(grammar, "walproof.damage.foreign_worker", in_steps=True)
        self.sandbox = self._parser.sandbox
        self._last: tuple[bytes, list[Field], str | None] | None = None

    def fields(self, data: bytes, name: str) -> Iterator[Field]:
        """Yield the fields of a file. Raises ``ParseStopped`` after the last one, and
        ``GrammarError``."""
        if self._last is None or self._last[0] != data:
            self._last = (data, *self._mapped(data))
        _, fields, stopped = self._last
        yield from fields
        if stopped is not None:
            raise ParseStopped(stopped)

    def close(self) -> None:
        """Stop the parser process."""
        self._parser.close()

    def _mapped(self, data: bytes) -> tuple[list[Field], str | None]:
        try:
            reply = self._parser.request({"data": data.hex()})
            fields = [_field(reply_field, data) for reply_field in reply["fields"]]
        except NoReply as error:
            raise GrammarError(f"{self.grammar}: parser process: {error}") from None
        except (KeyError, TypeError, ValueError):
            text = "invalid reply, expected a list of fields"
            raise GrammarError(f"{self.grammar}: parser process: {text}") from None
        stopped = reply.get("stopped")
        return fields, None if stopped is None else str(stopped)


def _field(reply: Any, data: bytes) -> Field:
    """Return a field from the untrusted reply of the process.

    Raises ``TypeError`` and ``ValueError``.
    """
    path, start, end, value = reply
    if not _PATH.fullmatch(path) or not 0 <= start <= end <= len(data):
        raise ValueError
    start, end = int(start), int(end)
    if isinstance(value, dict):
        value = data[start:end]
    elif isinstance(value, list):
        name, number = value
        value = _EnumNumber(number)
        value.name = str(name)
    elif value is not None and not isinstance(value, int | float | str):
        raise TypeError
    return Field(path, start, end, value, "", (), "")
