"""The expected listing: its offsets cover the file, and reports of a language limit it."""

from pathlib import Path

import pytest
from toys import LOG, write_toys

from conformance import VECTORS
from conformance.kaitai.field_map import iter_fields
from conformance.structure.listing import Tells, digest, listing


def test_listing_of_the_toy_log(tmp_path: Path) -> None:
    lines = listing(LOG, "toy_log", grammars=write_toys(tmp_path))
    assert lines == [
        "header 0 { 25",
        "header.magic 0 b 3 544f59",
        "header.num_entries 3 i 3",
        "entries 4 [ 3",
        "entries[0] 4 { 25",
        "entries[0].kind 4 i 1",
        "entries[0].len_body 5 i 8",
        "entries[0].body 6 { 8",
        "entries[0].body.value 6 i -2401053089206453570",
        "entries[0].note 14 i 42",
        "entries[0].is_number - i 1",
        "entries[1] 15 { 25",
        "entries[1].kind 15 i 2",
        "entries[1].len_body 16 i 3",
        "entries[1].body 17 { 3",
        "entries[1].body.text 17 b 3 c3a97a",
        "entries[1].note 20 -",
        "entries[1].is_number - i 0",
        "entries[2] 20 { 25",
        "entries[2].kind 20 i 9",
        "entries[2].len_body 21 i 2",
        "entries[2].body 22 b 2 beef",
        "entries[2].note 24 -",
        "entries[2].is_number - i 0",
        "rest 24 b 1 ff",
        "first_big - i -4688305491665876991",
    ]


def test_languages_that_report_less(tmp_path: Path) -> None:
    lines = listing(LOG, "toy_log", Tells(absent=False, unknown_enums=False), write_toys(tmp_path))
    assert "entries[1].note - i 0" in lines
    assert "entries[2] - { 25" in lines
    assert "entries[2].kind - i ?" in lines


def test_listing_of_an_invalid_log(tmp_path: Path) -> None:
    assert listing(b"TOX\0", "toy_log", grammars=write_toys(tmp_path)) == ["!"]


def test_digest() -> None:
    assert digest(["a", "b"]).fields == 2
    assert digest(["a", "b"]).sha256.startswith("911169dd")


@pytest.mark.parametrize(
    "log", sorted((VECTORS / "leveldb-log").glob("*.log"))[::8], ids=lambda p: p.stem
)
def test_leaves_tile_the_file(log: Path) -> None:
    data = log.read_bytes()
    end = 0
    for field in iter_fields(data, "leveldb-log"):
        if field.value is not None:
            assert field.start == end
            end = field.end
    assert end == len(data)
    offsets = {
        (line.split()[0], int(line.split()[1]))
        for line in listing(data, "leveldb_log")
        if line.split()[1] != "-" and line.split()[2] in "bi"
    }
    assert {(f.path, f.start) for f in iter_fields(data, "leveldb-log") if f.value is not None} == (
        offsets
    )
