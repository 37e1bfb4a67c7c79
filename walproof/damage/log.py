"""A log that is going to be damaged: anybody's, whole or not."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from conformance.contents import Contents, read_contents
from conformance.kaitai.field_map import Field, ParseStopped, iter_fields
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
        self._mapped_by = mapped or (lambda data, file: iter_fields(data, format, file))

    def _mapped(self, data: bytes, file: str) -> list[Field]:
        found: list[Field] = []
        with contextlib.suppress(ParseStopped):
            found.extend(self._mapped_by(data, file or self.name))
        return found


def log_at(path: Path, format: str, mapped: Mapped | None = None) -> LogToDamage:
    """The log at a path. Raises ``OSError``, also for more than the tools hold in memory."""
    return LogToDamage(read_contents(path), format, path.name, mapped)
