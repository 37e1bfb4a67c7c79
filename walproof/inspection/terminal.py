"""Print the byte map to a terminal or a pipe, one field per line, incrementally."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice

from rich.console import Console
from rich.text import Text

from conformance.kaitai.field_map import Field
from conformance.text import one_line
from reference_impl.answer import Record
from walproof.inspection.inspection import Inspection
from walproof.inspection.marked import SIGN, FieldRow, Mark, marked
from walproof.inspection.note import NOTHING
from walproof.inspection.show import counted, cut, hex_text, shared_prefix, value_text
from walproof.summary.records import meaning
from walproof.verdict import VERDICT_STYLE

_NOTE_STYLE = {True: "green", False: "bold red", None: "dim"}
_FATE_STYLE = {"lost": "red", "torn": "yellow", "record": "green", "framing": "dim"}
_MARK_STYLE = {**_FATE_STYLE, "end": "green", "limit": "bold", "stopped": "bold red"}
#: Maximum width of the description of a record, in columns.
MAX_COLUMNS = 400
_WIDE = 110
_SHOWN = 64
#: Widths in columns of the bytes, and of the requirements on a terminal and in a pipe.
_BYTES, _IDS, _IDS_IN_A_PIPE = 20, 21, 42


class TerminalMap:
    """A printer for the byte map of a log: as a tree on a terminal, with full paths in a pipe."""

    def __init__(self, view: Inspection, console: Console) -> None:
        self.view = view
        self.console = console
        self.is_pipe = not console.is_terminal
        self.width = 160 if self.is_pipe else console.width
        self.with_ids = self.is_pipe or self.width >= _WIDE
        self.id_column = self.width - (_IDS_IN_A_PIPE if self.is_pipe else _IDS)

    def print(
        self, fields: Iterable[Field], start: int, end: int, limit: int | None = None
    ) -> None:
        """Print the fields in ``[start, end)`` between the summary and the closing line."""
        outline, records = self.view.outline, enumerate(self.view.records())
        self._print_about_log(self._title())
        offset_width, hex_width = max(6, len(str(end))), max(5, len(f"{end:x}"))
        rows = marked(fields, outline, self.view.chapter.reasons, start, end, limit)
        head = list(islice(rows, 400))  # enough to estimate the width of the name column
        names = [self._name(row.field) for row in head if isinstance(row, FieldRow)]
        name_column = 2 + offset_width + 1 + hex_width + 2 + _BYTES + 1
        value_column = name_column + max(map(len, names), default=0) + 2
        if names:
            heads = f"  {'offset':>{offset_width}} {'hex':>{hex_width}}  bytes"
            line = _pad(Text(heads, "dim"), name_column).append("field")
            _pad(line, value_column).append("value")
            self._write(_pad(line, self.id_column).append("requirements" * self.with_ids))
        last_record = -1
        for row in chain(head, rows):
            if isinstance(row, Mark):
                self._write(Text(row.text, _MARK_STYLE[row.style]))
                continue
            start = row.field.start
            line = Text().append(f"{SIGN[row.fate]} ", _FATE_STYLE[row.fate])
            line.append(f"{start:>{offset_width}} {start:>{hex_width}x}  ", "dim")
            if row.field.value is not None:
                data = self.view.bytes.ends(start, row.field.end, 2 * _SHOWN)
                line.append(hex_text(data, _BYTES))
            style = "bold" if row.field.value is None else "cyan"
            _pad(line, name_column).append(self._name(row.field), style).append("  ")
            self._print_value(_pad(line, value_column), row)
            if row.record is not None and row.record > last_record:
                last_record = row.record
                for number, record in records:
                    if number == last_record:
                        self._print_meaning(number, record)
                        break
        self._print_about_log(f"{outline.result}. {self._advice()}")

    def _write(self, line: Text, width: int | None = None) -> None:
        line.rstrip()
        if width is not None:
            line.truncate(width, overflow="ellipsis")
        self.console.print(line, soft_wrap=True)

    def _print_value(self, line: Text, row: FieldRow) -> None:
        field = row.field
        ids = field.requirements if self.with_ids else ()
        room = (self.id_column - 1 if ids else self.width) - line.cell_len
        note = self.view.note(field)
        if field.value is None:
            bad = "bold red" if note is not None and note.holds is False else ""
            line.append(f"{note.text}, " if note else "", bad)
            line.append(counted(field.end - field.start, "byte"), "dim")
            fate = f"record {row.record}" if row.fate == "record" else row.fate
            fate = "refused" if self.view.outline.verdict == "refused" else fate
            line.append(f": {fate}" if note else "", _FATE_STYLE[row.fate])
        else:
            note = note or NOTHING
            text = cut(note.text, room)
            value = value_text(field, note, room - len(text) - 2 * bool(text))
            line.append(value, "red" if row.fate == "lost" else "")
            line.append(f"  {text}" if text and value else text, _NOTE_STYLE[note.holds])
        if ids:
            _pad(line, self.id_column).append(" " if line.cell_len > self.id_column else "")
            line.append(" ".join(ids) if self.is_pipe else shared_prefix(ids), "dim")
        self._write(line, None if self.is_pipe else self.width)

    def _print_meaning(self, number: int, record: Record) -> None:
        text, _ = meaning(self.view.format.id, record)
        if text is not None:
            line = Text().append(f"» record {number}: ", "green")
            line.append(cut(one_line(text), MAX_COLUMNS))
            self._write(line, None if self.is_pipe else self.width)

    def _title(self) -> str:
        outline = self.view.outline
        lost = f", {counted(outline.lost_bytes(), 'byte')} lost" if outline.lost else ""
        return (
            f"{one_line(self.view.name)}: {self.view.format.id}, {counted(outline.size, 'byte')},"
            f" {outline.result}, {counted(len(outline.record_start), 'record')}{lost}"
        )

    def _advice(self) -> str:
        if self.view.outline.verdict == "refused":
            return "The fields are the grammar's view of the file."
        if self.view.outline.end is None:
            return "Not safe to append."
        return f"Safe to append at offset {self.view.outline.end}."

    def _print_about_log(self, text: str) -> None:
        verdict = self.view.outline.verdict
        line = Text(text)
        line.highlight_words([verdict], f"bold {VERDICT_STYLE[verdict]}")
        self._write(line)

    def _name(self, field: Field) -> str:
        if self.is_pipe:
            return field.path
        outer, _, name = field.path.rpartition(".")
        return f"{'  ' * (outer.count('.') + bool(outer))}{name}"


def _pad(line: Text, column: int) -> Text:
    return line.append(" " * max(0, column - line.cell_len))
