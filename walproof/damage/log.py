"""The log that ``walproof damage`` changes, intact or not."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from conformance.contents import Contents, read_contents
from conformance.kaitai.field_map import Field, ParseStopped, iter_fields, resolve
from conformance.recipes.algebra import Damage


class LogToDamage(Damage):
    """The damage algebra on any log; if the grammar stops, the fields before that are available."""

    def __init__(self, contents: Contents, format: str, name: str = "") -> None:
        super().__init__(contents, format)
        self.name = name
        self._last: tuple[str, Field] | None = None

    def each_field(self, file: str = "") -> Iterator[Field]:
        """Yield the fields of a file before any damage, without storing them."""
        with contextlib.suppress(ParseStopped):
            yield from iter_fields(self._control[file], self.format, file or self.name)

    def field(self, path: str) -> Field:
        """Return the field with this path. Raises ``KeyError``, with similar paths."""
        name, _, inner = path.rpartition(":")
        if name not in self._control:
            raise KeyError(name)
        # An operation looks up its field several times, and each time walks all fields.
        if self._last is None or self._last[0] != path:
            self._last = path, resolve(lambda: self.each_field(name), inner)
        return self._last[1]

    def _mapped(self, data: bytes, file: str) -> list[Field]:
        return list(self.each_field(file))


def log_at(path: Path, format: str) -> LogToDamage:
    """Return the log at a path. Raises ``OSError``, also if it exceeds the memory limit."""
    return LogToDamage(read_contents(path), format, path.name)
