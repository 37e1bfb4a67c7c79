"""Our writers write the same bytes as zmq-raft, and our readers read the files of zmq-raft."""

from __future__ import annotations

import pytest

from conformance.contents import read_contents
from reference_impl import formats
from reference_impl.answer import NewRecord, collect
from reference_impl.zmq_raft.index_writer import IndexWriter
from reference_impl.zmq_raft.message_pack import encode
from tests.real_files import ZMQ_RAFT

from .conftest import INDEX_FILE, RID, SNAPSHOT, STATE

HELLO = NewRecord(b"hello", {"term": "1", "entry_type": 0, "request_id": RID})
CHECKPOINT = NewRecord(b"\xc0", {"term": "2", "entry_type": 2})
PEERS = [["p1", "tcp://127.0.0.1:8047"]]


def test_index_file_of_two_entries(write, read):
    path = write("a.rlog", HELLO, CHECKPOINT, first_index=1, capacity=4)
    assert path.read_bytes() == INDEX_FILE
    answer = read(INDEX_FILE)
    assert (answer.verdict, answer.end) == ("intact", 150)
    assert [record.to_json() for record in answer.records] == [
        {"at": 104, "size": 25, "index": "1", "term": "1", "entry_type": 0, "request_id": RID,
         "payload": "68656c6c6f"},
        {"at": 129, "size": 21, "index": "2", "term": "2", "entry_type": 2,
         "request_id": "00" * 12, "payload": "c0"},
    ]  # fmt: skip


def test_snapshot(write, read):
    record = NewRecord(b"0123456789", {"index": "42", "term": "100"})
    assert write("snap", record).read_bytes() == SNAPSHOT
    assert [each.to_json() for each in read(SNAPSHOT, "snap").records] == [
        {"at": 0, "size": 114, "index": "42", "term": "100", "payload": "30313233343536373839"}
    ]


def test_state(write, read):
    updates = [{"foo": 2}, {"baz": [1, 2, 3]}, {"foo": 2**31}, {"foo": -1}, {}]
    path = write("one.pers", *(NewRecord(encode(update)) for update in updates))
    assert path.read_bytes() == STATE
    records = read(STATE, "one.pers").records
    assert [record.fields["update"] for record in records] == updates
    assert [record.at for record in records] == [0, 6, 15, 29, 35]
    assert records[-1].fields["state"] == {"foo": -1, "baz": [1, 2, 3]}
    assert all("state" not in record.fields for record in records[:-1])


@pytest.mark.parametrize(
    ("path", "payloads", "context"),
    [
        ("log/00000/00/00/00000000000001.rlog", None, {"first_index": 1, "capacity": 4}),
        ("logE/00000/00/00/00000000000008.rlog", [], {"first_index": 8, "capacity": 8}),
        ("logF/00000/10/00/00000100000005.rlog", [b"a", b"bb", b"ccc"],
         {"first_index": 2**32 + 5, "capacity": 8, "entries": "raw"}),
    ],
)  # fmt: skip
def test_real_index_files(write, path, payloads, context):
    records = (
        [HELLO, CHECKPOINT] if payloads is None else [NewRecord(payload) for payload in payloads]
    )
    assert write("a.rlog", *records, **context).read_bytes() == (ZMQ_RAFT / path).read_bytes()


def test_real_file_that_was_rolled_back(write):
    records = [NewRecord(payload) for payload in (b"a", b"bb", b"ccc")]
    path = write("a.rlog", *records, first_index=0, capacity=4, entries="raw")
    with path.open("r+b") as file:
        IndexWriter(file, path.stat().st_size).truncate(1)
    assert path.read_bytes() == (ZMQ_RAFT / "logR/00000/00/00/00000000000000.rlog").read_bytes()


def test_real_snapshots(write):
    for name, payload, index, term in (("snap", b"0123456789", 42, 100), ("snap0", b"", 0, 0)):
        record = NewRecord(payload, {"index": str(index), "term": str(term)})
        path = write("x.snap", record)
        assert path.read_bytes() == (ZMQ_RAFT / name).read_bytes()
    unfinished = collect(formats.named("zmq-raft").read(ZMQ_RAFT / "snapU", "recover", {}))
    assert (unfinished.verdict, unfinished.reason) == ("torn", "torn-snapshot")


def test_real_directory(write):
    records = [NewRecord(b"entry%d" % n, {"term": "1", "request_id": RID}) for n in range(6)]
    path = write("raft", *records, CHECKPOINT, capacity=4)
    assert read_contents(path) == read_contents(ZMQ_RAFT / "raft")
    answer = collect(formats.detect(ZMQ_RAFT / "raft").read(ZMQ_RAFT / "raft", "recover", {}))
    assert [record.fields["index"] for record in answer.records] == list("1234567")
    assert (answer.verdict, answer.end) == ("intact", None)


def test_real_state_and_its_rotation(write):
    """After three updates and a rotation, the old file keeps its bytes under a dated name."""
    initial = {"currentTerm": 0, "votedFor": None, "peers": PEERS, "peersUpdateRequest": None}
    initial["peersIndex"] = None
    updates = [{"currentTerm": 1, "votedFor": "p1"}, {"currentTerm": 2, "votedFor": None}]
    records = [NewRecord(encode(update)) for update in [*updates, {"currentTerm": 2**32}]]
    last = NewRecord(encode({"peersIndex": 1}), {"rotate": True})
    path = write("raft.pers", *records, last, initial=initial)
    old = "raft.pers-2018-09-26-145936-8170"
    assert sorted(file.name for file in path.parent.iterdir()) == ["raft.pers", old]
    assert path.read_bytes() == (ZMQ_RAFT / "raft.pers").read_bytes()
    assert (path.parent / old).read_bytes() == (ZMQ_RAFT / old).read_bytes()
