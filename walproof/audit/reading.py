"""The events of a piece: for the task that keeps them, and for the one that tests for crashes."""

from __future__ import annotations

from collections.abc import Iterator

from walproof import decode
from walproof.audit.tables import wanted_columns
from walproof.audit.unit import Options, Piece
from walproof.lake.opening import opened
from walproof.scan.model import Event, Wanted


def events(piece: Piece, options: Options) -> Iterator[tuple[str, Event]]:
    """The events of a piece, with the columns that are asked for, and the id of its format.

    Raises ``UnknownFormat``, ``OSError``, and what a reader runs into.
    """
    with opened(piece.source, options.source) as log:
        columns = wanted_columns(log.format, options.payload)
        payload = options.payload
        if options.decode:
            columns |= decode.columns_for(log.format)
            payload = payload or decode.needs_payload(log.format)
        wanted = Wanted(payload, columns, options.source.max_payload)
        for event in log.scan(wanted, piece.part):
            yield log.format, event
