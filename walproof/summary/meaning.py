"""What records mean, a line for each, where their format has a decoder and they are of its kind."""

from __future__ import annotations

from collections.abc import Sequence

from reference_impl.answer import Record
from walproof import decode
from walproof.scan.model import Wanted
from walproof.scan.reference import ReferenceScanner
from walproof.summary.runs import LONGEST


def meanings(format_id: str, records: Sequence[Record]) -> list[tuple[str | None, str | None]]:
    """The phrase of each record and why there is none. See :func:`walproof.decode.phrases`.

    Text in a phrase is as it was found. A payload is looked at as far as a summary looks.
    """
    if not records:
        return []
    run = ReferenceScanner(format_id).in_columns(records, Wanted(max_payload=LONGEST))
    return decode.phrases(format_id, run)
