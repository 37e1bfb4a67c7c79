"""The fields of a systemd journal entry, as a map or as columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from walproof.decode.fault import text
from walproof.quantity import moment
from walproof.quoted import quoted
from walproof.scan.model import Records

COLUMNS = frozenset({"fields"})
NEEDS_PAYLOAD = False


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
    """See :func:`walproof.decode.phrase`: when, who, and the message, as journalctl prints them."""
    found = dict(value["fields"])
    said = [moment(int(fields["realtime"]))]
    names = [name for name in ("_HOSTNAME", "SYSLOG_IDENTIFIER", "_COMM") if name in found][:2]
    said += [found[name][0].decode("utf-8", "backslashreplace") for name in names]
    message = found.get("MESSAGE")
    rest = [f"{name}={quoted(all[0])}" for name, all in list(found.items())[:4]]
    said.append(quoted(message[0], 160) if message else " ".join(rest))
    return "  ".join(said)
