"""Decode the fields of a systemd journal entry to a map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from walproof.decode.decoder import Row
from walproof.formats.systemd_journal.query import short
from walproof.quoted import quoted
from walproof.schema import Struct

TYPE: Struct = {"fields": ("string", ["binary"])}
COLUMNS = frozenset({"fields"})
NEEDS_PAYLOAD = False
#: Maximum length in characters of the journalctl line in a phrase.
LONGEST = 240


def decode_row(row: Row) -> Mapping[str, Any]:
    """Return the fields of an entry as pairs of a name and its values."""
    values: dict[str, list[bytes]] = {}
    for field in row.fields["fields"]:
        values.setdefault(field["name"], []).append(field["value"])
    return {"fields": list(values.items())}


def phrase(value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """Return the line that journalctl prints for an entry, with the priority and message id."""
    results = dict(value["fields"])
    shown = short.start(results, int(fields["realtime"]))
    if "MESSAGE" not in results:
        shown = " ".join(
            [shown, *(f"{name}={quoted(all[-1])}" for name, all in results.items())][:5]
        )
    else:
        shown = f"{shown} {short.message(results['MESSAGE'][-1])}"
        shown = f"{shown[:LONGEST]}…" if len(shown) > LONGEST else shown
    more = [short.priority(results)]
    if "MESSAGE_ID" in results:
        known = short.printable(results["MESSAGE_ID"][-1])
        more.append(f"MESSAGE_ID {quoted(results['MESSAGE_ID'][-1]) if known is None else known}")
    remarks = ", ".join(each for each in more if each is not None)
    return f"{shown}  ({remarks})" if remarks else shown
