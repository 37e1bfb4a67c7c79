"""Convert the commands of a broker to rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from walproof.decode.operations import Operations as AnyOperations
from walproof.decode.operations import Row, without_nulls

_OBJECTS = ("message", "acknowledgement", "subscription_info")


class Operations(AnyOperations):
    """Rows of commands, one per command. See :class:`walproof.decode.operations.Operations`."""

    COLUMNS = (
        "op", "destination", "message_id", "subscription", "transaction", "fields", *_OBJECTS,
        "data",
    )  # fmt: skip

    def rows(self, value: Mapping[str, Any], fields: Mapping[str, Any]) -> Iterator[Row]:
        """See :class:`walproof.decode.operations.Operations`.

        ``data`` contains the bytes that no other member decodes.
        """
        row: Row = {"op": operation_name(value["name"]), "destination": destination_of(value)}
        row |= {name: value.get(name) for name in ("message_id", "subscription")}
        row["transaction"] = without_nulls(value.get("transaction"))
        row["fields"] = dict(value.get("fields") or ()) or None
        row |= {name: _with_mapping(value.get(name)) for name in _OBJECTS}
        if not any(row[name] for name in _OBJECTS):
            row["data"] = value.get("data")
        yield row


def operation_name(command: str) -> str:
    """Return ``add_message`` for ``KAHA_ADD_MESSAGE_COMMAND``."""
    return command.removeprefix("KAHA_").removesuffix("_COMMAND").lower()


def destination_of(value: Mapping[str, Any]) -> str | None:
    """Return the destination of a command, for example ``queue://orders``."""
    if value.get("destination") is None:
        return None
    return f"{value['destination_type']}://{value['destination']}"


def _with_mapping(struct: Mapping[str, Any] | None) -> Row | None:
    """Return an object with its properties as a mapping instead of a list of pairs."""
    if struct is None:
        return None
    row: Row = without_nulls(struct)
    return row | ({"properties": dict(row["properties"])} if row.get("properties") else {})
