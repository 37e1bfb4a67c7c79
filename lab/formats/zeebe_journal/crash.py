"""Zeebe journals with two-page segments, so that the writer often starts a new segment."""

from __future__ import annotations

import random

from lab.crash.format_crash import FormatCrash
from reference_impl.answer import NewRecord


def records(count: int) -> list[NewRecord]:
    """Return records of such sizes that three to five fill a segment."""
    rng = random.Random(1)
    sizes = (5, 3000, 700, 4000, 40, 2500)
    return [
        NewRecord(rng.randbytes(sizes[number % len(sizes)]), {"asqn": str(number + 1)})
        for number in range(count)
    ]


CRASH = FormatCrash("journal", records, {"max_segment_size": 8192, "last_flushed_index": "meta"})
