"""Print the byte map to a terminal or a pipe, one field per line, incrementally."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, islice

from rich.console import Console
from rich.text import Text

from conformance.kaitai.field_map import Field
from walproof.inspection.inspection import Inspection, shared_prefix
from walproof.inspection.marked import SIGN, FieldRow, Mark, Row, marked
from walproof.inspection.note import NOTHING, Note
from walproof.inspection.show import counted, cut, hex_text, value_text
from walproof.verdict import VERDICT_STYLE

_NOTE_STYLE = {True: "green", False: "bold red", None: "dim"}
_FATE_STYLE = {"lost": "red", "torn": "yellow", "record": "green", "framing": "dim"}
_MARK_STYLE = {**_FATE_STYLE, "end": "green", "limit": "bold", "stopped": "bold red"}
_WIDE = 110
_SHOWN = 64


class TerminalMap:
    """Print the map of one inspection to a terminal, or to a pipe with full paths."""

    def __init__(self, view: Inspection, console: Console) -> None:
        self.view = view
        self.console = console
        self.is_pipe = not console.is_terminal
        self.width = 160 if self.is_pipe else console.width
        self.with_ids = self.is_pipe or self.width >= _WIDE
        self.with_hex_offset = self.width >= 74
        self.byte_room = 20 if self.width >= 78 else 11
        self.name_width = 0
        self.end = 0
        self.offset_width = 6
        self.hex_width = 5
        self.unit = ""
        self.last_record = -1
        self.ids_by_name: dict[str, tuple[str, ...]] = {}

    def print(
        self, fields: Iterable[Field], start: int, end: int, limit: int | None = None
    ) -> None:
        """Print the fields in ``[start, end)`` between the summary and the closing line."""
        self.end = end
        self.offset_width = max(6, len(str(end)))
        self.hex_width = max(5, len(f"{end:x}"))
        self._print_about_log(self.view.title())
        rows = marked(fields, self.view.outline, start, end, limit)
        head = list(islice(rows, 400))  # enough to estimate the width of the name column
        for row in head:
            self._make_room(row)
        if any(isinstance(row, FieldRow) for row in head):
            self._print_heads()
        for row in chain(head, rows):
            self._print_row(row)
        self._print_legend()
        self._print_about_log(self.view.advice())

    def print_about(self, field: Field) -> None:
        """Print the description of a field in the grammar, and its requirements."""
        paragraphs = [Text(field.doc)] if field.doc else []
        for id in field.requirements:
            if rule := self.view.chapter.requirements.get(id):
                text = Text.assemble((f"{rule.id} ({rule.level})", "bold"), f" {rule.text}")
                paragraphs.append(text)
        for paragraph in paragraphs:
            self.console.print()
            self._write_paragraph(paragraph, min(self.width, 100))

    def _write(self, line: Text, width: int | None = None) -> None:
        line.rstrip()
        if width is not None:
            line.truncate(width, overflow="ellipsis")
        self.console.print(line, soft_wrap=True)

    def _write_paragraph(self, text: Text, width: int) -> None:
        for line in text.wrap(self.console, width):
            self._write(line)

    def _print_row(self, row: Row) -> None:
        if isinstance(row, Mark):
            self._print_mark(row)
            return
        self._make_room(row)
        field = row.field
        note = self.view.note(field)
        if self.is_pipe or field.value is not None:
            self._print_field(row, note)
        elif not self.unit or field.path.endswith("]"):
            self._print_heading(row, note)
        if row.record is not None and row.record > self.last_record:
            self._print_meaning(row.record)
        if field.requirements and not self.with_ids:
            self.ids_by_name.setdefault(re.sub(r"\[\d+\]", "", _inner(field)), field.requirements)

    def _print_heading(self, row: FieldRow, note: Note | None) -> None:
        self.unit = row.field.path
        line = self._begin(row)
        line.append(row.field.path, "bold").append("  ")
        room = self.width - line.cell_len
        size = counted(row.field.end - row.field.start, "byte")
        if note is None:
            self._write(line.append(cut(size, room), "dim"))
            return
        fate = f": {self.view.fate(row)}"
        line.append(cut(f"{note.text}, {size}", room - len(fate)), _unit_style(note))
        self._write(line.append(fate, _FATE_STYLE[row.fate]), self.width)

    def _print_meaning(self, record: int) -> None:
        self.last_record = record
        if (text := self.view.meanings.of(record)) is not None:
            line = Text().append(f"» record {record}: ", "green").append(text)
            self._write(line, None if self.is_pipe else self.width)

    def _print_field(self, row: FieldRow, note: Note | None) -> None:
        field = row.field
        line = self._begin(row)
        data = (
            b"" if field.value is None else self.view.bytes.ends(field.start, field.end, 2 * _SHOWN)
        )
        _pad(line.append(hex_text(data, self.byte_room)), self._name_column())
        line.append(self._name(field), "cyan" if field.value is not None else "bold").append("  ")
        _pad(line, self._name_column() + self.name_width + 2)
        ids = field.requirements if self.with_ids else ()
        id_text = " ".join(ids) if self.is_pipe else shared_prefix(ids)
        id_column = self.width - (42 if self.is_pipe else 21)
        room = (id_column - 1 if ids else self.width) - line.cell_len
        self._add_value(line, row, note, room)
        if ids:
            _pad(line, id_column).append(" " if line.cell_len > id_column else "")
            line.append(id_text, "dim")
        self._write(line, None if self.is_pipe else self.width)

    def _add_value(self, line: Text, row: FieldRow, note: Note | None, room: int) -> None:
        field = row.field
        if field.value is None:
            line.append(f"{note.text}, " if note else "", _unit_style(note) if note else "")
            line.append(counted(field.end - field.start, "byte"), "dim")
            line.append(f": {self.view.fate(row)}" if note else "", _FATE_STYLE[row.fate])
            return
        note = note or NOTHING
        text = cut(note.text, room)
        value = value_text(field, note, room - len(text) - 2 * bool(text))
        line.append(value, "red" if row.fate == "lost" else "")
        line.append(f"  {text}" if text and value else text, _NOTE_STYLE[note.holds])

    def _print_mark(self, mark: Mark) -> None:
        for text, style in self.view.mark_lines(mark, self.end):
            self._write(Text(text, _MARK_STYLE[style]))

    def _print_about_log(self, text: str) -> None:
        verdict = self.view.outline.verdict
        line = Text(text)
        line.highlight_words([verdict], f"bold {VERDICT_STYLE[verdict]}")
        self._write(line)

    def _print_heads(self) -> None:
        line = Text().append("  " + "offset".rjust(self.offset_width), "dim")
        if self.with_hex_offset:
            line.append(" " + "hex".rjust(self.hex_width), "dim")
        _pad(line.append("  bytes", "dim"), self._name_column())
        line.append("field" if self.is_pipe else "  field", "dim")
        _pad(line, self._name_column() + self.name_width + 2).append("value", "dim")
        if self.with_ids:
            _pad(line, self.width - (42 if self.is_pipe else 21)).append("requirements", "dim")
        self._write(line)

    def _print_legend(self) -> None:
        if self.ids_by_name:
            ids_by_name = ", ".join(
                f"{name} {shared_prefix(ids)}" for name, ids in self.ids_by_name.items()
            )
            text = Text(f"requirements: {ids_by_name}", style="dim")
            self._write_paragraph(text, self.width)

    def _begin(self, row: FieldRow) -> Text:
        line = Text().append(f"{SIGN[row.fate]} ", _FATE_STYLE[row.fate])
        line.append(str(row.field.start).rjust(self.offset_width), "dim")
        if self.with_hex_offset:
            line.append(f" {row.field.start:x}".rjust(self.hex_width + 1), "dim")
        return line.append("  ")

    def _name_column(self) -> int:
        hex_offset = self.hex_width + 1 if self.with_hex_offset else 0
        return 2 + self.offset_width + hex_offset + 2 + self.byte_room + 1

    def _make_room(self, row: Row) -> None:
        if isinstance(row, FieldRow) and (self.is_pipe or row.field.value is not None):
            name = row.field.path if self.is_pipe else f"  {_inner(row.field)}"
            self.name_width = max(self.name_width, len(name))

    def _name(self, field: Field) -> str:
        """Return the path relative to the unit above; in a pipe, the full path."""
        inside = self.unit and field.path.startswith(f"{self.unit}.")
        if self.is_pipe or not inside:
            return field.path
        return "  " + field.path[len(self.unit) + 1 :]


def _pad(line: Text, column: int) -> Text:
    return line.append(" " * max(0, column - line.cell_len))


def _inner(field: Field) -> str:
    """Return the path after the last array element: ``header.checksum``."""
    return field.path.rpartition("].")[2]


def _unit_style(note: Note) -> str:
    return "bold red" if note.holds is False else ""
