"""A table has one row for each record, each lost range and each refusal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from conformance.vectors import load_all
from reference_impl.answer import End, Lost, collect
from reference_impl.formats import named
from tests.lakes import leveldb, mixed, vector
from walproof import log_rows as rows
from walproof.lake import row_reader
from walproof.scanners.model import Records

RUN = Records(
    at=np.array([0, 12], np.int64),
    size=np.array([12, 20], np.int64),
    payload=pa.array([b"alpha", b"bravo"], pa.binary()),
    fields={
        "index": pa.array([1, 2], pa.int64()),
        "term": pa.array([2**64 - 1, None], pa.uint64()),
        "checksum": pa.array([2**32 - 1, 0], pa.uint32()),
    },
    file="raft-partition-1.log",
    truncated=np.array([False, True]),
)


def test_records_become_rows() -> None:
    schema = rows.schema("zeebe-journal")
    batch = rows.batch(RUN, schema, "/logs/raft/")
    assert batch is not None and batch.schema == schema
    first, second = batch.to_pylist()
    assert first["file"] == "/logs/raft/raft-partition-1.log"
    assert (first["offset"], first["length"], first["kind"]) == (0, 12, "record")
    assert (first["verdict"], first["reason"], first["detail"]) == ("intact", None, None)
    assert (first["payload"], first["payload_truncated"]) == (b"alpha", False)
    assert (first["term"], first["checksum"]) == (-1, 2**32 - 1)
    assert (second["payload_truncated"], second["term"]) == (True, None)


def test_lost_and_refused_become_rows() -> None:
    schema = rows.schema("leveldb-log")
    torn = rows.batch(Lost(5, 9, "torn-header", torn=True), schema, "a.log")
    damaged = rows.batch(Lost(5, 9, "zero-gap"), schema, "a.log")
    refused = rows.batch(End("refused", "foreign-dialect", None), schema, "a.log")
    assert rows.batch(End("intact", None, 12), schema, "a.log") is None
    table = pa.Table.from_batches([torn, damaged, refused]).to_pylist()
    assert [row["kind"] for row in table] == ["lost", "lost", "refused"]
    assert [row["verdict"] for row in table] == ["torn", "damaged", "refused"]
    assert [row["offset"] for row in table] == [5, 5, None]
    assert [row["length"] for row in table] == [4, 4, None]


def test_columns_can_be_selected_and_added() -> None:
    schema = pa.schema([("index", pa.int64()), ("mine", pa.int32()), ("nobodys", pa.string())])
    batch = rows.batch(RUN, schema, "raft", {"mine": pa.array([7, 8], pa.int32())})
    assert batch is not None
    assert batch.to_pydict() == {"index": [1, 2], "mine": [7, 8], "nobodys": [None, None]}


RowsOf = Callable[..., list[dict[str, Any]]]


def test_the_row_of_a_log_has_its_answer(rows_of: RowsOf) -> None:
    read = [v for v in load_all().values() if v.operation == "read" and not v.body.get("context")]
    checked = 0
    for each in read[::25]:
        format_id = each.body["format"]
        answer = collect(named(format_id).read(each.input, "recover", {}))
        found = rows_of(each.input, journalFormat=format_id, logRows=True, maxPartitionBytes="1g")
        row, *others = [row for row in found if row["kind"] == "log"]
        if others:  # a folder with several logs
            continue
        checked += 1
        assert (row["verdict"], row["reason"]) == (answer.verdict, answer.reason), each.id
        assert (row["records"], row["resume_offset"]) == (len(answer.records), answer.end), each.id
        assert row["lost_bytes"] == sum(lost.end - lost.start for lost in answer.lost), each.id
    assert checked > 60


def test_parts_of_a_log_add_up(tmp_path: Path, rows_of: RowsOf) -> None:
    log = leveldb(tmp_path / "large.log", 5000)
    data = bytearray(log.read_bytes())
    data[40_000] ^= 1
    log.write_bytes(data[:-7])
    answer = collect(named("leveldb-log").read(log, "recover", {}))
    found = rows_of(log, logRows=True, maxPartitionBytes="64k")
    parts = [row for row in found if row["kind"] == "log"]
    assert len(parts) > 1 and len({part["offset"] for part in parts}) == len(parts)
    assert {part["size"] for part in parts} == {len(data) - 7}
    assert {part["verdict"] for part in parts} == {"damaged", "intact", "torn"}
    assert sum(part["records"] for part in parts) == len(answer.records)
    lost = sum(each.end - each.start for each in answer.lost)
    assert sum(part["lost_bytes"] for part in parts) == lost


def test_each_file_has_a_row(tmp_path: Path, rows_of: RowsOf) -> None:
    lake = mixed(tmp_path / "lake")
    vector("zeebe-journal", "another-journal-in-the-folder", lake)
    found = rows_of(lake, recursiveFileLookup=True, logRows=True)
    logs = {row["log"]: row for row in found if row["kind"] == "log"}
    # The lake has 11 logs, two unreadable files, two journals and a text.
    assert len(logs) == 11 + 2 + 2 + 1
    assert {row["log"] for row in found} == logs.keys()
    unknown = logs[str(lake / "notes.txt")]
    assert (unknown["format"], unknown["reason"]) == (None, "unknown-format")
    missing = logs[str(lake / "nowhere.log")]
    assert missing["verdict"] is None and "No such file" in missing["detail"]
    assert len([name for name in logs if name.endswith("-*.log")]) == 4
    without = rows_of(lake, recursiveFileLookup=True)
    assert len(without) == len(found) - len(logs) and "log" not in without[0]
    bad = rows_of(lake, recursiveFileLookup=True, logRows=True, ignoreCorruptFiles=True)
    assert {row["verdict"] for row in bad} == {"intact", "torn", "damaged"}


def test_a_defect_is_not_a_row(rows_of: RowsOf, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(row_reader, "opened", broken)
    with pytest.raises(RuntimeError, match="a defect"):
        rows_of(load_all()["leveldb-log/one-record"].input)
