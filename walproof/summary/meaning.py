"""Describe records in one line each, if their format has a decoder for them."""

from __future__ import annotations

from collections.abc import Sequence

from reference_impl.answer import Record
from walproof import decode
from walproof.scan.model import Wanted
from walproof.scan.reference import ReferenceScanner
from walproof.summary.runs import LONGEST


def meanings(format_id: str, records: Sequence[Record]) -> list[tuple[str | None, str | None]]:
    """Return the description of each record, or the reason why there is none.

    Text in a description is not escaped. Of a large payload, only the beginning is decoded. See
    :func:`walproof.decode.phrases`.
    """
    if not records:
        return []
    run = ReferenceScanner(format_id).in_columns(records, Wanted(max_payload=LONGEST))
    return decode.phrases(format_id, run)
