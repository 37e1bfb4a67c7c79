"""Journal files of systemd with small tables: entries of a service, and values that grow."""

from __future__ import annotations

from reference_impl.answer import NewRecord
from reference_impl.systemd_journal.export_format import entry_body
from walproof.crash.formats import FormatCrash

BOOT = "0123456789abcdef0123456789abcdef"
START = 1_700_000_000_000_000


def records(count: int) -> list[NewRecord]:
    """Entries that share a field with all others, and one with every third."""
    found = []
    for number in range(count):
        text = b"%d " % number + b"m" * (30, 700, 5000)[number % 3]
        fields = [b"_HOSTNAME=crash", b"PRIORITY=%d" % (number % 3), b"MESSAGE=" + text]
        times = {"realtime": str(START + number * 100_000), "monotonic": str(number + 1)}
        found.append(NewRecord(entry_body(fields), {"boot_id": BOOT, **times}))
    return found


CRASH = FormatCrash(
    "system.journal",
    records,
    {"header_size": 264, "data_buckets": 64, "field_buckets": 16},
    is_part=lambda record: "missing" in record.fields,
)
