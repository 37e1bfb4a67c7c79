"""The table of records: how many are held at a time."""

from __future__ import annotations

from reference_impl.answer import Lost, Record
from walproof.cli.record_table import AT_ONCE, HELD, pieces


def test_what_is_held_together_is_small() -> None:
    """An update of 32 KiB is an object of 4 MiB: 256 of them took a GiB."""
    large = Record(0, HELD // 2, b"")
    update = Record(0, 9, b"", {"update": {}})
    small: list[Record | Lost] = [Record(0, 9, b""), Lost(0, 9, "toy")]
    items = [*small * AT_ONCE, large, large, large, update, update, *small]
    rows = list(enumerate(items))
    found = list(pieces(rows))
    assert [row for piece in found for row in piece] == rows
    assert [len(piece) for piece in found] == [AT_ONCE, AT_ONCE, 2, 2, 1, 2]
