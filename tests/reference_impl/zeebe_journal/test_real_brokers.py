"""Real brokers' journals are read completely and quickly, and are not changed."""

from __future__ import annotations

import itertools
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from reference_impl.answer import collect
from reference_impl.zeebe_journal.meta import Meta, read_flushed_index, write_meta
from reference_impl.zeebe_journal.reader import read
from tests.real_files import unpack_partition

EXPECTED = [("v8.1", 26, 2044541), ("v8.3", 15, 2041255), ("v8.8", 62, 2091305)]
RealJournal = Callable[[str], Path]


@pytest.fixture(scope="module")
def real_journal(tmp_path_factory: pytest.TempPathFactory) -> RealJournal:
    """Return a function that returns the journal directory of a broker version."""

    @cache
    def unpack(version: str) -> Path:
        return unpack_partition(version, tmp_path_factory.mktemp(version))

    return unpack


@pytest.mark.parametrize(("version", "records", "end"), EXPECTED)
def test_every_record_is_read(
    real_journal: RealJournal, version: str, records: int, end: int
) -> None:
    answer = collect(read(real_journal(version), "recover", {"last_flushed_index": "meta"}))
    assert (answer.verdict, answer.end, len(answer.records)) == ("intact", end, records)
    assert answer.end_file == "raft-partition-partition-1-1.log"
    assert [r.fields["entry_type"] for r in answer.records] == ["initial"] + ["application"] * (
        records - 1
    )
    assert [int(r.fields["index"]) for r in answer.records] == list(range(1, records + 1))
    for record in answer.records[1:]:
        assert record.fields["asqn"] == record.fields["entry"]["lowest_asqn"]
    for first, other in itertools.pairwise(answer.records):
        assert first.at + first.size == other.at


@pytest.mark.parametrize(
    ("version", "flushed", "commit"),
    [("v8.1", 26, None), ("v8.3", 15, None), ("v8.8", 62, 61)],
)
def test_the_meta_file_is_read(
    real_journal: RealJournal, version: str, flushed: int, commit: int | None
) -> None:
    data = (real_journal(version) / "raft-partition-partition-1.meta").read_bytes()
    assert read_flushed_index(data) == flushed
    schema = int.from_bytes(data[7:9], "little")
    assert data == write_meta(Meta(1, flushed, commit, b"0"), schema)


def test_a_segment_of_128_mib_is_not_loaded_into_memory(real_journal: RealJournal) -> None:
    folder = real_journal("v8.8")
    tracemalloc.start()
    for _ in read(folder, "recover", {"last_flushed_index": 63}):  # reads the whole tail
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 << 20
