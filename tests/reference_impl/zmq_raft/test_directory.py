"""Log directories."""

from __future__ import annotations

import pytest

from conformance.contents import read_contents
from reference_impl import formats
from reference_impl.answer import NewRecord, collect

ONE, FOUR, EIGHT = (f"log/00000/00/00/{n:014x}.rlog" for n in (1, 4, 8))
RECORDS = [NewRecord(b"entry%d" % n, {"term": "1"}) for n in range(10)]


@pytest.fixture
def files(write):
    """Return ten entries in files of 3, 4 and 3."""
    return dict(read_contents(write("raft", *RECORDS, capacity=4)))


def indexes(answer):
    return [int(record.fields["index"]) for record in answer.records]


def test_files_and_their_order(files, read):
    answer = read(files, "raft")
    assert indexes(answer) == list(range(1, 11))
    assert [record.file for record in answer.records] == [ONE] * 3 + [FOUR] * 4 + [EIGHT] * 3
    assert answer.to_json()["end"] == {"file": EIGHT, "at": 186}


@pytest.mark.parametrize(
    ("missing", "reason", "left"),
    [
        (ONE, "snapshot-gap", [4, 5, 6, 7, 8, 9, 10]),
        (FOUR, "missing-entries", [1, 2, 3, 8, 9, 10]),
        (EIGHT, None, [1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_a_missing_file(files, read, missing, reason, left):
    del files[missing]
    answer = read(files, "raft")
    assert (answer.reason, indexes(answer)) == (reason, left)


def test_strict_loses_all_files_after_the_damage(files, read):
    files[FOUR] = files[FOUR][:8] + b"\2" + files[FOUR][9:]
    answer = read(files, "raft", profile="strict")
    assert indexes(answer) == [1, 2, 3]
    assert [gap.to_json() for gap in answer.lost] == [
        {"file": FOUR, "from": 0, "to": 212, "reason": "unsupported-version"},
        {"file": EIGHT, "from": 0, "to": 186, "reason": "unsupported-version"},
    ]


def test_snapshot_over_the_log(write, read, files):
    snap = write("x.snap", NewRecord(b"state", {"index": "5", "term": "1"})).read_bytes()
    files["snap"] = snap
    answer = read(files, "raft")
    assert answer.verdict == "intact"
    assert indexes(answer) == [5, 6, 7, 8, 9, 10]
    assert (answer.records[0].file, answer.records[0].payload) == ("snap", b"state")
    # Entries that the snapshot covers are ignored, so a broken entry 2 is not a loss.
    data = bytearray(files[ONE])
    data[104 + 26 + 13 : 104 + 26 + 20] = b"\xff" * 7
    files[ONE] = bytes(data)
    assert read(files, "raft").verdict == "intact"
    files["snap"] = write("y.snap", NewRecord(b"", {"index": "0", "term": "0"})).read_bytes()
    assert read(files, "raft").reason == "bad-term"


@pytest.mark.parametrize(("name", "context"), [("log", {}), ("entries", {"log": "entries"})])
def test_other_names(files, read, name, context):
    moved = {path.replace("log/", f"{name}/", 1): data for path, data in files.items()}
    moved["s.snap"] = moved.pop("snap")
    answer = read(moved, "raft", snapshot_file="s.snap", **context)
    assert (answer.verdict, len(answer.records)) == ("intact", 10)


@pytest.mark.parametrize("count", range(13))
def test_write_and_append_at_every_size(write, count):
    """For every fill level of the last file, appended entries follow the existing ones."""
    root = write("raft", *RECORDS[:count], capacity=4)
    more = [NewRecord(b"more%d" % n, {"term": "2"}) for n in range(6)]
    format = formats.named("zmq-raft")
    format.append(root, more, {})
    answer = collect(format.read(root, "recover", {}))
    expected = [record.payload for record in RECORDS[:count] + more]
    assert [record.payload for record in answer.records] == expected
    assert answer.verdict == "intact"


def test_append_refuses_an_unexpected_index(write, files):
    root = write("raft", *RECORDS, capacity=4)
    (root / EIGHT).write_bytes(b"RLOG" + bytes(200))
    before = read_contents(root)
    with pytest.raises(ValueError, match="must not be appended"):
        formats.named("zmq-raft").append(root, RECORDS[:1], {})
    assert read_contents(root) == before


def test_reading_changes_nothing(write):
    root = write("raft", *RECORDS, capacity=4)
    (root / EIGHT).write_bytes((root / EIGHT).read_bytes()[:-5])
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    for profile in ("recover", "strict"):
        collect(formats.named("zmq-raft").read(root, profile, {}))
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before
