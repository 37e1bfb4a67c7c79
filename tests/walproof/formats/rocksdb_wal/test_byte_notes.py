"""Notes on the fields of a log in each dialect."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import ROOT
from reference_impl.answer import NewRecord
from reference_impl.rocksdb_wal.layout import LEGACY, RECYCLABLE, WAL_SYNC, clean_close, pack
from reference_impl.rocksdb_wal.writer import Writer
from tests.walproof.formats.field_notes import notes_of
from walproof.inspection.note import Note

FIRST = "blocks[0].records[0]"
RECORD = pack(RECYCLABLE, 1, b"alpha", 12)
SYNCED = pack(WAL_SYNC, 4, b"alpha", 12, 44)


def notes(folder: Path, log: bytes) -> dict[str, Note]:
    place = folder / "000012.log"
    place.write_bytes(log)
    return notes_of(place, "rocksdb-wal")


@pytest.mark.parametrize(
    ("log", "path", "says", "holds"),
    [
        (RECORD, FIRST, "FULL", None),
        (RECORD, f"{FIRST}.header.checksum", "holds", True),
        (RECORD, f"{FIRST}.header.log_number", "", None),
        (RECORD[:-1], f"{FIRST}.header.len_data", "1 bytes missing", False),
        (b"\0" + RECORD[1:], FIRST, "FULL, checksum does not hold", False),
        (SYNCED, FIRST, "LAST", None),
        (SYNCED, f"{FIRST}.header.ofs_synced", "", None),
        (SYNCED[:-1] + b"?", FIRST, "LAST, checksum does not hold", False),
        (pack(LEGACY, 9, b"\7\0\0\0"), FIRST, "compression type", None),
        (pack(LEGACY, 10, b"\0\0\0\0\x08\0"), FIRST, "timestamp sizes", None),
        (pack(RECYCLABLE, 11, b"\0\0\0\0\x08\0", 12), FIRST, "timestamp sizes", None),
        (pack(LEGACY, 130, bytes(24)), FIRST, "preceding log", None),
        (pack(RECYCLABLE, 131, bytes(24), 12), FIRST, "preceding log", None),
        (pack(LEGACY, 200, b"x"), FIRST, "ignorable", None),
        (pack(LEGACY, 99, b"x"), f"{FIRST}.header.type", "unknown type", False),
        (clean_close(12), FIRST, "clean close", None),
        (clean_close(12), f"{FIRST}.header.checksum", "", None),
    ],
)
def test_notes(tmp_path: Path, log: bytes, path: str, says: str, holds: bool | None) -> None:
    found = notes(tmp_path, log)[path]
    assert (found.text, found.holds) == (says, holds)


def test_a_trailer_as_long_as_a_short_header(tmp_path: Path) -> None:
    """Eight bytes at the end of a block are too few for a header of 11 bytes (RDB-004)."""
    records = [NewRecord(b"x" * (32768 - 11 - 8)), NewRecord(b"y")]
    data = bytearray(b"".join(Writer(12, {"headers": RECYCLABLE}).pieces(records)))
    data[32760:32768] = b"leftover"
    record = "blocks[0].records[1]"
    found = notes(tmp_path, data)
    assert (found[record], found[f"{record}.header.type"]) == (Note("trailer, skipped"), Note())


@pytest.mark.parametrize("name", ["pebble-synced/000006.log", "pebble-recyclable.log"])
def test_no_field_of_a_real_log_is_wrong(name: str) -> None:
    found = notes_of(ROOT / "tests/data" / name, "rocksdb-wal")
    assert found and [path for path, note in found.items() if note.holds is False] == []
