"""Write the byte map as one HTML file that works from disk without other files or scripts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from markupsafe import Markup

from conformance import templates
from conformance.chapter import Requirement
from conformance.saving import saved
from conformance.text import one_line
from walproof.inspection.inspection import Inspection
from walproof.inspection.marked import SIGN, FieldRow, Mark, marked
from walproof.inspection.note import NOTHING
from walproof.inspection.show import counted, hex_text, value_text

#: Number of bytes that a row shows at most: of longer data the first and the last ones.
SHOWN_BYTES = 512
_VALUE_COLUMNS = 200
_MAX_LOST = 2000
_TEMPLATES = Path(__file__).with_name("templates")
_NOTE_STYLE = {True: "good", False: "bad", None: "quiet"}


@dataclass
class Page:
    """The page of the window ``[start, end)``; ``end`` and ``fields`` change during writing."""

    view: Inspection
    start: int
    end: int
    limit: int | None
    fields: int = 0
    cited: set[str] = field(default_factory=set)

    def write(self, path: Path) -> None:
        """Write the page to ``path``, one row at a time. Raises ``OSError``, also if it exists."""
        view, style = self.view, (_TEMPLATES / "inspect.css").read_text(encoding="utf-8")
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
        # The map above the rows links to them: it needs the end of the last one.
        rows = self._rows() if self.limit is None else list(self._rows())
        pieces = (
            templates.environment(_TEMPLATES, autoescape=True)
            .get_template("inspect.html.j2")
            .generate(
                name=one_line(view.path.name),
                title=view.title(),
                advice=view.advice(),
                outline=view.outline,
                lost=islice(view.outline.lost, _MAX_LOST),
                shown=(self.start, self.end),
                rows=rows,
                rules=self._rules,
                style=Markup(style),
                style_hash=f"sha256-{digest}",
            )
        )
        with saved(path, replace=False) as file:
            for piece in pieces:
                file.write(piece.encode("utf-8"))

    def _rows(self) -> Iterator[dict[str, Any]]:
        view, last_record = self.view, -1
        fields = view.fields(self.start, self.end)
        for row in marked(fields, view.outline, self.start, self.end, self.limit):
            if isinstance(row, Mark):
                yield from self._mark(row)
                continue
            self.fields += 1
            yield self._field(row)
            if row.record is not None and row.record > last_record:
                last_record = row.record
                if (text := view.meanings.of(last_record)) is not None:
                    yield {"text": f"» record {last_record}: {text}", "style": "meaning", "id": ""}

    def _mark(self, mark: Mark) -> Iterator[dict[str, Any]]:
        id = f"lost-{mark.lost.start}" if mark.type == "lost-begins" and mark.lost else ""
        for text, style in self.view.mark_lines(mark, self.end):
            yield {"text": text, "style": style, "id": id}
        if mark.lost is not None:
            self.cited.update(self.view.chapter.reasons.get(mark.lost.reason, ()))
        if mark.type == "limit":
            self.end = mark.at

    def _field(self, row: FieldRow) -> dict[str, Any]:
        view, field = self.view, row.field
        note = view.note(field)
        self.cited.update(field.requirements)
        data, value = b"", counted(field.end - field.start, "byte")
        if field.value is not None:
            data = view.bytes.ends(field.start, field.end, 2 * SHOWN_BYTES)
            value = value_text(field, note or NOTHING, _VALUE_COLUMNS)
        elif note is not None:
            value += f": {view.fate(row)}"
        return {
            "path": field.path,
            "style": f"{row.fate} unit" if field.value is None else row.fate,
            "sign": SIGN[row.fate],
            "start": field.start,
            "bytes": hex_text(data, 3 * SHOWN_BYTES),
            "doc": field.doc,
            "value": value,
            "note": note.text if note else "",
            "note_style": _NOTE_STYLE[note.holds if note else None],
            "ids": field.requirements,
        }

    def _rules(self) -> Iterator[Requirement]:
        requirements = self.view.chapter.requirements
        return (requirements[id] for id in sorted(self.cited) if id in requirements)
