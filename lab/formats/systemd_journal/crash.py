"""systemd journal files with small hash tables, and with values of 30 to 5000 bytes."""

from __future__ import annotations

import io
import re

from lab.crash.format_crash import FormatCrash
from reference_impl.answer import NewRecord
from reference_impl.systemd_journal.export_format import entry_body, parse_fields

BOOT = "0123456789abcdef0123456789abcdef"
UNIT = b"UNIT=crash"
OURS = re.compile(rb"MESSAGE=\d+ m")
START = 1_700_000_000_000_000


def records(count: int) -> list[NewRecord]:
    """Return entries that share the field ``UNIT``. Their priorities are 0, 3 and 6 in turn."""
    results = []
    for number in range(count):
        text = b"%d " % number + b"m" * (30, 700, 5000)[number % 3]
        # journald immediately syncs entries with a priority value of 2 (critical) or less. Here,
        # every third entry has priority 0.
        fields = [UNIT, b"PRIORITY=%d" % (number % 3 * 3), b"MESSAGE=" + text]
        times = {"realtime": str(START + number * 100_000), "monotonic": str(number + 1)}
        results.append(NewRecord(entry_body(fields), {"boot_id": BOOT, **times}))
    return results


def written(payload: bytes) -> bytes | None:
    """Return the payload that was sent to journald, or None for journald's own entries."""
    fields = [each for each in parse_fields(io.BytesIO(payload)) if each and each[:1] != b"_"]
    ours = any(each == UNIT or OURS.match(each) for each in fields)
    return entry_body(fields) if ours else None


CRASH = FormatCrash(
    "system.journal",
    records,
    {"header_size": 264, "data_buckets": 64, "field_buckets": 16},
    is_part=lambda record: "missing" in record.fields,
    written=written,
)
