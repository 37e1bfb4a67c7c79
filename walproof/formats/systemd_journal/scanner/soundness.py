"""Check quickly whether a journal file is intact, without numba's constants."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.export_format import BOOT_ID
from reference_impl.systemd_journal.inspection import refusal
from reference_impl.systemd_journal.loading import loaded
from walproof.formats.systemd_journal.boot_ids import (
    ID,
    ID_PLACE,
    Contradiction,
    find_contradictions,
)
from walproof.formats.systemd_journal.scanner import constants, entry_kernels
from walproof.formats.systemd_journal.scanner.inspection import Inspection, Unusual, inspect


@dataclass(frozen=True)
class Sound:
    """The counts of an intact file, and the end of the time that its seals cover.

    ``contradictions`` lists the entries whose boot id differs from their field ``_BOOT_ID``.
    """

    objects: int
    entries: int
    sealed_until: int | None
    contradictions: list[Contradiction]


def if_sound(data: mmap.mmap | bytes, context: Mapping[str, Any]) -> Sound | None:
    """Return the counts of an intact file of at least 208 bytes that is not refused.

    Returns None if the file has a fault, or if only the reference reader can check it. Raises
    ``ValueError`` if the context has an invalid verification key.
    """
    header = layout.parse_header(data[: layout.HEADER_FULL])
    if header.header_size > len(data):
        return None
    try:
        inspection = inspect(data, header, context)
    except Unusual:
        return None
    if len(inspection.faults):
        return None
    view = inspection.view
    contradictions = find_contradictions(view, _suspicious_entries(inspection), view.items)
    return Sound(
        len(inspection.objects.offsets),
        len(inspection.entries),
        inspection.sealed_until,
        list(contradictions),
    )


def _suspicious_entries(inspection: Inspection) -> list[int]:
    """Return the offsets of entries whose ``_BOOT_ID`` differs from their boot id."""
    objects, entries = inspection.objects, inspection.entries
    # Objects begin at multiples of 8: their fields are words of the file.
    words = objects.data[: len(objects.data) // 8 * 8].view("<u8")
    fields = objects.of_kind(constants.DATA)
    size = inspection.header.data_fixed + len(BOOT_ID) + 32
    boots = {}
    for number in fields[words[(objects.offsets[fields] >> 3) + 1] == size].tolist():
        payload = inspection.payload(number)
        if payload.startswith(BOOT_ID) and ID.fullmatch(payload, len(BOOT_ID)):
            boots[number] = bytes.fromhex(payload[len(BOOT_ID) :].decode())
    locations = (objects.offsets[entries] + ID_PLACE) >> 3
    stored = np.stack([words[locations], words[locations + 1]], axis=1)
    offsets: list[int] = []
    for boot_id in np.unique(stored, axis=0):
        of_boot = entries[(stored == boot_id).all(axis=1)]
        wanted = np.zeros(len(objects.offsets), np.uint8)
        wanted[[number for number, other in boots.items() if other != boot_id.tobytes()]] = 1
        chosen = np.zeros(len(of_boot), np.uint8)
        entry_kernels.having(objects, of_boot, inspection.given, wanted, chosen)
        offsets += objects.offsets[of_boot[chosen.view(np.bool_)]].tolist()
    return sorted(offsets)


def of_file(path: Path) -> Sound | None:
    """Return the same for a path; None also for a refused file. ``OSError``."""
    with loaded(path) as data:
        if len(data) < layout.HEADER_MIN or refusal(data) is not None:
            return None
        return if_sound(data, {})
