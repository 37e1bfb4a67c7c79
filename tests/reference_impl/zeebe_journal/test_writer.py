"""If the Zeebe writer refuses, it changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from reference_impl.answer import NewRecord, Record
from reference_impl.zeebe_journal.reader import read
from reference_impl.zeebe_journal.writer import append, write

ONE = NewRecord(b"one", {"asqn": "1"})
LARGEST = 2**63 - 1


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def payloads(folder: Path) -> list[bytes]:
    return [event.payload for event in read(folder, "recover", {}) if isinstance(event, Record)]


@pytest.mark.parametrize(
    ("records", "context"),
    [
        ([ONE, NewRecord(b"two", {"index": "3"})], {}),
        ([NewRecord(b"one", {"index": str(LARGEST)}), NewRecord(b"two")], {}),
        ([NewRecord(b"one", {"index": "0"})], {}),
        ([NewRecord(b"one", {"asqn": str(LARGEST + 1)})], {}),
        ([ONE], {"name": ""}),
        ([ONE], {"name": "a/b"}),
        ([ONE], {"name": "a\0b"}),
        ([], {"max_segment_size": 57}),
        ([], {"max_segment_size": 2**31}),
        ([], {"max_segment_size": 0}),
    ],
)
def test_a_refused_write_writes_nothing(
    tmp_path: Path, records: list[NewRecord], context: Mapping[str, Any]
) -> None:
    with pytest.raises(ValueError):
        write(tmp_path / "journal", records, context)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("records", "context"),
    [
        ([NewRecord(b"two", {"index": "3"})], {}),
        ([NewRecord(b"two", {"asqn": str(LARGEST + 1)})], {}),
        ([NewRecord(b"x" * 100)], {"max_segment_size": 56}),
        ([NewRecord(b"x" * 100)], {"max_segment_size": 0}),
        ([NewRecord(b"x" * 100)], {"max_segment_size": 2**31}),
    ],
)
def test_a_refused_append_changes_nothing(
    tmp_path: Path, records: list[NewRecord], context: Mapping[str, Any]
) -> None:
    write(tmp_path / "journal", [ONE], {"max_segment_size": 200})
    before = contents(tmp_path / "journal")
    with pytest.raises(ValueError):
        append(tmp_path / "journal", records, context)
    assert contents(tmp_path / "journal") == before


def test_a_refused_write_keeps_a_prepared_segment(tmp_path: Path) -> None:
    (tmp_path / "journal-1.log").write_bytes(bytes(100))
    with pytest.raises(ValueError):
        append(tmp_path, [NewRecord(b"one")], {"max_segment_size": 57})
    assert contents(tmp_path) == {"journal-1.log": bytes(100)}


def test_an_expected_index_is_accepted(tmp_path: Path) -> None:
    write(tmp_path / "journal", [NewRecord(b"one", {"index": "7"})], {"max_segment_size": 200})
    append(tmp_path / "journal", [NewRecord(b"two", {"index": "8"})], {})
    assert payloads(tmp_path / "journal") == [b"one", b"two"]


def test_a_new_journal_has_room_for_the_longest_record(tmp_path: Path) -> None:
    long = NewRecord(bytes(1 << 20))
    append(tmp_path, [ONE, long], {})
    assert payloads(tmp_path) == [ONE.payload, long.payload]
    assert {len(data) for data in contents(tmp_path).values()} == {(1 << 20) + 106}
