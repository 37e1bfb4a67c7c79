"""Which entries have what a context asks for: kernels."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from walproof.scan.compiled import I32, I64, U8, kernel, types
from walproof.scan.memory import load64
from walproof.scan.systemd_journal.object_table import FOUND, number_of
from walproof.scan.systemd_journal.objects import item_at
from walproof.scan.systemd_journal.offsets import offset_at
from walproof.scan.systemd_journal.words import ITEM, SIZE


@kernel(types.void(FOUND, I64, types.int64, U8))
def numbers_at(found, entries, place, numbers):
    """A number of eight bytes of each entry, as its bytes."""
    for row in range(entries.shape[0]):
        value = load64(found.data, found.offsets[entries[row]] + place)
        for byte in range(8):
            numbers[8 * row + byte] = (value >> types.uint64(8 * byte)) & types.uint64(255)


@kernel(types.void(FOUND, I64, I32, U8, U8))
def having(found, entries, given, wanted, chosen):
    """Mark the entries that have one of the DATA that are ``wanted``, and give it out."""
    data, facts = found.data, found.facts
    bits, ranks, whole = found.bits, found.ranks, facts[SIZE]
    for row in range(entries.shape[0]):
        at = found.offsets[entries[row]]
        count = (offset_at(data, at + 8) - 64) // facts[ITEM]
        if given[entries[row]] >= 0:
            count = types.int64(given[entries[row]])
        for number in range(count):
            item = number_of(bits, ranks, whole, item_at(data, facts, at, number))
            if item >= 0 and wanted[item]:
                chosen[row] = 1
                break
