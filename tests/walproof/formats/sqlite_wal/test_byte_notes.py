"""Notes on the fields of a log, of its frames, and of slots without a valid frame."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import VECTORS
from reference_impl.formats import named
from tests.walproof.formats.field_notes import notes_of

FOLDER = VECTORS / "sqlite-wal"


@pytest.mark.parametrize(
    ("at", "new", "path", "text", "holds"),
    [
        (0, "37", "header.magic", "little-endian words", True),
        (0, "38", "header.magic", "", False),
        (0, "37", "header.version", "", True),
        (7, "19", "header.version", "expected 3007000", False),
        (12, "01", "header.checksum_1", "≠ 0xe5dc1425", False),
        (12, "01", "header.checksum_2", "≠ 0xbfd80ded", False),
        (0, "37", "header.checksum_2", "holds", True),
        (0, "37", "frames[0]", "commit, database of 3 pages", None),
        (0, "37", "frames[1]", "frame", None),
        (0, "37", "frames[1].header.checksum_1", "holds", True),
        (0, "37", "frames[1].header.db_pages", "", None),
        (0, "37", "frames[3].header.db_pages", "commit", None),
        (600, "00", "frames[1]", "frame, checksum does not hold", False),
        (600, "00", "frames[2]", "frame", None),
        (571, "00", "frames[1]", "frame, page number 0", False),
        (576, "00", "frames[1]", "frame, other salts", None),
        (576, "00", "frames[1].header.salt_1", "not that of the header", None),
        (576, "00", "frames[1].header.checksum_1", "unchecked", None),
        (576, "00", "frames[2]", "frame, unchecked", None),
        (584, "0000000000000000", "frames[2]", "frame, checksum does not hold", False),
        (568, "00" * 16, "frames[1]", "no frame", None),
        (8, "00000201", "header.page_size", "not a power of two from 512 to 65536", False),
    ],
)
def test_notes(tmp_path: Path, at: int, new: str, path: str, text: str, holds: bool | None) -> None:
    log = bytearray((FOLDER / "five-transactions.db-wal").read_bytes())
    log[at : at + len(new) // 2] = bytes.fromhex(new)
    (tmp_path / "x-wal").write_bytes(log)
    found = notes_of(tmp_path / "x-wal", "sqlite-wal")[path]
    assert (found.text, found.holds) == (text, holds)


@pytest.mark.parametrize("log", sorted(FOLDER.glob("*-wal")), ids=lambda path: path.stem)
def test_notes_find_no_fault_in_intact_logs_and_never_raise(log: Path) -> None:
    answer = [*named("sqlite-wal").read(log, "recover", {})][-1]
    found = notes_of(log, "sqlite-wal", getattr(answer, "end", None))
    if getattr(answer, "verdict", None) == "intact" and "padding" not in log.stem:
        assert [path for path, note in found.items() if note.holds is False] == []
