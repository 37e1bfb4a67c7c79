"""The format is recognised by its structure."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from reference_impl.formats import FORMATS, UnknownFormat, detect
from reference_impl.leveldb_log.writer import Writer
from reference_impl.zeebe_journal.writer import DESCRIPTORS, pack_descriptor


@pytest.mark.parametrize("version", DESCRIPTORS)
@pytest.mark.parametrize("name", ["journal-1.log", "000003.log.bak", "segment"])
def test_segments_are_recognised_under_any_name(tmp_path: Path, version: str, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(pack_descriptor(1, 1, 512, version=version).ljust(512, b"\0"))
    assert [f.id for f in FORMATS.values() if f.recognise(path)] == ["zeebe-journal"]


@pytest.mark.parametrize("at", range(57))
def test_one_damaged_byte_of_the_descriptor_does_not_hide_it(tmp_path: Path, at: int) -> None:
    path = tmp_path / "journal-1.log"
    data = bytearray(pack_descriptor(1, 1, 512).ljust(512, b"\0"))
    data[at] ^= 0xFF
    path.write_bytes(data)
    assert detect(path).id == "zeebe-journal"


@pytest.mark.parametrize(
    "data",
    [
        b"2026-11-21 10:00:00 INFO started\n" * 20,
        b"\x01 text that begins with a control character\n" * 3,
        b"\x02" + b"text" * 30,
        b"",
        bytes(300),
        b"\x02",
    ],
)
def test_text_and_empty_files_are_not_segments(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "journal-1.log"
    path.write_bytes(data)
    assert not FORMATS["zeebe-journal"].recognise(path)
    assert not FORMATS["zeebe-journal"].recognise(tmp_path)


def test_a_leveldb_log_is_not_a_segment(tmp_path: Path) -> None:
    log = io.BytesIO()
    writer = Writer(log)
    for payload in (b"alpha", b"x" * 40000):
        writer.append(payload)
    path = tmp_path / "db-1.log"
    path.write_bytes(log.getvalue())
    assert detect(path).id == "leveldb-log"
    with pytest.raises(UnknownFormat):
        detect(tmp_path)
