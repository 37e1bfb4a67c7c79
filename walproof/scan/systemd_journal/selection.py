"""The entries that a context asks for: ``match``, ``from_seqnum``, ``from_realtime``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from walproof.scan.stored import ready
from walproof.scan.systemd_journal import words
from walproof.scan.systemd_journal.inspection import Inspection
from walproof.scan.systemd_journal.lookup import entries_of, find_data

kernels = ready("walproof.scan.systemd_journal.kernels")


def select(
    inspection: Inspection, numbers: NDArray[np.int64], context: Mapping[str, Any]
) -> NDArray[np.int64]:
    """Those of the entries that are asked for (SDJ-060, SDJ-061).

    A sound file is asked through its indexes, a damaged one and one without a hash table entry by
    entry.
    """
    found = inspection.found
    for name, place in (("from_seqnum", 16), ("from_realtime", 24)):
        if name in context:
            stored = np.empty(8 * len(numbers), np.uint8)
            kernels.numbers_at(found, numbers, place, stored)
            value = min(max(int(context[name]), 0), 1 << 64)
            values = stored.view(np.uint64)
            numbers = numbers[values >= np.uint64(value)] if value < 1 << 64 else numbers[:0]
    matches = _matches(context)
    if not matches:
        return numbers
    if not len(inspection.faults) and inspection.view.header.data_hash_table_size:
        for payloads in matches:
            listed: set[int] = set()
            for payload in payloads:
                data = find_data(inspection.view, payload)
                listed.update(entries_of(inspection.view, data) if data else ())
            at = np.fromiter(listed, np.int64, len(listed))
            numbers = numbers[np.isin(found.offsets[numbers], at)]
        return numbers
    for payloads in matches:
        wanted, chosen = np.zeros(len(found.offsets), np.uint8), np.zeros(len(numbers), np.uint8)
        for number in found.of_kind(words.DATA).tolist():
            wanted[number] = inspection.payload(number) in payloads
        kernels.having(found, numbers, inspection.given, wanted, chosen)
        numbers = numbers[chosen.view(np.bool_)]
    return numbers


def _matches(context: Mapping[str, Any]) -> list[set[bytes]]:
    """The values of ``match``, by field: of each field one must be there (SDJ-060)."""
    given = context.get("match", ())
    by_field: dict[str, set[bytes]] = {}
    for text in [given] if isinstance(given, str) else given:
        by_field.setdefault(text.partition("=")[0], set()).add(text.encode())
    return list(by_field.values())
