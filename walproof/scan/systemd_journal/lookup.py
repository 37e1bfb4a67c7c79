"""Finding the entries of a field through the indexes of a sound file (SDJ-024, SDJ-036)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from reference_impl.systemd_journal.objects import View


def find_data(view: View, payload: bytes) -> int | None:
    """The DATA object of ``FIELD=value``, or None. There must be a table, its chains sound."""
    table, size = view.header.data_hash_table_offset, view.header.data_hash_table_size
    wanted = view.hash(payload)
    at = view.number(table + wanted % (size // 16) * 16)
    while at:
        if view.number(at + 16) == wanted and view.payload(at) == payload:
            return at
        at = view.number(at + 24)
    return None


def entries_of(view: View, data: int) -> Iterator[int]:
    """The entries that a DATA object lists, in order. Its list must be sound."""
    first, array, count = (view.number(data + at) for at in (40, 48, 56))
    if first:
        yield first
    left = count - 1
    for at in view.chain(array):
        for slot in islice(view.slots(at), max(left, 0)):
            yield slot
            left -= 1
