"""What records mean, a line for each, where their format has a decoder and they are of its kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference_impl.answer import Record
from walproof import decode
from walproof.scan.model import Wanted
from walproof.scan.reference import ReferenceScanner
from walproof.summary.runs import LONGEST


def meanings(format_id: str, records: Sequence[Record]) -> list[str | None]:
    """The phrase of each record, None for one that is not decoded. Text in it is as it was found.

    A payload is looked at as far as a summary looks.
    """
    if not records:
        return []
    run = ReferenceScanner(format_id).in_columns(records, Wanted(max_payload=LONGEST))
    values, _ = decode.decoded(format_id, run)
    columns = {name: column.to_pylist() for name, column in run.fields.items()}
    return [
        None if value is None else decode.phrase(format_id, value, _row(columns, n))
        for n, value in enumerate(values.to_pylist())
    ]


def _row(columns: dict[str, list[Any]], n: int) -> dict[str, Any]:
    """What the columns of a record hold."""
    return {name: values[n] for name, values in columns.items() if values[n] is not None}
