"""Ranges of a log have the names of its grammar."""

from __future__ import annotations

import pytest

from conformance import field_names
from conformance.field_names import FieldNames
from conformance.vectors import load_all


def names(vector: str) -> FieldNames:
    vectors = load_all()
    described = vectors[vector]
    control = vectors.get(described.control or "")
    sound = (
        FieldNames(control.contents, described.body["format"], described.input.name)
        if control
        else None
    )
    return FieldNames(described.contents, described.body["format"], described.input.name, sound)


@pytest.mark.parametrize(
    ("start", "end", "name"),
    [
        (12, 24, "blocks[0].records[1]"),
        (12, 14, "bytes 0 to 1 of blocks[0].records[1].header.checksum"),
        (13, 14, "byte 1 of blocks[0].records[1].header.checksum"),
        (19, 24, "blocks[0].records[1].data = 627261766f"),
        (12, 38, "blocks[0].records[1] to blocks[0].records[2]"),
        (12, 23, "blocks[0].records[1] but for its last byte"),
        (12, 20, "blocks[0].records[1] but for its last 4 bytes"),
        (12, 19, "blocks[0].records[1].header"),
        (13, 37, "byte 1 of blocks[0].records[1].header.checksum to"
                 " byte 5 of blocks[0].records[2].data"),
        (0, 38, "blocks[0]"),
        (0, 99, "the whole file"),
        (12, 12, "in front of blocks[0].records[1]"),
        (38, 38, "the end of the file"),
        (39, 40, None),
    ],
)  # fmt: skip
def test_a_range_in_a_log_of_one_file_has_a_name(start: int, end: int, name: str | None) -> None:
    assert names("leveldb-log/three-records").of(start, end) == name


def test_a_short_field_has_its_value() -> None:
    contents = load_all()["leveldb-log/three-records"].contents
    assert isinstance(contents, bytes)
    checksum = int.from_bytes(contents[12:16], "little")
    expected = f"blocks[0].records[1].header.checksum = {checksum}"
    assert names("leveldb-log/three-records").of(12, 16) == expected


def test_a_range_in_a_log_of_several_files_has_a_name() -> None:
    field_names = names("zeebe-journal/second-descriptor-index-flipped")
    assert field_names.of(0, 257, "journal-2.log") == "descriptor to records[1]"
    assert field_names.of(0, 257) is None
    assert field_names.of(0, 257, "journal-9.log") is None


def test_hidden_fields_are_named_by_the_control() -> None:
    """An object of a wrong size swallows the next, so only the control has its fields."""
    hidden = names("systemd-journal/data-size-of-a-header")
    assert hidden.of(1384, 1512) == "objects[14] of the control"
    assert hidden.of(1040, 1168) == "objects[10]"


def test_padding_may_be_left_out() -> None:
    compact = names("systemd-journal/compact-item-flipped")
    assert compact.of(928, 1004) == "objects[8] but for its last 4 bytes"


def test_naming_a_field_downloads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(field_names, "is_at_hand", lambda grammar: False)
    monkeypatch.setattr(field_names, "iter_fields", lambda *_: pytest.fail("it was parsed"))
    assert names("leveldb-log/three-records").of(12, 24) is None
