"""What is timed in a process of its own reads all records and all their bytes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from lab.bench import availability, our_readers, readers
from reference_impl.answer import NewRecord
from reference_impl.formats import named


@pytest.mark.parametrize("format_id", ["leveldb-log", "zeebe-journal"])
@pytest.mark.parametrize(
    "reader",
    ["specification", "scanner", "scanner_on_all_cores", "parquet", "parquet_from_memory"],
)
def test_every_record_and_byte_is_counted(format_id: str, reader: str, tmp_path: Path) -> None:
    log = tmp_path / "journal"
    named(format_id).write(log, [NewRecord(b"x" * n) for n in range(100)], {})
    assert readers.READERS[reader](format_id)(log) == (100, 4950)


def test_all_cores_read_a_log_that_has_many_parts(tmp_path: Path) -> None:
    log = tmp_path / "000003.log"
    named("leveldb-log").write(log, [NewRecord(b"x" * (n % 500)) for n in range(3000)], {})
    owed = readers.scanner("leveldb-log")(log)
    assert readers.scanner_on_all_cores("leveldb-log")(log) == owed == (3000, 748_500)


def test_one_column_beside_the_payloads(tmp_path: Path) -> None:
    log = tmp_path / "00000000000001.rlog"
    named("zmq-raft").write(log, [NewRecord(b"x" * n) for n in range(100)], {})
    assert readers.scanner("zmq-raft", "index")(log) == (100, 4950)


def test_a_contender_is_a_process_that_prints_its_times(tmp_path: Path) -> None:
    log = tmp_path / "000003.log"
    named("leveldb-log").write(log, [NewRecord(b"abc")], {})
    for one in (our_readers.scanner("leveldb-log"), our_readers.parquet("leveldb-log")):
        assert one.unavailable() is None
        said = json.loads(subprocess.check_output(one.command(log, 2)))
        assert (said["records"], said["payload_bytes"], len(said["all_seconds"])) == (1, 3, 2)


def test_without_numba_there_is_nothing_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(availability.importlib.util, "find_spec", lambda name: None)
    assert (
        our_readers.scanner("leveldb-log").unavailable()
        == "numpy and pyarrow and numba not installed"
    )
