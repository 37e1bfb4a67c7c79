"""Print the byte map to a terminal or a pipe, one field per line, incrementally."""

from __future__ import annotations

from itertools import chain, islice

from rich.console import Console
from rich.text import Text

from conformance.kaitai.field_map import Field
from conformance.kaitai.field_text import counted, cut, hex_text, shared_prefix, value_text
from conformance.text import one_line
from reference_impl.answer import Record
from walproof.describe import NotDescribed, describe
from walproof.inspection.byte_map import (
    SIGN,
    ByteMap,
    ChecksumResult,
    FileBytes,
    MappedField,
    Mark,
)
from walproof.verdict import VERDICT_STYLE

_RESULT_STYLE = {True: "green", False: "bold red", None: "dim"}
_FATE_STYLE = {"lost": "red", "torn": "yellow", "record": "green", "framing": "dim"}
_MARK_STYLE = {**_FATE_STYLE, "end": "green", "limit": "bold", "stopped": "bold red"}
#: Maximum width of a record's description in columns.
MAX_COLUMNS = 400
_WIDE = 110
#: Widths in columns: that of the bytes, and those of the requirements on a terminal and in a pipe.
_BYTES, _IDS, _IDS_IN_A_PIPE = 20, 21, 42


class TerminalMap:
    """Prints the byte map of a log: as a tree on a terminal, or with full paths in a pipe."""

    def __init__(self, view: ByteMap, console: Console) -> None:
        self.view = view
        self.console = console
        self.is_pipe = not console.is_terminal
        self.width = 160 if self.is_pipe else console.width
        self.with_ids = self.is_pipe or self.width >= _WIDE
        self.id_column = self.width - (_IDS_IN_A_PIPE if self.is_pipe else _IDS)

    def print(
        self, start: int, end: int, depth: int | None = None, limit: int | None = None
    ) -> None:
        """Print the fields in ``[start, end)`` between the summary and the closing line."""
        outline, records = self.view.outline, enumerate(self.view.records())
        self._print_about_log(self._title())
        offset_width, hex_width = max(6, len(str(end))), max(5, len(f"{end:x}"))
        rows = self.view.rows(start, end, depth, limit)
        # These rows are enough to estimate the width of the name column.
        head = list(islice(rows, 400))
        names = [self._name(row.field) for row in head if isinstance(row, MappedField)]
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
                line.append(hex_text(FileBytes(self.view.file), start, row.field.end, _BYTES))
            style = "bold" if row.field.value is None else "cyan"
            _pad(line, name_column).append(self._name(row.field), style).append("  ")
            self._print_value(_pad(line, value_column), row)
            if row.record is not None and row.record > last_record:
                last_record = row.record
                for number, record in records:
                    if number == last_record:
                        self._print_description(number, record)
                        break
        self._print_about_log(f"{outline.result}. {self._advice()}")

    def _write(self, line: Text, width: int | None = None) -> None:
        line.rstrip()
        if width is not None:
            line.truncate(width, overflow="ellipsis")
        self.console.print(line, soft_wrap=True)

    def _print_value(self, line: Text, row: MappedField) -> None:
        field = row.field
        ids = field.requirements if self.with_ids else ()
        room = (self.id_column - 1 if ids else self.width) - line.cell_len
        result = row.result
        matches = None if result is None else result.matches
        # Readers skip framing, so a wrong checksum does not matter there.
        style = _RESULT_STYLE[matches if matches or row.fate != "framing" else None]
        if field.value is None:
            line.append("".join(f"{label}, " for label in field.labels))
            if matches is False:
                line.append("checksum does not match, ", style)
            elif field.checksum is not None and field.checksum.applies and not matches:
                line.append("checksum not checked, ", style)
            line.append(counted(field.end - field.start, "byte"), "dim")
            if result is not None or field.labels:
                fate = f"record {row.record}" if row.fate == "record" else row.fate
                fate = "refused" if self.view.outline.verdict == "refused" else fate
                line.append(f": {fate}", _FATE_STYLE[row.fate])
        elif result is not None:
            line.append(result.stored, "red" if row.fate == "lost" else "")
            text = f"  {_result_text(result)}"
            line.append(text if self.is_pipe else cut(text, room - len(result.stored)), style)
        else:
            line.append(value_text(field, room), "red" if row.fate == "lost" else "")
        if ids:
            _pad(line, self.id_column).append(" " if line.cell_len > self.id_column else "")
            line.append(" ".join(ids) if self.is_pipe else shared_prefix(ids), "dim")
        self._write(line, None if self.is_pipe else self.width)

    def _print_description(self, number: int, record: Record) -> None:
        try:
            described = describe(self.view.log.format, record)
        except NotDescribed:
            return
        if described is not None:
            line = Text().append(f"» record {number}: ", "green")
            line.append(cut(one_line(described.text), MAX_COLUMNS))
            self._write(line, None if self.is_pipe else self.width)

    def _title(self) -> str:
        outline = self.view.outline
        lost = f", {counted(outline.lost_bytes(), 'byte')} lost" if outline.lost else ""
        return (
            f"{one_line(self.view.log.name)}: {self.view.log.format},"
            f" {counted(outline.size, 'byte')},"
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


def _result_text(result: ChecksumResult) -> str:
    if result.matches is None:
        return "not checked"
    return "matches" if result.matches else f"does not match, expected {result.expected}"


def _pad(line: Text, column: int) -> Text:
    return line.append(" " * max(0, column - line.cell_len))
