"""Print entries as journalctl does, in UTC: short, short-iso, cat, json and export.

Upstream authority: systemd ``src/shared/logs-show.c`` (``output_short``, ``output_cat``,
``output_json``, ``output_export``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from reference_impl.systemd_journal.export_format import BOOT_ID, export_entry, export_field
from walproof.formats.systemd_journal.query import short
from walproof.formats.systemd_journal.query.journal_file import JournalEntry

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
        yield _short(entry, short.ISO if mode == "short-iso" else short.SYSLOG)


def _short(entry: JournalEntry, form: str) -> bytes:
    fields: dict[str, list[bytes]] = {}
    for payload in entry.payloads():
        name, _, value = payload.partition(b"=")
        fields.setdefault(name.decode("ascii"), []).append(value)
    message = short.last(fields, "MESSAGE")
    if message is None:
        if not entry.is_missing_fields:
            return b""
        message = b"[fields are lost]"
    start = short.start(fields, entry.realtime, form)
    indented = short.message(message).replace("\n", "\n " + " " * len(start.encode()))
    return f"{start} {indented}\n".encode()


def export(entry: JournalEntry) -> bytes:
    """Return an entry in the Journal Export Format of systemd 254 and later (SDJ-090, SDJ-091)."""
    numbers = {
        "cursor": entry.cursor,
        "realtime": entry.realtime,
        "monotonic": entry.monotonic,
        "seqnum": entry.seqnum,
        "boot_id": entry.boot().decode(),
    }
    fields = (export_field(each) for each in entry.payloads() if not each.startswith(BOOT_ID))
    return export_entry(numbers, entry.seqnum_id.hex(), b"".join(fields))


def json_object(entry: JournalEntry) -> bytes:
    """Return an entry as a JSON object, with text as strings and other values as byte arrays."""
    members: dict[str, list[str | list[int]]] = {
        "__CURSOR": [entry.cursor],
        "__REALTIME_TIMESTAMP": [str(entry.realtime)],
        "__MONOTONIC_TIMESTAMP": [str(entry.monotonic)],
        "__SEQNUM": [str(entry.seqnum)],
        "__SEQNUM_ID": [entry.seqnum_id.hex()],
        "_BOOT_ID": [entry.boot().decode()],
    }
    for payload in entry.payloads():
        if not payload.startswith(BOOT_ID):
            name, _, value = payload.partition(b"=")
            text = short.printable(value)
            members.setdefault(name.decode("ascii"), []).append(
                list(value) if text is None else text
            )
    shown = {name: values[0] if len(values) == 1 else values for name, values in members.items()}
    return f"{json.dumps(shown, ensure_ascii=False, separators=(',', ':'))}\n".encode()


def cat(entry: JournalEntry) -> bytes:
    """Return only the message of an entry; no bytes for an entry without a message."""
    for payload in entry.payloads():
        if payload.startswith(b"MESSAGE="):
            return payload.removeprefix(b"MESSAGE=") + b"\n"
    return b""


_PRINT: dict[str, Callable[[JournalEntry], bytes]] = {
    "cat": cat, "json": json_object, "export": export,
}  # fmt: skip
