"""Invalid payloads, contexts and names are reported or refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.zeebe_journal.meta import Meta, read_flushed_index, write_meta
from reference_impl.zeebe_journal.raft import decode
from reference_impl.zeebe_journal.reader import read
from reference_impl.zeebe_journal.writer import write

pytestmark = pytest.mark.slow


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
    assert collect(read(tmp_path / "j", "recover", {})) == Answer("intact", None, (), (), 0, None)


def test_links_to_files_count_as_files(tmp_path: Path) -> None:
    write(tmp_path / "j", [NewRecord(b"x")], {"max_segment_size": 200})
    (tmp_path / "j" / "journal-1.log").rename(tmp_path / "segment")
    (tmp_path / "j" / "journal-1.log").symlink_to(tmp_path / "segment")
    (tmp_path / "meta").write_bytes(write_meta(Meta(1, 2, None, b"")))
    (tmp_path / "j" / "journal.meta").symlink_to(tmp_path / "meta")
    answer = collect(read(tmp_path / "j", "recover", {"last_flushed_index": "meta"}))
    assert [record.payload for record in answer.records] == [b"x"]
    assert answer.reason == "missing-records"
