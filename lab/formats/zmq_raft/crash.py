"""zmq-raft log directories with small index files, so that the writer starts new ones."""

from __future__ import annotations

from lab.crash.format_crash import FormatCrash, random_records
from reference_impl.answer import NewRecord

REQUEST = "5bab9dc8aabbcc1234000001"


def records(count: int) -> list[NewRecord]:
    """Return entries that all have the same term."""
    fields = {"term": "1", "entry_type": 0, "request_id": REQUEST}
    return [NewRecord(each.payload, fields) for each in random_records(count)]


CRASH = FormatCrash(
    "journal",
    records,
    {"created": "2018-09-26T14:59:36.817Z", "hostname": "golden", "capacity": 4},
)
