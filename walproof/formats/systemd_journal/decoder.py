"""Decode the fields of a systemd journal entry to a map or to columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from walproof.decode.fault import text
from walproof.formats.systemd_journal.query import short
from walproof.quoted import quoted
from walproof.scan.model import Records

COLUMNS = frozenset({"fields"})
NEEDS_PAYLOAD = False
#: Maximum characters of a line in a phrase.
LONGEST = 240


def type_of(names: tuple[str, ...]) -> pa.DataType:
    """Return a map type of all names with their values, or a struct of the given names as text."""
    if names:
        return pa.struct([(name, pa.string()) for name in names])
    return pa.struct([("fields", pa.map_(pa.string(), pa.list_(pa.binary())))])


def decoders(run: Records, names: tuple[str, ...]) -> Sequence[Callable[[], Mapping[str, Any]]]:
    """Return the decoder of the fields of each entry in a run."""
    return [partial(decode, entry, names) for entry in run.fields["fields"].to_pylist()]


def decode(fields: Sequence[Mapping[str, Any]], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of an entry. Raises ``Undecodable``.

    If a field name is repeated, its column has the first value. Values that are requested as text
    must be UTF-8.
    """
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
    """Describe an entry by the line of journalctl and other fields.

    See :func:`walproof.decode.phrase`.
    """
    results = dict(value["fields"])
    shown = short.line(results, int(fields["realtime"]))
    if "MESSAGE" not in results:
        shown = " ".join(
            [shown, *(f"{name}={quoted(all[-1])}" for name, all in results.items())][:5]
        )
    elif len(shown) > LONGEST:
        shown = f"{shown[:LONGEST]}…"
    more = [short.priority(results)]
    if "MESSAGE_ID" in results:
        known = short.printable(results["MESSAGE_ID"][-1])
        more.append(f"MESSAGE_ID {quoted(results['MESSAGE_ID'][-1]) if known is None else known}")
    remarks = ", ".join(each for each in more if each is not None)
    return f"{shown}  ({remarks})" if remarks else shown
