"""Crash-test settings of a format, from its ``crash`` part in ``lab/formats``."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.formats import lab_part
from reference_impl.answer import NewRecord, Record


def random_records(count: int) -> list[NewRecord]:
    """Return distinct records. Their sizes range from a few bytes to over two 4096-byte sectors."""
    rng = random.Random(1)
    sizes = (5, 700, 40, 9000, 300, 1, 4096, 2000)
    return [
        NewRecord(b"%d " % number + rng.randbytes(sizes[number % len(sizes)]))
        for number in range(count)
    ]


@dataclass(frozen=True)
class FormatCrash:
    """The file name of the log, a function that returns records to write, and the context."""

    name: str = "log"
    records: Callable[[int], list[NewRecord]] = random_records
    context: Mapping[str, Any] = field(default_factory=dict)
    #: Return whether a record is incomplete. An incomplete record counts neither as invented nor as
    #: returned.
    is_part: Callable[[Record], bool] = lambda record: False
    #: Convert a payload from the log to the payload that was sent to the writer. The result is None
    #: if the writer added the record itself.
    written: Callable[[bytes], bytes | None] = lambda payload: payload


def crash_of(format_id: str) -> FormatCrash:
    """Return the ``CRASH`` of a format, or the default. Raises ``UnknownFormat``."""
    part = lab_part(format_id, "crash")
    crash: FormatCrash = FormatCrash() if part is None else part.CRASH
    return crash
