"""The interface of a format for ``walproof read --operations``: operations as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reference_impl.answer import Record

#: An operation: numbers, text, bytes, lists and mappings by name.
Row = dict[str, Any]


class Operations:
    """The operations of one log, or of all logs of a directory in their order.

    This class yields one row for each record, with the columns of the record and its decoded
    struct. A format whose records contain several operations has a subclass.
    """

    #: All names that a row may have, in the order of the columns of CSV.
    COLUMNS: Sequence[str] | None = None

    #: Columns of a record that are in each row, even if the record cannot be decoded.
    FIELDS: Sequence[str] = ()

    def __init__(self, log: Path) -> None:
        """Start to read ``log``, a file or a directory."""

    def take(self, record: Record) -> None:
        """Process a record, decodable or not, before its rows are requested."""

    def rows(self, value: Mapping[str, Any], fields: Mapping[str, Any]) -> Iterator[Row]:
        """Yield the operations of a record.

        ``value`` is the decoded struct, possibly without null members, and ``fields`` are the
        columns of the record. Members that are None are left out of the rows.
        """
        yield {**fields, **without_nulls(value)}


def with_text(value: Any) -> Any:
    """Return a value for JSON: bytes are text if they are UTF-8, else ``{"hex": …}``."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"hex": value.hex()}
    if isinstance(value, Mapping):
        return {name: with_text(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [with_text(member) for member in value]
    return value


def without_nulls(value: Any) -> Any:
    """Return a decoded struct without the members that have no value."""
    if isinstance(value, Mapping):
        return {name: without_nulls(member) for name, member in value.items() if member is not None}
    return [without_nulls(member) for member in value] if isinstance(value, list) else value
