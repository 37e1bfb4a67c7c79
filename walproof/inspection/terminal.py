"""Print the byte map to a terminal or a pipe, one field per line, incrementally."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, islice

from rich.console import Console
from rich.text import Text

from conformance.kaitai.field_map import Field, ParseStopped
from conformance.text import one_line
from walproof.inspection.inspection import Inspection, shared_prefix
from walproof.inspection.marked import FieldRow, Mark, Row, marked
from walproof.inspection.note import Note
from walproof.inspection.show import counted, cut, hex_text, value_text
from walproof.verdict import VERDICT_STYLE

_NOTE_STYLE = {True: "green", False: "bold red", None: "dim"}
_WIDE = 110
_SHOWN = 64


class TerminalMap:
    """Print the map of one inspection.

    On a terminal, lines have the width of the terminal, and a line with the path of a unit precedes
    its fields. In a pipe, each line has the full path and the full requirement ids, for use with
    grep.
    """

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
        self._print_summary()
        rows = marked(fields, self.view.outline, start, end, limit)
        stopped: ParseStopped | None = None
        head: list[Row] = []
        try:
            head.extend(islice(rows, 400))  # enough to estimate the width of the name column
        except ParseStopped as error:
            stopped = error
        for row in head:
            self._make_room(row)
        if any(isinstance(row, FieldRow) for row in head):
            self._print_heads()
        try:
            for row in chain(head, rows):
                self._print_row(row)
        except ParseStopped as error:
            stopped = error
        if stopped is not None:
            self._write(Text().append(f"! the grammar does not fit further: {stopped}", "bold red"))
        self._print_legend()
        self._print_closing()

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
        note = self.view.notes.unit(field, self.view.bytes) if field.value is None else None
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
        self._write(line.append(fate, _fate_style(row)), self.width)

    def _print_meaning(self, record: int) -> None:
        self.last_record = record
        if (text := self.view.meanings.of(record)) is not None:
            line = Text().append(f"» record {record}: ", "green").append(text)
            self._write(line, None if self.is_pipe else self.width)

    def _print_field(self, row: FieldRow, unit: Note | None) -> None:
        field = row.field
        line = self._begin(row)
        data = b"" if field.value is None else self._ends(field)
        _pad(line.append(hex_text(data, self.byte_room)), self._name_column())
        line.append(self._name(field), "cyan" if field.value is not None else "bold").append("  ")
        _pad(line, self._name_column() + self.name_width + 2)
        ids = field.requirements if self.with_ids else ()
        id_text = " ".join(ids) if self.is_pipe else shared_prefix(ids)
        id_column = self.width - (42 if self.is_pipe else 21)
        room = (id_column - 1 if ids else self.width) - line.cell_len
        self._add_value(line, row, unit, room)
        if ids:
            _pad(line, id_column).append(" " if line.cell_len > id_column else "")
            line.append(id_text, "dim")
        self._write(line, None if self.is_pipe else self.width)

    def _ends(self, field: Field) -> bytes:
        """Return the bytes of a field; of long data only both ends, as far as a line shows them."""
        if field.end - field.start <= 2 * _SHOWN:
            return self.view.bytes[field.start : field.end]
        first = self.view.bytes[field.start : field.start + _SHOWN]
        return first + self.view.bytes[field.end - _SHOWN : field.end]

    def _add_value(self, line: Text, row: FieldRow, unit: Note | None, room: int) -> None:
        field = row.field
        if field.value is None:
            line.append(f"{unit.text}, " if unit else "", _unit_style(unit) if unit else "")
            line.append(counted(field.end - field.start, "byte"), "dim")
            line.append(f": {self.view.fate(row)}" if unit else "", _fate_style(row))
            return
        note = self.view.notes.value(field, self.view.bytes)
        text = cut(note.text, room)
        value = value_text(field, note, room - len(text) - 2 * bool(text))
        line.append(value, "red" if row.lost and not row.lost.torn else "")
        line.append(f"  {text}" if text and value else text, _NOTE_STYLE[note.holds])

    def _print_mark(self, mark: Mark) -> None:
        if mark.type == "end":
            text = f"end {mark.at}: safe to truncate here and append"
            self._write(Text().append(f"= {text}", "green"))
        elif mark.type == "limit":
            self._print_limit(mark.at)
        elif (gap := mark.lost) is not None:
            sign, word, style = ("~", "torn", "yellow") if gap.torn else ("x", "lost", "red")
            if mark.type == "lost-ends":
                self._write(Text().append(f"{sign} └─ {word} up to {mark.at}", style))
                return
            ids = self.view.chapter.reasons.get(gap.reason, ())
            line = Text().append(f"{sign} ┌─ {word} ", style)
            line.append(f"[{gap.start}, {gap.end}) {gap.reason}", f"bold {style}")
            line.append(f", {counted(gap.end - gap.start, 'byte')}", style)
            self._write(line.append(f"  {shared_prefix(ids)}" if ids else "", "dim"))

    def _print_limit(self, at: int) -> None:
        remaining = counted(self.end - at, "byte")
        text = f"… {remaining} not shown: continue with --from {at}, or show all with --limit 0"
        self._write(Text().append(text, "bold"))
        later = sum(gap.start >= at for gap in self.view.outline.lost_between(at, self.end))
        if later:
            text = f"x not shown: {counted(later, 'lost range')} (see walproof read --lost-only)"
            self._write(Text().append(text, "red"))

    def _print_summary(self) -> None:
        outline = self.view.outline
        name = one_line(str(self.view.path))
        self._write(
            Text().append(f"{name}: {self.view.format}, {counted(outline.size, 'byte')}, ")
            .append(outline.verdict, f"bold {VERDICT_STYLE[outline.verdict]}")
            .append(f" ({outline.reason})" if outline.reason else "")
            .append(f", {counted(len(outline.record_start), 'record')}")
            .append(f", {counted(outline.lost_bytes(), 'byte')} lost" if outline.lost else "")
        )  # fmt: skip

    def _print_closing(self) -> None:
        outline = self.view.outline
        line = Text().append(outline.verdict, f"bold {VERDICT_STYLE[outline.verdict]}")
        line.append(f" ({outline.reason})" if outline.reason else "")
        if outline.verdict == "refused":
            line.append(". The fields are the grammar's view of the file.")
        elif outline.end is None:
            line.append(". Not safe to append.")
        else:
            line.append(f". Safe to append at offset {outline.end}.")
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
        line = Text()
        if row.lost is not None:
            line.append("~ " if row.lost.torn else "x ", "yellow" if row.lost.torn else "red")
        else:
            line.append("  ")
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


def _fate_style(row: FieldRow) -> str:
    if row.lost is not None:
        return "yellow" if row.lost.torn else "red"
    return "dim" if row.record is None else "green"
