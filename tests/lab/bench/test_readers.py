"""A reader that is timed in a separate process reads all records and all their bytes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from lab.bench import contenders, readers
from reference_impl.answer import NewRecord
from reference_impl.formats import named


@pytest.mark.parametrize("format_id", ["leveldb-log", "zeebe-journal"])
@pytest.mark.parametrize(
    "reader",
    ["specification", "scanner", "parquet"],
)
def test_every_record_and_byte_is_counted(format_id: str, reader: str, tmp_path: Path) -> None:
    log = tmp_path / "journal"
    named(format_id).write(log, [NewRecord(b"x" * n) for n in range(100)], {})
    assert readers.READERS[reader](format_id)(log) == (100, 4950)


def test_one_column_beside_the_payloads(tmp_path: Path) -> None:
    log = tmp_path / "00000000000001.rlog"
    named("zmq-raft").write(log, [NewRecord(b"x" * n) for n in range(100)], {})
    assert readers.scanner("zmq-raft", "index")(log) == (100, 4950)


def test_every_contender_of_ours_prints_its_times(tmp_path: Path) -> None:
    log = tmp_path / "000003.log"
    named("leveldb-log").write(log, [NewRecord(b"abc")], {})
    for each in contenders.our_contenders("leveldb-log"):
        assert each.unavailable() is None
        printed = json.loads(subprocess.check_output(each.command(log, 2)))
        counts = (printed["records"], printed["payload_bytes"], len(printed["all_seconds"]))
        assert counts == (1, 3 if each.has_payloads else 0, 2)


def test_without_numba_there_is_nothing_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contenders.importlib.util, "find_spec", lambda name: None)
    assert contenders.why_no_scan() == "numpy and pyarrow and numba not installed"
