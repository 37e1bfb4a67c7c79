"""The map is printed on a terminal and to a pipe."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from conformance.kaitai.field_map import field_map
from conformance.kaitai.field_text import preview
from reference_impl.leveldb_log.layout import (
    HEADER,
    masked_crc,
)

Shown = Callable[..., list[str]]


def test_pipe_output_has_every_field_once(shown: Shown, example: bytes) -> None:
    lines = shown(example)
    for field in field_map(example, "leveldb-log"):
        matching = [line for line in lines if f" {field.path} " in line]
        assert len(matching) == 1, field.path
        assert matching[0].split()[:2] == [str(field.start), f"{field.start:x}"]
        assert matching[0].endswith(" ".join(field.requirements))
    checksum = next(line for line in lines if "records[1].header.checksum" in line)
    assert "  9c 33 c8 bd  " in checksum
    assert "0xbdc8339c  matches" in checksum
    alpha = next(line for line in lines if "blocks[0].records[0].data" in line)
    assert '61 6c 70 68 61       blocks[0].records[0].data             5 bytes  "alpha"' in alpha


def test_marks_of_lost_ranges(shown: Shown, damaged: bytes) -> None:
    lines = shown(damaged, depth=2)
    marks = [line for line in lines if line[0] in "x=" and line[2] in "┌└e"]
    assert marks == [
        "x ┌─ lost [12, 32768) checksum-mismatch, 32756 bytes  LDB-028",
        "x └─ lost up to 32768",
        "x ┌─ lost [32768, 40038) orphan-fragment, 7270 bytes  LDB-031",
        "x └─ lost up to 40038",
        "= end 40052: safe to truncate here and append",
    ]
    first, second = lines.index(marks[0]), lines.index(marks[1])
    between = lines[first + 1 : second]
    assert all(line.startswith("x ") for line in between)
    assert "blocks[0].records[1]" in between[0]
    assert "full, checksum does not match, 12 bytes: lost" in between[0]
    assert lines[first - 1].startswith("   "), "alpha, before it, is not marked"
    # Block 1 begins inside a lost range but ends after it, so the block is not marked.
    assert next(line for line in lines if re.search(r" blocks\[1\] ", line)).startswith("   ")
    assert "full, 14 bytes: record 1" in lines[lines.index(marks[3]) + 1]
    assert not any("lost [" in line for line in shown(damaged, end=12))


def test_a_wrong_checksum_shows_the_expected_value(shown: Shown, damaged: bytes) -> None:
    stored = next(line for line in shown(damaged) if "records[1].header.checksum" in line)
    expected = masked_crc(b"\x01bsavo")
    assert f"0xbdc8339c  does not match, expected 0x{expected:08x}" in stored


def test_a_torn_record_is_not_checked(shown: Shown, example: bytes) -> None:
    lines = shown(example[:20])
    assert any("full, truncated, 8 bytes: torn" in line for line in lines)
    stored = next(line for line in lines if "records[1].header.checksum" in line)
    assert "0xbdc8339c  not checked" in stored


def test_mark_of_a_torn_tail_follows_end(shown: Shown, example: bytes) -> None:
    lines = shown(example[:32868], depth=2)
    end = lines.index("= end 24: safe to truncate here and append")
    assert lines[end + 1] == "~ ┌─ torn [24, 32868) torn-payload, 32844 bytes  LDB-022"
    assert lines[-2] == "~ └─ torn up to 32868"
    assert all(line.startswith("~ ") for line in lines[end + 1 : -1])
    assert lines[-1] == "torn (torn-payload). Safe to append at offset 24."


def test_empty_field_belongs_to_the_preceding_bytes(shown: Shown) -> None:
    """The empty payload of a lost orphan is marked, although the next record starts there."""
    orphan = HEADER.pack(masked_crc(b"\x03"), 0, 3)
    sound = HEADER.pack(masked_crc(b"\x01a"), 1, 1) + b"a"
    lines = shown(orphan + sound)
    data = next(i for i, line in enumerate(lines) if "records[0].data" in line)
    assert lines[data].startswith("x ")
    assert lines[data + 1] == "x └─ lost up to 7"
    assert "full, 8 bytes: record 0" in lines[data + 2]


def test_limit_stops_between_units(shown: Shown, damaged: bytes) -> None:
    lines = shown(damaged, limit=4)
    assert "blocks[0].records[0].data" in lines[-4]
    assert lines[-3:-1] == [
        "… 40040 bytes not shown: continue with --from 12, or show all with --limit 0",
        "x not shown: 2 lost ranges (see walproof read --lost-only)",
    ]


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_lines_fit_the_terminal(shown: Shown, damaged: bytes, width: int) -> None:
    hostile = damaged + b"\x00" * 7 + "日本\u202e\x1b[31m".encode() * 10
    for line in shown(hostile, width=width)[1:]:
        if not line.startswith(("x", "~")) or "─" not in line:
            assert len(line) <= width, line
        assert "\x1b" not in line
        assert line == line.rstrip()


def test_terminal_shows_a_tree(shown: Shown, example: bytes) -> None:
    lines = shown(example, width=80)
    unit = next(i for i, line in enumerate(lines) if " records[1] " in line)
    assert [line[37:].split("  ")[:4] for line in lines[unit : unit + 3]] == [
        ["", "records[1]", "", "full, 12 bytes: record 1"],
        ["", "", "header", ""],
        ["", "", "", "checksum"],
    ]
    assert 'data        5 bytes  "bravo"' in lines[unit + 5]
    assert not any("LDB-006" in line for line in lines)


def test_wide_terminal_shows_requirements_in_each_line(shown: Shown, example: bytes) -> None:
    lines = shown(example, width=120)
    assert sum(line.endswith("  LDB-006 007 008") for line in lines) == 5


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"v" * 93, '"v" × 93'),
        (b"\x01\x00key", "|..key|"),
        ("a\u202eb".encode(), "|a...b|"),
        (b"a text that is too long", '"a text th"…'),
    ],
)
def test_preview_of_data(data: bytes, text: str) -> None:
    assert preview(data, 12) == text
