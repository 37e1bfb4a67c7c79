"""Raft node logs that the executable specification writes in the same form as the npm package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from conformance.contents import by_name
from conformance.recipes.algebra import Damage
from lab.databases.damaged_logs import FormatDatabases, Item, damaged_cases, shortened, written_log
from reference_impl.answer import Answer, NewRecord

FORMAT = "zmq-raft"
NAME = "journal"
CONTEXT = {"created": "2018-09-26T14:59:36.817Z", "hostname": "node", "capacity": 4}
ENTRIES = 14
FOLDER = "log/00000/00/00/"
FIRST, SECOND, THIRD, LAST = (f"{FOLDER}{number:014x}.rlog" for number in (1, 4, 8, 12))
NEXT = f"{FOLDER}{16:014x}.rlog"


@cache
def control() -> Mapping[str, bytes]:
    """Return the files of the log before any damage."""
    records = [
        NewRecord(
            b"set key%02d to value%02d %s" % (number, number, b"." * 200),
            {"term": "1", "entry_type": 0, "request_id": f"{number:024x}"},
        )
        for number in range(ENTRIES)
    ]
    return by_name(written_log(FORMAT, NAME, records, CONTEXT))


DAMAGE: Mapping[str, Callable[[Damage], None]] = {
    "none": lambda log: None,
    "torn-last-record": lambda log: log.truncate_in(f"{LAST}:data.entries[2].data", 100),
    "torn-last-record/new-file": lambda log: log.add_file(NEXT, b""),
    "size-before-data": lambda log: log.zero(f"{LAST}:data.entries[2]"),
    "index-survives-data": lambda log: log.truncate_in(f"{LAST}:data.entries[0]", 0),
    "zeroed-sector": lambda log: log.zero_sector(1, 512, SECOND),
    "zeroed-sector/table": lambda log: log.zero(f"{SECOND}:offsets[1]"),
    "stale-tail": lambda log: log.extend(control()[FIRST][104:300], file=LAST),
    "lost-file/first": lambda log: log.remove_file(FIRST),
    "lost-file/middle": lambda log: log.remove_file(SECOND),
    "lost-file/last": lambda log: log.remove_file(LAST),
    "lost-file/snapshot": lambda log: log.remove_file("snap"),
    "bit-in-a-length": lambda log: log.flip(f"{SECOND}:offsets[1]", 20),
    "bit-in-a-payload": lambda log: log.flip(f"{FIRST}:data.entries[1].data", 32),
    "bit-in-a-payload/term": lambda log: log.flip(f"{FIRST}:data.entries[1].header.term", 3),
    "swapped": lambda log: log.swap_files(SECOND, THIRD),
}


def items(answer: Answer) -> frozenset[Item]:
    """Return the entries by index."""
    return frozenset(
        (
            str(record.fields["index"]),
            shortened(b"%d " % int(record.fields["term"]) + record.payload),
        )
        for record in answer.records
        if record.fields.get("entry_type") is not None
    )


DATABASES = FormatDatabases(lambda: damaged_cases(FORMAT, control(), DAMAGE, NAME, CONTEXT), items)
