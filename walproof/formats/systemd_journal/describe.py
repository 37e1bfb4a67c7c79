"""Describe entries by their fields in export format (SDJ-042, SDJ-090), message first."""

from __future__ import annotations

import io
from typing import Any

from reference_impl.answer import Record
from reference_impl.systemd_journal.export_format import BadExport, parse_fields
from walproof.describe import Description, NotDescribed, bytes_to_json, max_items, shorten
from walproof.quantity import counted
from walproof.quoted import MAX_CHARACTERS, quoted

_SHOWN_FIELDS = 6
_MESSAGE_CHARACTERS = 200


def describe(record: Record) -> Description:
    """Describe the fields of an entry. Raises :class:`NotDescribed`.

    ``_BOOT_ID`` is not included, because it is a field of the record.
    """
    stream, at = io.BytesIO(record.payload), 0
    fields: list[tuple[str, bytes]] = []
    count, most = 0, max_items(record.payload)
    try:
        for field in parse_fields(stream):
            if field is None:
                raise NotDescribed(at, "a field in export format", "an empty line")
            name, _, value = field.partition(b"=")
            if count < most:
                fields.append((name.decode("ascii", errors="replace"), value))
            count, at = count + 1, stream.tell()
    except BadExport:
        found = record.payload[at : at + 16].hex()
        raise NotDescribed(at, "a field in export format", f"bytes {found}") from None
    return Description(_text(fields, count), _to_json(fields, count))


def _text(fields: list[tuple[str, bytes]], count: int) -> str:
    message_first = sorted(fields, key=lambda field: field[0] != "MESSAGE")[:_SHOWN_FIELDS]
    shown = [
        f"{shorten(name, MAX_CHARACTERS)}="
        + _shown(value, _MESSAGE_CHARACTERS if name == "MESSAGE" else MAX_CHARACTERS)
        for name, value in message_first
    ]
    others = f" and {counted(count - len(shown), 'more field')}" if count > len(shown) else ""
    return " ".join(shown) + others


def _shown(value: bytes, most_characters: int) -> str:
    text = bytes_to_json(value)
    return shorten(text, most_characters) if isinstance(text, str) else quoted(value)


def _to_json(fields: list[tuple[str, bytes]], count: int) -> dict[str, Any]:
    """Return the values by name, as a list for a name that occurs more than once."""
    values: dict[str, Any] = {}
    for name, value in fields:
        values.setdefault(name, []).append(bytes_to_json(value))
    by_name = {name: each[0] if len(each) == 1 else each for name, each in values.items()}
    return {"fields": by_name} | (
        {"not_listed": count - len(fields)} if count > len(fields) else {}
    )
