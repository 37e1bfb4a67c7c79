"""Log directories can be read, written and appended to."""

from __future__ import annotations

import pytest

from reference_impl import formats
from reference_impl.answer import NewRecord, collect

ONE, FOUR, EIGHT = (f"log/00000/00/00/{n:014x}.rlog" for n in (1, 4, 8))
RECORDS = [NewRecord(b"entry%d" % n, {"term": "1"}) for n in range(10)]


@pytest.mark.parametrize("count", range(13))
def test_write_and_append_at_every_size(write, count):
    """Appended entries follow the existing ones, however full the last file is."""
    root = write("raft", *RECORDS[:count], capacity=4)
    more = [NewRecord(b"more%d" % n, {"term": "2"}) for n in range(6)]
    format = formats.named("zmq-raft")
    format.append(root, more, {})
    answer = collect(format.read(root, "recover", {}))
    expected = [record.payload for record in RECORDS[:count] + more]
    assert [record.payload for record in answer.records] == expected
    assert answer.verdict == "intact"


def test_reading_changes_nothing(write):
    root = write("raft", *RECORDS, capacity=4)
    (root / EIGHT).write_bytes((root / EIGHT).read_bytes()[:-5])
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    for profile in ("recover", "strict"):
        collect(formats.named("zmq-raft").read(root, profile, {}))
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before
