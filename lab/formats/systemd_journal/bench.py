"""systemd journals with service messages in entries of equal size."""

from __future__ import annotations

import random
from collections.abc import Iterator

from lab.bench.format_bench import FormatBench, MeasuredProgram, Size
from reference_impl.answer import NewRecord
from reference_impl.systemd_journal.export_format import entry_body

BOOT = "0123456789abcdef0123456789abcdef"
START = 1_700_000_000_000_000

#: Fields that all entries share.
COMMON = (
    b"_HOSTNAME=bench",
    b"_MACHINE_ID=fedcba9876543210fedcba9876543210",
    b"_TRANSPORT=stdout",
    b"_UID=0",
    b"_GID=0",
    b"_SYSTEMD_SLICE=system.slice",
    b"SYSLOG_FACILITY=3",
)


def entries(count: int, size: int) -> Iterator[NewRecord]:
    """Yield ``count`` entries of ``size`` bytes in the export format, with eleven fields each."""
    rng = random.Random(1)
    for number in range(count):
        service = rng.randrange(8)
        fields = [*COMMON, b"PRIORITY=%d" % rng.randrange(8)]
        fields += [b"SYSLOG_IDENTIFIER=service-%d" % service, b"_PID=%d" % (1000 + service)]
        room = size - len(entry_body([*fields, b"MESSAGE="]))
        text = b"%08d %s" % (number, rng.randbytes(room).hex().encode())
        body = entry_body([*fields, b"MESSAGE=" + text[:room]])
        times = {"realtime": str(START + number * 100_000), "monotonic": str(number * 100_000 + 1)}
        yield NewRecord(body, {"boot_id": BOOT, **times})


BENCH = FormatBench(
    logs=(Size("300 B entries, systemd", 100_000, 300),),
    programs=tuple(
        MeasuredProgram(name, 3)
        for name in ("systemd", "systemd-257", "systemd-262", "sdjournal", "systemd-journal-reader")
    ),
    records=entries,
    # The hash tables are as large as journald's, and the header is the newest that all releases
    # read and verify.
    context={"header_size": 264, "data_buckets": 233_016},
    scanner_repeat=5,
    text_peer=("journalctl", "-o", "json", "--file"),
)
