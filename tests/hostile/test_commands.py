"""No command takes more memory than 16 times the log size plus 64 MiB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hostile import kahadb_journal, leveldb_log, rocksdb_wal, zeebe_journal, zmq_raft
from tests.hostile.logs import logs, memory_limit_bytes, run_command

SIZE_BYTES = 1 << 19
SMALL_BYTES = 1 << 12


def run(command: str, make: Callable[[int], bytes], size: int, folder: Path) -> dict[str, float]:
    """Run a command on a log of about ``size`` bytes; return its exit status and peak memory."""
    (hostile,) = [log for log in logs() if log.make is make]
    paths = []
    for number, count in enumerate((SMALL_BYTES, size)):
        paths.append(folder / str(number) / hostile.file_name)
        paths[-1].parent.mkdir()
        paths[-1].write_bytes(make(count))
    small, log = paths
    return run_command(log, small, hostile.format, command.split())


QUARTER_BYTES = SIZE_BYTES // 4


@pytest.mark.parametrize(
    ("command", "make", "size", "status"),
    [
        ("read --format FORMAT LOG", kahadb_journal.empty_records, QUARTER_BYTES, 0),
        ("recover --format FORMAT LOG --out OUT", kahadb_journal.empty_records, QUARTER_BYTES, 0),
        ("inspect --format FORMAT LOG", kahadb_journal.empty_records, QUARTER_BYTES, 0),
        ("inspect --format FORMAT LOG", zmq_raft.empty_arrays, QUARTER_BYTES, 0),
        ("inspect --limit 0 --format FORMAT LOG", zeebe_journal.empty_records, SIZE_BYTES, 0),
        ("read --json --format FORMAT LOG", zmq_raft.empty_arrays, SIZE_BYTES, 0),
        ("export --format FORMAT LOG --out OUT", zmq_raft.long_text, 4 * SIZE_BYTES, 0),
        ("read --jsonl --describe --format FORMAT LOG", leveldb_log.batch_of_marks, SIZE_BYTES, 0),
        ("read --jsonl --describe --format FORMAT LOG", kahadb_journal.command_of_fields,
         SIZE_BYTES, 0),
        ("recover --format FORMAT LOG --out OUT", rocksdb_wal.metadata_without_end, SIZE_BYTES, 0),
        ("read --jsonl --describe --format FORMAT LOG", rocksdb_wal.compressed_batch_of_marks,
         QUARTER_BYTES, 0),
    ],
)  # fmt: skip
def test_a_command_stays_below_the_limit(
    command: str, make: Callable[[int], bytes], size: int, status: int, tmp_path: Path
) -> None:
    result = run(command, make, size, tmp_path)
    assert result["status"] == status
    assert result["peak_bytes"] <= memory_limit_bytes(size)


STREAMING = (
    "summary --format FORMAT LOG",
    "read --format FORMAT --jsonl LOG",
    "export --format FORMAT LOG --out OUT",
)


@pytest.mark.parametrize("command", STREAMING)
def test_a_command_that_streams_takes_no_more_for_a_longer_log(
    command: str, tmp_path: Path
) -> None:
    """A streaming command needs no more memory for 3.4 million records than for 0.8 million.

    Both logs fill more than one row group.
    """
    paths = [tmp_path / str(size) / "db-1.log" for size in (16 << 20, 4 << 20)]
    for path in paths:
        path.parent.mkdir()
        path.write_bytes(kahadb_journal.empty_records(int(path.parent.name)))
    result = run_command(paths[0], paths[1], "kahadb-journal", command.split())
    assert result["status"] == 0
    assert result["peak_bytes"] <= 64 << 20
