"""A log that is going to be damaged: anybody's, whole or not."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from conformance.contents import Contents, read_contents
from conformance.kaitai.field_map import Field, ParseStopped, iter_fields, resolve
from conformance.recipes.algebra import Damage

Mapped = Callable[[bytes, str], Iterator[Field]]
"""The fields of a file, from its bytes and its name. May raise ``ParseStopped`` after some."""


class LogToDamage(Damage):
    """The damage algebra on any log. Where its grammar stops, the fields read so far count.

    ``mapped`` gives the fields where the format's own grammar is not meant.
    """

    def __init__(
        self, contents: Contents, format: str, name: str = "", mapped: Mapped | None = None
    ) -> None:
        super().__init__(contents, format)
        self.name = name
        self._last: tuple[str, Field] | None = None
        self._mapped_by = mapped or (lambda data, file: iter_fields(data, format, file))

    def each_field(self, file: str = "") -> Iterator[Field]:
        """The fields of a file before any damage, none of them kept."""
        with contextlib.suppress(ParseStopped):
            yield from self._mapped_by(self._control[file], file or self.name)

    def field(self, path: str) -> Field:
        """The field with this path. Raises ``KeyError``, which names similar ones."""
        name, _, inner = path.rpartition(":")
        if name not in self._control:
            raise KeyError(name)
        # An operation asks for its field more than once, and each time all are gone through.
        if self._last is None or self._last[0] != path:
            self._last = path, resolve(lambda: self.each_field(name), inner)
        return self._last[1]

    def _mapped(self, data: bytes, file: str) -> list[Field]:
        return list(self.each_field(file))


def log_at(path: Path, format: str, mapped: Mapped | None = None) -> LogToDamage:
    """The log at a path. Raises ``OSError``, also for more than the tools hold in memory."""
    return LogToDamage(read_contents(path), format, path.name, mapped)
