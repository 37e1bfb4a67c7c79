"""Name ranges of a log by its grammar: ``blocks[1].records[0].header``."""

from __future__ import annotations

import contextlib
from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property

from conformance.contents import Contents
from conformance.kaitai.compile import GrammarError, ToolMissing, is_at_hand
from conformance.kaitai.field_map import Field, ParseStopped, iter_fields
from conformance.kaitai.grammars import grammar_of_file

THE_END = "the end of the file"
WHOLE = "the whole file"
# Aligned objects end with fewer bytes of padding than this.
_PADDING = 8
_INLINE = 8


class FieldNames:
    """Find the field names for byte ranges of one log.

    ``name`` is the name of the log's file or directory. A range has no name if its file has no
    compiled grammar. ``control`` is the undamaged log. It provides the names of fields that the
    damage hides.
    """

    def __init__(
        self, contents: Contents, format: str, name: str, control: FieldNames | None = None
    ) -> None:
        self._format = format
        self._control = control
        self._files = contents if isinstance(contents, Mapping) else {name: contents}
        self._alone = None if isinstance(contents, Mapping) else name
        self._maps: dict[str, _Map | None] = {}

    def of(self, start: int, end: int, file: str | None = None) -> str | None:
        """Return a name for ``[start, end)``: a field, a range of fields, or bytes inside a field.

        Return None if the grammar has no name.
        """
        fields = self._fields(file)
        if fields is None:
            return None
        if exact := fields.exact(start, end):
            return _with_value(exact)
        sound = self._control._fields(file) if self._control else None
        if sound and sound.size == fields.size and (exact := sound.exact(start, end)):
            return f"{exact.path} of the control"
        return fields.around(start, end)

    def _fields(self, file: str | None) -> _Map | None:
        name = self._alone or file
        if name is None or name not in self._files:
            return None
        if name not in self._maps:
            self._maps[name] = self._map(name)
        return self._maps[name]

    def _map(self, name: str) -> _Map | None:
        if (grammar := grammar_of_file(self._format, name)) is None or not is_at_hand(grammar):
            return None
        fields: list[Field] = []
        with contextlib.suppress(ParseStopped, GrammarError, ToolMissing):
            fields.extend(iter_fields(self._files[name], self._format, name))
        return _Map(fields, len(self._files[name])) if fields else None


class _Map:
    """The fields of one file of ``size`` bytes, outer before inner ones."""

    def __init__(self, fields: list[Field], size: int) -> None:
        self.fields = [field for field in fields if field.start < field.end]
        self.size = size

    @cached_property
    def _leaves(self) -> list[Field]:
        return sorted((f for f in self.fields if f.value is not None), key=lambda f: f.start)

    def exact(self, start: int, end: int) -> Field | None:
        """Return the field with exactly this range; the innermost of several has the best name."""
        matches = [f for f in self.fields if (f.start, f.end) == (start, end)]
        return matches[-1] if matches else None

    def around(self, start: int, end: int) -> str | None:
        """Return a range of fields, or bytes inside a field."""
        if start >= self.size:
            return THE_END if start == self.size else None
        if start >= end:
            return self._between(start)
        if start == 0 and end >= self.size:
            return WHOLE
        for field in reversed(self.fields):  # the innermost
            rest = field.end - end
            if field.start == start and 0 < rest < _PADDING and 2 * rest <= end - start:
                return f"{field.path} but for its last {_counted(rest)}"
        inside = self._leaf(start)
        if inside is not None and end <= inside.end:
            return f"{_bytes(start - inside.start, end - inside.start)} of {inside.path}"
        first, last = self._beginning(start, end), self._ending(start, end)
        return f"{first} to {last}" if first and last else first or last

    def _between(self, at: int) -> str | None:
        """Return a name for the position between two bytes."""
        first = self._beginning(at, self.size)
        return f"in front of {first}" if first else None

    def _beginning(self, start: int, end: int) -> str | None:
        """Return the outermost field that begins at ``start`` and ends by ``end``."""
        here = [f for f in self.fields if f.start == start]
        if here:
            return next((f for f in here if f.end <= end), here[-1]).path
        leaf = self._leaf(start)
        return f"byte {start - leaf.start} of {leaf.path}" if leaf else None

    def _ending(self, start: int, end: int) -> str | None:
        """Return the outermost field that ends at ``end`` and begins at or after ``start``."""
        if end >= self.size and not any(f.end == end for f in self.fields):
            return THE_END
        here = [f for f in self.fields if f.end == end]
        if here:
            return next((f for f in here if f.start >= start), here[-1]).path
        leaf = self._leaf(end - 1)
        return f"byte {end - 1 - leaf.start} of {leaf.path}" if leaf else None

    def _leaf(self, offset: int) -> Field | None:
        number = bisect_right(self._leaves, offset, key=lambda f: f.start) - 1
        if number >= 0 and offset < self._leaves[number].end:
            return self._leaves[number]
        return None


def _counted(number: int) -> str:
    return "byte" if number == 1 else f"{number} bytes"


def _bytes(first: int, end: int) -> str:
    return f"byte {first}" if end - first == 1 else f"bytes {first} to {end - 1}"


def _with_value(field: Field) -> str:
    """Return the path of a field, and its value if that is short."""
    value = field.value
    if isinstance(value, bytes | bytearray):
        return f"{field.path} = {value.hex()}" if len(value) <= _INLINE else field.path
    if isinstance(value, int):
        return f"{field.path} = {int(value)}"
    return field.path
