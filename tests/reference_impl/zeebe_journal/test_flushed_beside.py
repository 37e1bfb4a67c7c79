"""The flushed index of a one-file log is read from the ``.meta`` file next to it (ZBJ-059)."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference_impl.answer import collect
from reference_impl.zeebe_journal import read
from reference_impl.zeebe_journal.meta import Meta, write_meta
from reference_impl.zeebe_journal.writer import pack_descriptor, pack_record


def verdict(folder: Path, name: str, head: bytes, flushed: int, context: object = "none") -> str:
    """Return the verdict on a segment in which record 1 is valid and record 2 is corrupt."""
    second = bytearray(pack_record(2, -1, b"second"))
    second[-1] ^= 1
    path = folder / name
    path.write_bytes((head + pack_record(1, -1, b"first") + second).ljust(512, b"\0"))
    (folder / "journal.meta").write_bytes(write_meta(Meta(1, flushed, None, b"0")))
    given = {} if context == "none" else {"last_flushed_index": context}
    return collect(read(path, "recover", given)).verdict


@pytest.mark.parametrize(
    ("name", "head", "flushed", "context", "expected"),
    [
        ("journal-3.log", pack_descriptor(3, 1, 512), 2, "none", "damaged"),
        ("journal-3.log", pack_descriptor(3, 1, 512), 2, "meta", "damaged"),
        ("journal-3.log", pack_descriptor(3, 1, 512), 1, "none", "torn"),
        ("journal-3.log", pack_descriptor(3, 1, 512), 2, None, "torn"),
        ("journal-3.log.bak", pack_descriptor(3, 1, 512), 2, "none", "torn"),
        ("other-3.log", pack_descriptor(3, 1, 512), 2, "none", "torn"),
        ("journal-3.log", pack_descriptor(3, 1, 512, version="2/1"), 2, "none", "torn"),
    ],
)
def test_a_flushed_index_beside_a_segment(
    tmp_path: Path, name: str, head: bytes, flushed: int, context: object, expected: str
) -> None:
    assert verdict(tmp_path, name, head, flushed, context) == expected


def test_later_records_are_in_later_segments(tmp_path: Path) -> None:
    path = tmp_path / "journal-1.log"
    records = pack_record(1, -1, b"first") + pack_record(2, -1, b"second")
    path.write_bytes((pack_descriptor(1, 1, 512, (2, 111)) + records).ljust(512, b"\0"))
    (tmp_path / "journal.meta").write_bytes(write_meta(Meta(1, 9, None, b"0")))
    assert collect(read(path, "recover", {})).verdict == "intact"
    assert collect(read(path, "recover", {"last_flushed_index": 9})).verdict == "damaged"


def test_a_prepared_segment_does_not_show_that_records_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "journal-2.log"
    path.write_bytes(bytes(512))
    (tmp_path / "journal.meta").write_bytes(write_meta(Meta(1, 9, None, b"0")))
    assert collect(read(path, "recover", {})).verdict == "intact"
