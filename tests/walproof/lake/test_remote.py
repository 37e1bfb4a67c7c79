"""Logs in S3 give the same rows as local files. A real S3 server runs on the loopback interface."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance import VECTORS
from pyspark_journal.source import JournalDataSource
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from tests.s3 import gateway, reach
from walproof.lake.remote import PREFIX, RemoteLog, sweep

pytestmark = pytest.mark.xdist_group("spark")
RowsOf = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Path, dict[str, str]]]:
    """Serve a folder's subfolders as buckets; yield the folder and the options for the server."""
    with tempfile.TemporaryDirectory() as folder, gateway(Path(folder)) as (root, address):
        (root / "lake").mkdir()
        yield root, reach(address)


@pytest.fixture
def lake(served: tuple[Path, dict[str, str]]) -> Iterator[Path]:
    folder = served[0] / "lake"
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    yield folder


def fill(lake: Path) -> None:
    for name in ("zeebe-journal/three-segments", "zmq-raft/files-in-two-folders"):
        shutil.copytree(VECTORS / name, lake / name.partition("/")[0])
    shutil.copytree(
        VECTORS / "kahadb-journal" / "damage-in-the-first-file", lake / "store", dirs_exist_ok=True
    )
    records = [NewRecord(bytes([n]) * 9_000) for n in range(40)]
    named("leveldb-log").write(lake / "000003.log", records, {})
    data = bytearray((lake / "000003.log").read_bytes())
    data[100_000] ^= 1
    (lake / "000003.log").write_bytes(data)
    journal = next((VECTORS / "systemd-journal").glob("*.journal"))
    shutil.copy(journal, lake / "system.journal")
    (lake / "README").write_text("of no format")


def comparable(rows: list[dict[str, Any]], root: str) -> list[Any]:
    for row in rows:
        row["file"] = row["file"].replace(root, "ROOT")
        row["detail"] = row["detail"] and row["detail"].replace(root, "ROOT")
    return sorted(rows, key=lambda row: (row["file"], row["offset"] or 0, row["kind"]))


def test_the_rows_of_all_formats(
    served: tuple[Path, dict[str, str]], lake: Path, rows_of: RowsOf
) -> None:
    fill(lake)
    options = {**served[1], "recursiveFileLookup": True, "maxPartitionBytes": 70_000}
    remote = rows_of("s3://lake/", **options)
    local = rows_of(lake, recursiveFileLookup=True, mode="PERMISSIVE")
    result = comparable(remote, "s3://lake")
    assert result == comparable(local, str(lake))
    assert {row["kind"] for row in result} >= {"record", "lost", "refused"}
    assert not list(Path(tempfile.gettempdir()).glob(f"{PREFIX}-{os.getpid()}-*"))


def test_large_logs_are_read_by_ranges(
    served: tuple[Path, dict[str, str]],
    lake: Path,
    rows_of: RowsOf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(lake)
    pytest.importorskip("numba")
    monkeypatch.setattr(RemoteLog, "readable", property(lambda self: pytest.fail("it was copied")))
    rows = rows_of("s3://lake/000003.log", **served[1])
    assert len(rows) > 30


def test_globs_and_missing_paths(
    served: tuple[Path, dict[str, str]], lake: Path, rows_of: RowsOf
) -> None:
    fill(lake)
    assert {row["file"] for row in rows_of("s3://lake/*.log", **served[1])} == {
        "s3://lake/000003.log"
    }
    with pytest.raises(FileNotFoundError, match="s3://lake/nothing"):
        rows_of("s3://lake/nothing", **served[1])


def test_a_log_above_the_copy_limit(
    served: tuple[Path, dict[str, str]], lake: Path, rows_of: RowsOf
) -> None:
    fill(lake)
    (row,) = rows_of("s3://lake/system.journal", maxFetchBytes=10, **served[1])
    assert row["kind"] == "unreadable" and "maxFetchBytes" in row["detail"]


def test_an_unresponsive_server(rows_of: RowsOf) -> None:
    options = {"fs.endpoint_override": "127.0.0.1:1", "fs.scheme": "http", "fs.anonymous": "true"}
    with pytest.raises(OSError, match="lake"):
        rows_of("s3://lake/", **options, **{"fs.connect_timeout": "1"})
    with pytest.raises(OSError, match="cannot reach this file system"):
        rows_of("nonsense://lake/")


def test_a_stream(served: tuple[Path, dict[str, str]], lake: Path) -> None:
    source = JournalDataSource({"path": "s3://lake/", **served[1]})
    reader = source.streamReader(source.schema())
    limit = reader.getDefaultReadLimit()
    form, path = named("leveldb-log"), lake / "000001.log"
    form.write(path, [NewRecord(b"alpha"), NewRecord(b"bravo")], {})
    first = reader.latestOffset({}, limit)
    form.append(path, [NewRecord(b"charlie")], {})
    second = reader.latestOffset(first, limit)
    results = []
    for start, end in (({}, first), (first, second)):
        batches = [b for p in reader.partitions(start, end) for b in reader.read(p)]
        results.append([row["payload"] for batch in batches for row in batch.to_pylist()])
    assert results == [[b"alpha", b"bravo"], [b"charlie"]]


def test_copies_of_killed_workers_are_removed() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    left = Path(tempfile.mkdtemp(prefix=f"{PREFIX}-{gone.pid}-"))
    mine = Path(tempfile.mkdtemp(prefix=f"{PREFIX}-{os.getpid()}-"))
    sweep()
    assert not left.exists() and mine.exists()
    mine.rmdir()
