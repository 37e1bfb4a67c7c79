"""etcd segments with one ``Save`` per entry, as etcd 3.6 writes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from conformance.recipes.algebra import Damage
from conformance.recipes.etcd_wal.log import entry, marker, metadata, state
from lab.databases.damaged_logs import FormatDatabases, Item, damaged_cases, shortened, written_log
from reference_impl.answer import Answer
from reference_impl.etcd_wal.layout import fields

FORMAT = "etcd-wal"
NAME = "0000000000000000-0000000000000000.wal"
CONTEXT = {"segment_size": 16384}
ENTRIES = 14
#: Paths of the frames that contain the fifth and the last entry.
FIFTH, LAST = "frames[11]", "frames[29]"


@cache
def control() -> bytes:
    """Return the log before any damage."""
    saves = [
        each
        for number in range(1, ENTRIES + 1)
        for each in (entry(number, b"value%02d %s" % (number, b"." * 200)), state(number))
    ]
    log = written_log(FORMAT, NAME, [metadata(), marker(0, 0), *saves], CONTEXT)
    assert isinstance(log, bytes)
    return log


DAMAGE: Mapping[str, Callable[[Damage], None]] = {
    "none": lambda log: None,
    "torn-last-record": lambda log: log.truncate_in(f"{LAST}.record.data", 100),
    "size-before-data": lambda log: log.zero(f"{LAST}.record"),
    "zeroed-sector": lambda log: log.zero_sector(2, 512),
    "zeroed-sector/frame": lambda log: log.zero(FIFTH),
    "zeroed-sector/length": lambda log: log.zero(f"{FIFTH}.length"),
    "bit-in-a-length": lambda log: log.flip(f"{FIFTH}.length.low", 4),
    "bit-in-a-length/data": lambda log: log.flip(f"{FIFTH}.record.len_data", 1),
    "bit-in-a-checksum": lambda log: log.flip(f"{FIFTH}.record.crc", 2),
    "bit-in-a-payload": lambda log: log.flip(f"{FIFTH}.record.data", 80),
    "bit-in-a-payload/type": lambda log: log.flip("frames[12].record.type", 0),
    "unit-twice": lambda log: log.duplicate(FIFTH),
}


def items(answer: Answer) -> frozenset[Item]:
    """Return the entries that remain after reading the log, by index."""
    found: dict[int, str] = {}
    for record in answer.records:
        if record.fields.get("record_type") == "entry" and "index" in record.fields:
            parts = fields(record.payload, 0, len(record.payload))
            spans = {number: value for number, _, value in parts}
            start, end = spans.get(4, (0, 0))
            value = f"{record.fields['term']} ".encode() + record.payload[start:end]
            found[int(record.fields["index"])] = shortened(value)
    return frozenset((str(index), value) for index, value in found.items())


DATABASES = FormatDatabases(lambda: damaged_cases(FORMAT, control(), DAMAGE, NAME, CONTEXT), items)
