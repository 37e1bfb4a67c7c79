"""Print entries as journalctl does, in UTC: short, short-iso, cat, json and export.

Upstream authority: systemd ``src/shared/logs-show.c`` (``output_short``, ``output_cat``,
``output_json``, ``output_export``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from reference_impl.systemd_journal.export_format import BOOT_ID, export_field
from walproof.formats.systemd_journal.query import short
from walproof.formats.systemd_journal.query.journal_file import JournalEntry

_NUMBERS = [str(byte) for byte in range(256)]
Mode = Literal["short", "short-iso", "cat", "json", "export"]


def printed(entries: Iterable[JournalEntry], mode: Mode) -> Iterator[bytes]:
    """Yield the text of each entry. The short modes add a line where another boot begins."""
    if mode in _PRINT:
        yield from map(_PRINT[mode], entries)
        return
    before = None
    for entry in entries:
        boot = entry.boot()
        if before not in (None, boot):
            yield b"-- Boot %s --\n" % boot
        before = boot
        yield _short(entry, short.iso_time if mode == "short-iso" else short.syslog_time)


def _short(entry: JournalEntry, time: Callable[[int], str]) -> bytes:
    """Return the line of an entry; empty if it has no message."""
    fields: dict[str, list[bytes]] = {}
    for payload in entry.payloads():
        name, _, value = payload.partition(b"=")
        fields.setdefault(name.decode("ascii"), []).append(value)
    if "MESSAGE" not in fields and entry.is_missing_fields:
        fields["MESSAGE"] = [b"[fields are lost]"]
    if "MESSAGE" not in fields:
        return b""
    return f"{short.lines(fields, entry.realtime, time)}\n".encode()


def export(entry: JournalEntry) -> bytes:
    """Return the Journal Export Format as printed since systemd 254 (SDJ-090, SDJ-091)."""
    lines = (
        f"__CURSOR={entry.cursor}",
        f"__REALTIME_TIMESTAMP={entry.realtime}",
        f"__MONOTONIC_TIMESTAMP={entry.monotonic}",
        f"__SEQNUM={entry.seqnum}",
        f"__SEQNUM_ID={entry.seqnum_id.hex()}",
        f"_BOOT_ID={entry.boot().decode()}",
        "",
    )
    fields = (export_field(each) for each in entry.payloads() if not each.startswith(BOOT_ID))
    return b"".join(["\n".join(lines).encode(), *fields, b"\n"])


def json_object(entry: JournalEntry) -> bytes:
    """Return a JSON object: text as a string, other values as arrays of bytes."""
    members: dict[str, list[str]] = {
        "__CURSOR": [_json_text(entry.cursor)],
        "__REALTIME_TIMESTAMP": [f'"{entry.realtime}"'],
        "__MONOTONIC_TIMESTAMP": [f'"{entry.monotonic}"'],
        "__SEQNUM": [f'"{entry.seqnum}"'],
        "__SEQNUM_ID": [f'"{entry.seqnum_id.hex()}"'],
        "_BOOT_ID": [f'"{entry.boot().decode()}"'],
    }
    for payload in entry.payloads():
        if not payload.startswith(BOOT_ID):
            name, _, value = payload.partition(b"=")
            members.setdefault(name.decode("ascii"), []).append(_json_value(value))
    parts = [f'"{name}":{_one_or_all(values)}' for name, values in members.items()]
    return f"{{{','.join(parts)}}}\n".encode()


def _one_or_all(values: list[str]) -> str:
    return values[0] if len(values) == 1 else f"[{','.join(values)}]"


def _json_value(value: bytes) -> str:
    text = short.printable(value)
    return f"[{','.join(map(_NUMBERS.__getitem__, value))}]" if text is None else _json_text(text)


def _json_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def cat(entry: JournalEntry) -> bytes:
    """Return the message alone; empty for an entry without a message."""
    for payload in entry.payloads():
        if payload.startswith(b"MESSAGE="):
            return payload.removeprefix(b"MESSAGE=") + b"\n"
    return b""


_PRINT: dict[str, Callable[[JournalEntry], bytes]] = {
    "cat": cat, "json": json_object, "export": export,
}  # fmt: skip
