"""The fields of a systemd journal entry, as a map or as columns."""

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
LONGEST = 240
"""Characters of a line in a phrase."""


def type_of(names: tuple[str, ...]) -> pa.DataType:
    """All fields as a map, each name with its values; or only these, each a text."""
    if names:
        return pa.struct([(name, pa.string()) for name in names])
    return pa.struct([("fields", pa.map_(pa.string(), pa.list_(pa.binary())))])


def decoders(run: Records, names: tuple[str, ...]) -> Sequence[Callable[[], Mapping[str, Any]]]:
    """What decodes the fields of each entry of a run."""
    return [partial(decode, entry, names) for entry in run.fields["fields"].to_pylist()]


def decode(fields: Sequence[Mapping[str, Any]], names: tuple[str, ...]) -> dict[str, Any]:
    """The fields of one entry. A name may come more than once: as a column it has its first value.

    Raises ``Undecodable`` for a value that was asked for as text and is not UTF-8.
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
    """See :func:`walproof.decode.phrase`: the line of journalctl, then what it does not say."""
    found = dict(value["fields"])
    shown = short.line(found, int(fields["realtime"]))
    if "MESSAGE" not in found:
        shown = " ".join([shown, *(f"{name}={quoted(all[-1])}" for name, all in found.items())][:5])
    elif len(shown) > LONGEST:
        shown = f"{shown[:LONGEST]}…"
    more = [short.priority(found)]
    if "MESSAGE_ID" in found:
        known = short.printable(found["MESSAGE_ID"][-1])
        more.append(f"MESSAGE_ID {quoted(found['MESSAGE_ID'][-1]) if known is None else known}")
    remarks = ", ".join(one for one in more if one is not None)
    return f"{shown}  ({remarks})" if remarks else shown
