"""Decode the page images of a transaction of a SQLite write-ahead log to rows.

:mod:`walproof.formats.sqlite_wal.operations` also uses earlier pages and the database file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from walproof.decode.decoder import Row
from walproof.decode.fault import CUT, Undecodable
from walproof.formats.sqlite_wal.pages import (
    Cell,
    DatabaseHeader,
    Page,
    Value,
    parse_page,
    read_payload,
    record_values,
)
from walproof.quantity import counted
from walproof.quoted import quoted
from walproof.schema import Struct

#: A value has one member; NULL has none. Text that is invalid in the encoding of the database is in
#: ``blob``.
VALUE: Struct = {
    "integer": "int64",
    "real": "float64",
    "text": "string",
    "blob": "binary",
}
ROW: Struct = {
    # Null in the pages of indexes and of tables without rowids.
    "rowid": "int64",
    "values": [VALUE],
    # Reason if values of the row are missing.
    "fault": "string",
}
PAGE: Struct = {
    "page": "int64",
    "type": "string",
    "rows": [ROW],
    # Reason if the rows are missing.
    "fault": "string",
}
TYPE: Struct = {"pages": [PAGE]}
COLUMNS = frozenset({"pages"})
NEEDS_PAYLOAD = True

#: At most 65,536 values of a transaction are decoded, plus one value for each ``_BYTES_PER_VALUE``
#: bytes of its images. The fixed number is for pages of the smallest values, which have fewer bytes
#: for each value.
_BYTES_PER_VALUE = 4
_FRAME_HEADER_SIZE = 24
_SHOWN_PAGES = 3
_SHOWN_VALUES = 4


def decode_row(row: Row) -> Mapping[str, Any]:
    """Decode the payload of a record. Raises ``Undecodable``."""
    numbers = json.loads(row.fields["pages"])
    return decode(row.payload, numbers, row.size // len(numbers) - _FRAME_HEADER_SIZE)


def decode(payload: bytes, numbers: Sequence[int], page_size: int) -> dict[str, Any]:
    """Decode the complete page images of a transaction; ``numbers`` lists their page numbers.

    Raises ``Undecodable`` if no image is complete.
    """
    images = [
        (number, payload[index * page_size : (index + 1) * page_size])
        for index, number in enumerate(numbers)
        if (index + 1) * page_size <= len(payload)
    ]
    if not images:
        raise Undecodable(CUT)
    return {"pages": [*_Transaction(images).pages()]}


class _Transaction:
    """The images of a transaction; if a page has several, the last one counts."""

    def __init__(self, images: Sequence[tuple[int, bytes]]) -> None:
        self.images = images
        self.last = dict(images)
        header = DatabaseHeader.of(self.last.get(1, b""))
        self.encoding = header.encoding if header else None
        self.reserved = header.reserved if header else 0
        self.values_left = (1 << 16) + sum(len(image) for _, image in images) // _BYTES_PER_VALUE
        #: For each overflow page that was read, the frame and the number of its cell.
        self.overflow_pages: dict[int, tuple[int, int]] = {}

    def pages(self) -> list[dict[str, Any]]:
        decoded = [self._page(frame, *each) for frame, each in enumerate(self.images)]
        for page in decoded:
            if page["page"] in self.overflow_pages and page["type"] == "other":
                page |= {"type": "overflow", "fault": None}
        return decoded

    def _page(self, frame: int, number: int, image: bytes) -> dict[str, Any]:
        try:
            page = parse_page(image, number, self.reserved)
        except Undecodable as fault:
            return {"page": number, "type": "other", "fault": str(fault)}
        decoded: dict[str, Any] = {"page": number, "type": page.type}
        if page.has_rows:
            try:
                decoded["rows"] = [*self._rows(frame, page)]
            except Undecodable as fault:
                decoded["fault"] = f"page {number}: {fault}"
        return decoded

    def _rows(self, frame: int, page: Page) -> Iterator[dict[str, Any]]:
        for index, cell in enumerate(page.cells):
            payload, fault = self._payload(cell, (frame, index))
            encoding = self.encoding or "utf-8"
            values, is_complete = record_values(payload, encoding, self.values_left)
            self.values_left -= len(values)
            if is_complete:
                fault = None
            elif fault is None:
                fault = "the payload ends before the last value"
            yield {
                "rowid": cell.rowid,
                "values": [self._value(value) for value in values],
                "fault": fault,
            }

    def _payload(self, cell: Cell, owner: tuple[int, int]) -> tuple[bytes, str | None]:
        """Return the payload in the transaction, and the reason if the payload is cut."""
        image_of = lambda number: self.last.get(number, b"")  # noqa: E731
        payload, number = read_payload(cell, owner, image_of, self.reserved, self.overflow_pages)
        if number is None:
            return payload, None
        if number in self.last:
            return payload, f"overflow page {number} has another cell's payload"
        return payload, f"the rest is on page {number}, not in the transaction"

    def _value(self, value: Value) -> dict[str, Any] | None:
        if value is None:
            return {}
        if isinstance(value, bytes):
            return {"blob": value}
        if isinstance(value, str):
            # Without page 1, the encoding is unknown, and zeros in the text suggest UTF-16.
            is_certain = self.encoding is not None or "\0" not in value
            return {"text": value} if is_certain else {"blob": value.encode()}
        return {"integer": value} if isinstance(value, int) else {"real": value}


def phrase(value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """Describe the first pages and the first row. See :func:`walproof.decode.phrase`."""
    pages = value["pages"]
    shown = ", ".join(map(_page_text, pages[:_SHOWN_PAGES]))
    more = f", and {len(pages) - _SHOWN_PAGES} more" if len(pages) > _SHOWN_PAGES else ""
    row = next((rows[0] for page in pages if (rows := page.get("rows"))), None)
    return f"{counted(len(pages), 'page')}: {shown}{more}{_row_text(row) if row else ''}"


def _page_text(page: Mapping[str, Any]) -> str:
    text = f"{page['type']} {page['page']}"
    rows = page.get("rows")
    return text if rows is None else f"{text} ({counted(len(rows), 'row')})"


def _row_text(row: Mapping[str, Any]) -> str:
    values = ", ".join(map(_value_text, row["values"][:_SHOWN_VALUES]))
    more = ", …" if len(row["values"]) > _SHOWN_VALUES else ""
    rowid = "" if row["rowid"] is None else f" {row['rowid']}"
    return f"; first row{rowid}: ({values}{more})"


def _value_text(value: Mapping[str, Any] | None) -> str:
    for name, content in (value or {}).items():
        if content is not None:
            if name == "text":
                return quoted(content.encode())
            return quoted(content) if name == "blob" else str(content)
    return "NULL"
