"""Describe transactions by the pages that they write and the size of the database (SQW-012)."""

from __future__ import annotations

from reference_impl.answer import Record
from walproof.describe import Description
from walproof.quantity import counted

_FRAME_HEADER_SIZE = 24  # SQW-004
_SHOWN_PAGES = 8


def describe(record: Record) -> Description | None:
    """Describe a transaction. Return None if the record does not list its pages."""
    pages = record.fields.get("pages")
    if not pages:
        return None
    page_size = record.size // len(pages) - _FRAME_HEADER_SIZE
    db_pages = record.fields["db_pages"]
    shown = ", ".join(map(str, pages[:_SHOWN_PAGES]))
    others = f" and {len(pages) - _SHOWN_PAGES:,} more" if len(pages) > _SHOWN_PAGES else ""
    noun = "page" if len(pages) == 1 else "pages"
    text = f"{noun} {shown}{others} of {counted(page_size, 'byte')}"
    text += f"; database size {counted(db_pages, 'page')}"
    fields = {"pages": pages, "page_size": page_size, "db_pages": db_pages}
    if record.fields.get("after_loss"):  # SQW-039
        text = f"must not be applied, after a loss: {text}"
        fields["after_loss"] = True
    return Description(text, fields)
