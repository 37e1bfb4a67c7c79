"""Whether a journal file is sound throughout, which the kernels tell without constants."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.inspection import refusal
from reference_impl.systemd_journal.loading import loaded
from walproof.formats.systemd_journal.scanner.inspection import Unusual, inspect


@dataclass(frozen=True)
class Sound:
    """What a file without a fault has; up to when seals vouch for its entries, with the key."""

    objects: int
    entries: int
    sealed_until: int | None


def if_sound(data: mmap.mmap | bytes, context: Mapping[str, Any]) -> Sound | None:
    """What there is in a file of at least 208 bytes that is not refused.

    None if it has a fault, or if only the reference reader can tell. ``ValueError``: the context
    has a verification key that cannot be read.
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
    return Sound(len(inspection.objects.offsets), len(inspection.entries), inspection.sealed_until)


def of_file(path: Path) -> Sound | None:
    """The same of a file; None also for one that is refused. ``OSError``."""
    with loaded(path) as data:
        if len(data) < layout.HEADER_MIN or refusal(data) is not None:
            return None
        return if_sound(data, {})
