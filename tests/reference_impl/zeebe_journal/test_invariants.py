"""The invariants of spec/conventions.md, for any records, any damage and any bytes."""

from __future__ import annotations

import itertools
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.zeebe_journal.meta import Meta, read_flushed_index, write_meta
from reference_impl.zeebe_journal.raft import decode
from reference_impl.zeebe_journal.reader import read, recognise
from reference_impl.zeebe_journal.writer import pack_descriptor, write

pytestmark = pytest.mark.slow

flushed_indexes = st.one_of(st.none(), st.integers(-1, 14))


def _answer(path: Path, flushed: int | None, profile: str = "recover") -> Answer:
    return collect(read(path, profile, {"last_flushed_index": flushed}))


def _check(answer: Answer, flushed: int | None, sizes: dict[str, int]) -> None:
    indexes = [int(record.fields["index"]) for record in answer.records]
    assert indexes == sorted(set(indexes))
    taken: list[tuple[str, int, int]] = []
    taken += [(r.file or "", r.at, r.at + r.size) for r in answer.records]
    taken += [(x.file or "", x.start, x.end) for x in answer.lost if x.end > x.start]
    taken.sort()
    for (file, _, end), (other, start, _) in itertools.pairwise(taken):
        assert file != other or end <= start
    assert all(end <= sizes.get(file, end) for file, _, end in taken)
    if answer.verdict == "intact":
        assert not answer.lost
        assert answer.reason is None
    else:
        assert answer.reason
    if answer.verdict == "torn":
        assert answer.end is not None
    if flushed is not None and answer.verdict in ("intact", "torn") and indexes:
        assert indexes[-1] >= flushed


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400), flushed_indexes, st.booleans())
def test_any_bytes_are_read(data: bytes, flushed: int | None, begins_well: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal-1.log"
        if begins_well:
            data = pack_descriptor(1, 1, 57) + data
        path.write_bytes(data)
        for profile in ("recover", "strict"):
            _check(_answer(path, flushed, profile), flushed, {"": len(data)})
        recognise(path)


@given(st.binary(max_size=200))
def test_any_payload_is_decoded_or_has_a_fault(payload: bytes) -> None:
    entry = decode(payload)
    assert (entry.fault is None) == (entry.type is not None)
    read_flushed_index(payload)


def test_an_invalid_context_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "j", [], {})
    for wrong in ("x", True, 1.5, [1]):
        with pytest.raises(ValueError, match="last_flushed_index"):
            collect(read(tmp_path / "j", "recover", {"last_flushed_index": wrong}))


def test_a_file_name_that_is_not_utf8_is_not_a_segment(tmp_path: Path) -> None:
    write(tmp_path / "j", [NewRecord(b"x")], {"max_segment_size": 200})
    segment = tmp_path / "j" / "journal-1.log"
    segment.rename(tmp_path / "j" / os.fsdecode(b"journal\xff-1.log"))
    assert _answer(tmp_path / "j", None) == Answer("intact", None, (), (), 0, None)


def test_links_to_files_count_as_files(tmp_path: Path) -> None:
    write(tmp_path / "j", [NewRecord(b"x")], {"max_segment_size": 200})
    (tmp_path / "j" / "journal-1.log").rename(tmp_path / "segment")
    (tmp_path / "j" / "journal-1.log").symlink_to(tmp_path / "segment")
    (tmp_path / "meta").write_bytes(write_meta(Meta(1, 2, None, b"")))
    (tmp_path / "j" / "journal.meta").symlink_to(tmp_path / "meta")
    answer = collect(read(tmp_path / "j", "recover", {"last_flushed_index": "meta"}))
    assert [record.payload for record in answer.records] == [b"x"]
    assert answer.reason == "missing-records"
