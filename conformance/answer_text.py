"""Describe records, ranges and external text briefly, for all differences and reports."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from conformance.text import printable
from reference_impl.answer import INLINE_PAYLOAD_LIMIT, payload_to_json

Record = Mapping[str, Any]

# These keys state where a record is, so they are not part of its content.
_PLACE = ("file", "at", "size")
_TEXT = re.compile(rb"[\x20-\x7e]+")
_LINES = re.compile(rb"[\x20-\x7e\n\t]*[\x20-\x7e][\x20-\x7e\n\t]*")


def distinct_texts(
    first: Any, second: Any, text: Callable[[Any], str] = lambda value: printable(str(value))
) -> tuple[str, str]:
    """Return distinguishable texts for two different values.

    ``text`` converts a value to text. If both texts look the same, the function returns ASCII JSON
    instead.
    """
    shown = text(first), text(second)
    if look_alike(*shown):
        return json.dumps(first, sort_keys=True), json.dumps(second, sort_keys=True)
    return shown


def look_alike(first: str, second: str) -> bool:
    """Return whether two texts may look the same, for example because of similar letters."""
    plain = [
        " ".join(unicodedata.normalize("NFKC", "".join(filter(_is_seen, text))).split())
        for text in (first, second)
    ]
    return len(plain[0]) == len(plain[1]) and all(
        x == y or not (x.isascii() and y.isascii()) for x, y in zip(*plain, strict=True)
    )


def _is_seen(character: str) -> bool:
    return character.isprintable() or character.isspace()


def cut_around_difference(first: str, second: str, width: int) -> tuple[str, str]:
    """Return two texts, cut to about ``width`` characters around their first difference."""
    if max(len(first), len(second)) <= width:
        return first, second
    pairs = zip(first, second, strict=False)
    same = next((n for n, (x, y) in enumerate(pairs) if x != y), min(len(first), len(second)))
    start = max(0, same - width // 3)

    def cut(text: str) -> str:
        part = text[start : start + width]
        return f"{'…' * (start > 0)}{part}{'…' * (len(text) > start + width)}"

    return cut(first), cut(second)


def tail(text: str, limit: int) -> str:
    """Return the last `limit` characters of `text` in printable form. An ellipsis marks a cut."""
    text = printable(text).strip("\n")
    return text if len(text) <= limit else "…" + text[len(text) - limit + 1 :]


def payload_key(record: Record) -> str:
    """Return an identifier of a payload. It is the same for a full payload and its digest."""
    payload = record.get("payload")
    if isinstance(payload, str):
        if len(payload) <= 2 * INLINE_PAYLOAD_LIMIT:
            return payload
        record = payload_to_json(bytes.fromhex(payload))
    return f"sha256:{record.get('payload_sha256')}"


def sized_payload_text(record: Record) -> str:
    """Return a payload and its size: `"alpha" (5 bytes)`."""
    if "payload_sha256" in record:
        return f"sha256 {record['payload_sha256'][:12]}…"
    payload = bytes.fromhex(record["payload"])
    if not payload:
        return "an empty record"
    short = payload[:24]
    text = short.decode("ascii", errors="replace")
    shown = f'"{text}"' if text.isprintable() and text.isascii() else short.hex()
    return f"{shown}{'…' if len(payload) > len(short) else ''} ({len(payload)} bytes)"


def payload_text(record: Record, width: int = 24) -> str:
    """Return a record's content in about `width` characters, such as `"A" × 1,000`."""
    payload = record.get("payload")
    if isinstance(payload, str):
        return _bytes_text(bytes.fromhex(payload), width)
    digest = record.get("payload_sha256")
    if isinstance(digest, str):
        return f"sha256 {digest[:12]}…"
    content = {key: value for key, value in record.items() if key not in _PLACE}
    return _cut(printable(json.dumps(content, ensure_ascii=False)), width * 2) if content else "?"


def _bytes_text(data: bytes, width: int) -> str:
    if not data:
        return '""'
    if len(data) > 16 and data.count(data[:1]) == len(data):
        byte = f'"{chr(data[0])}"' if _TEXT.fullmatch(data[:1]) else f"{data[0]:02x}"
        return f"{byte} × {len(data):,}"
    if _LINES.fullmatch(data[: width + 1]):
        text = data[: width + 1].decode("ascii").replace("\n", "\\n").replace("\t", "\\t")
        return _cut(f'"{text}"', width)
    head = data[: max(4, width // 2)].hex()
    return head if len(head) == 2 * len(data) else head + "…"


def _cut(text: str, width: int) -> str:
    if len(text) <= width:
        return text
    return text[: width - 2] + ('…"' if text.endswith('"') else "…")


def place_text(record: Record) -> str:
    """Return the reported position of a record: `at 12, 14 B`."""
    parts = []
    if "file" in record:
        parts.append(printable(str(record["file"])))
    if "at" in record:
        parts.append(f"at {record['at']}")
    if "size" in record:
        parts.append(f"{record['size']:,} B")
    return ", ".join(parts)


def record_text(record: Record, width: int = 24) -> str:
    """Return the position and content of a record on one line."""
    return f"{place_text(record)} {payload_text(record, width)}".strip()


def lost_text(lost: Record) -> str:
    """Return a lost range: `[12, 40) checksum-mismatch`."""
    file = f"{printable(str(lost['file']))} " if "file" in lost else ""
    return f"{file}[{lost['from']}, {lost['to']}) {lost.get('reason') or ''}".rstrip()


def payload_difference(expected: Record, actual: Record) -> str:
    """Return a description of the difference between the actual and the expected payload."""
    if "payload" not in expected or "payload" not in actual:
        return "contents differ"
    wanted, given = bytes.fromhex(expected["payload"]), bytes.fromhex(actual["payload"])
    if wanted[: len(given)] == given:
        return f"cut short by {len(wanted) - len(given):,} B"
    if given[: len(wanted)] == wanted:
        return f"{len(given) - len(wanted):,} B too long"
    same = next(i for i, (x, y) in enumerate(zip(wanted, given, strict=False)) if x != y)
    return f"differs from byte {same} of the payload"
