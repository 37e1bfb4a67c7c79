"""Decode the fields of a systemd journal entry to a map or to columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from walproof.decode.decoder import Row
from walproof.decode.fault import text
from walproof.formats.systemd_journal.query import short
from walproof.quoted import quoted
from walproof.schema import Struct

TYPE: Struct = {"fields": ("string", ["binary"])}
COLUMNS = frozenset({"fields"})
NEEDS_PAYLOAD = False
#: Maximum characters of a line in a phrase.
LONGEST = 240


def type_of_fields(names: tuple[str, ...]) -> Struct:
    """Return the struct of the named fields as text."""
    return dict.fromkeys(names, "string")


def decode_row(row: Row, names: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the fields of an entry; for a repeated field name, a column has the first value.

    Raises ``Undecodable``.
    """
    fields = row.fields["fields"]
    if names:
        first: dict[str, bytes] = {}
        for field in fields:
            first.setdefault(field["name"], field["value"])
        return {name: text(first[name]) for name in names if name in first}
    values: dict[str, list[bytes]] = {}
    for field in fields:
        values.setdefault(field["name"], []).append(field["value"])
    return {"fields": list(values.items())}


def phrase(value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """Return the line that journalctl prints for an entry, and its priority and message id."""
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
