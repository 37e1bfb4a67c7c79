"""The decoded rows of page images equal the rows that SQLite returns."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from reference_impl.answer import Record
from reference_impl.sqlite_wal import read
from tests.walproof.formats.sqlite_wal.histories import History
from walproof import decode
from walproof.decode.fault import Undecodable
from walproof.formats.sqlite_wal import decoder
from walproof.formats.sqlite_wal.pages import (
    local_size,
    parse_page,
    record_values,
    varint,
)
from walproof.scan.model import Wanted
from walproof.scan.reference import ReferenceScanner
from walproof.schema import arrow_type


def run_of(log: Path, max_payload: int = 1 << 30) -> Any:
    records = [event for event in read(log, "recover", {}) if isinstance(event, Record)]
    scanner = ReferenceScanner("sqlite-wal")
    (run,) = scanner.in_runs(records, Wanted(max_payload=max_payload))
    return run


def decoded(log: Path) -> list[dict[str, Any]]:
    """Return the struct of each transaction."""
    values, faults = decode.decoded("sqlite-wal", run_of(log))
    assert values.type == arrow_type(decoder.TYPE) and faults.null_count == len(faults)
    structs: list[dict[str, Any]] = values.to_pylist()
    return structs


def plain(value: dict[str, Any]) -> Any:
    """Convert the struct of a value to a Python value."""
    return next((member for member in value.values() if member is not None), None)


@pytest.fixture
def history(tmp_path: Path) -> History:
    (tmp_path / "work").mkdir()
    return History(tmp_path / "work" / "app.db", "", 512)


VALUES = [
    None, 0, 1, -1, 127, -128, 128, -32768, 1 << 15, 1 << 23, -(1 << 23) - 1, 1 << 31, 1 << 47,
    (1 << 63) - 1, -(1 << 63), 0.5, -1e300, float("inf"), "", "Zoë 漢 🙂", "x" * 400, b"",
    b"\0\xff", b"y" * 3000,
]  # fmt: skip


def test_values_of_all_types(history: History, tmp_path: Path) -> None:
    history.step("CREATE TABLE t(a)")
    for value in VALUES:
        history.step("INSERT INTO t VALUES(?)", value)
    created, *inserted = decoded(history.close(tmp_path))
    pages = {page["page"]: page for page in created["pages"]}
    assert [plain(each) for each in pages[1]["rows"][0]["values"]][:3] == ["table", "t", "t"]
    assert pages[2]["rows"] == []
    for rowid, (value, struct_) in enumerate(zip(VALUES, inserted, strict=True), 1):
        rows = [row for page in struct_["pages"] for row in page["rows"] or ()]
        (row,) = [row for row in rows if row["rowid"] == rowid and len(row["values"]) == 1]
        found = plain(row["values"][0])
        assert (type(found), found) == (type(value), value) and row["fault"] is None


def test_overflow_pages_are_joined_and_named(history: History, tmp_path: Path) -> None:
    history.step("CREATE TABLE t(a, b); INSERT INTO t VALUES(zeroblob(2000), 5)")
    history.step("UPDATE t SET b = 6")
    (first,) = decoded(history.close(tmp_path))[:1]
    types = [page["type"] for page in first["pages"]]
    assert types == ["table leaf", "table leaf", "overflow", "overflow", "overflow", "overflow"]
    assert plain(first["pages"][1]["rows"][0]["values"][0]) == bytes(2000)


def test_an_overflow_page_outside_of_the_transaction(history: History, tmp_path: Path) -> None:
    history.step("CREATE TABLE t(a, b, c)")
    history.step("INSERT INTO t VALUES(7, zeroblob(2000), 5)")
    history.step("INSERT INTO t VALUES(1, 2, 3)")
    *_, last = decoded(history.close(tmp_path))
    cut, row = last["pages"][0]["rows"]
    assert [plain(value) for value in cut["values"]] == [7]
    assert cut["fault"] == "the rest is on page 3, not in the transaction"
    assert [plain(value) for value in row["values"]] == [1, 2, 3] and row["fault"] is None


@pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
def test_the_encoding_is_that_of_page_1(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    history = History(tmp_path / "work" / "app.db", f"PRAGMA encoding = '{encoding}'", 512)
    history.step("CREATE TABLE t(a); INSERT INTO t VALUES('Zoë')")
    history.step("INSERT INTO t VALUES('b')")
    first, second = decoded(history.close(tmp_path))
    assert first["pages"][1]["rows"][0]["values"][0]["text"] == "Zoë"
    # The encoding is on page 1, which the second transaction lacks, so the text stays bytes.
    assert second["pages"][0]["rows"][1]["values"][0]["blob"] == "b".encode(encoding)


def test_invalid_text_stays_bytes(history: History, tmp_path: Path) -> None:
    history.connection.executescript(
        "BEGIN; CREATE TABLE t(a); INSERT INTO t VALUES(CAST(x'ff41' AS TEXT)); COMMIT"
    )
    (struct_,) = decoded(history.close(tmp_path))
    assert struct_["pages"][1]["rows"][0]["values"][0]["blob"] == b"\xffA"


def test_a_truncated_payload_gives_the_whole_pages(history: History, tmp_path: Path) -> None:
    history.step("CREATE TABLE t(a); INSERT INTO t VALUES(5)")
    log = history.close(tmp_path)
    values, _ = decode.decoded("sqlite-wal", run_of(log, max_payload=1000))
    assert [page["page"] for page in values.to_pylist()[0]["pages"]] == [1]
    values, faults = decode.decoded("sqlite-wal", run_of(log, max_payload=500))
    assert values.null_count == 1
    assert faults.to_pylist() == ["not decoded: the payload was truncated"]


def test_a_phrase(history: History, tmp_path: Path) -> None:
    history.step("CREATE TABLE t(a, b); CREATE INDEX i ON t(a)")
    history.step("INSERT INTO t VALUES('Zoë', x'ff'), (NULL, 1.5)")
    run = run_of(history.close(tmp_path))
    phrases = [decode.phrase_of("sqlite-wal", row)[0] for row in decode.rows(run, run.fields)]
    assert phrases[0] == (
        "3 pages: table leaf 1 (2 rows), table leaf 2 (0 rows), index leaf 3 (0 rows); first row 1:"
        ' ("table", "t", "t", 2, …)'
    )
    assert phrases[1] == (
        '2 pages: table leaf 2 (2 rows), index leaf 3 (2 rows); first row 1: ("Zoë", 0xff)'
    )


@pytest.mark.parametrize(
    ("encoded", "value"),
    [
        ("00", 0), ("7f", 127), ("8100", 128), ("ff7f", 16383), ("818000", 16384),
        ("ffffffffffffffffff", (1 << 64) - 1), ("808080808080808001", 1),
    ],
)  # fmt: skip
def test_varints(encoded: str, value: int) -> None:
    data = bytes.fromhex(encoded)
    assert varint(data, 0, len(data)) == (value, len(data))
    with pytest.raises(Undecodable, match="unterminated"):
        varint(data, 0, len(data) - 1)


def test_local_sizes() -> None:
    """Local sizes match fileformat2.html, section 1.6, for pages of 512 bytes."""
    assert [local_size(size, 512, True) for size in (477, 478, 560)] == [477, 39, 52]
    assert [local_size(size, 512, False) for size in (102, 103, 547)] == [102, 39, 39]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("", "unterminated varint"),
        ("00", "expected a header of 1 bytes or more"),
        ("020a", "serial type, found 10"),
        ("0281", "unterminated varint"),
    ],
)
def test_invalid_records(record: str, message: str) -> None:
    with pytest.raises(Undecodable, match=message):
        record_values(bytes.fromhex(record), "utf-8", 100)


def leaf(*cells: bytes, offset: int = 0) -> bytes:
    """Return a table leaf of 512 bytes; ``offset`` replaces the last cell pointer."""
    page, at, pointers = bytearray(512), 512, []
    for cell in cells:
        at -= len(cell)
        page[at : at + len(cell)] = cell
        pointers.append(at)
    if offset:
        pointers[-1] = offset
    page[:8] = struct.pack(">BHHHB", 13, 0, len(cells), at, 0)
    page[8 : 8 + 2 * len(cells)] = struct.pack(f">{len(cells)}H", *pointers)
    return bytes(page)


def test_invalid_pages() -> None:
    cell = b"\x03\x01\x02\x01\x05"
    assert len(parse_page(leaf(cell, cell), 2).cells) == 2
    with pytest.raises(Undecodable, match="page 2: cells overlap at 507"):
        parse_page(leaf(cell, cell, offset=507), 2)
    with pytest.raises(Undecodable, match="expected cells from 10 to 512, found one at 9"):
        parse_page(leaf(cell, offset=9), 2)
    with pytest.raises(Undecodable, match="ends inside a cell"):
        parse_page(leaf(cell, offset=510), 2)
    with pytest.raises(Undecodable, match="found type 0"):
        parse_page(bytes(512), 2)
    with pytest.raises(Undecodable, match="30000 cells do not fit"):
        parse_page(struct.pack(">BHHHB", 13, 0, 30000, 0, 0) + bytes(504), 2)


def test_too_many_values_are_a_fault_of_the_page() -> None:
    """Too many values are a fault: a decoded value takes a few hundred bytes."""
    size = 65536
    page, header = bytearray(size), 60_000
    cell = b"\x83\xd4\x63" + b"\x01" + b"\x83\xd4\x63" + bytes(header)
    page[size - len(cell) :] = cell
    page[:10] = struct.pack(">BHHHBH", 13, 0, 1, 0, 0, size - len(cell))
    value = decoder.decode(bytes(page) * 4, [2, 3, 4, 5], size)
    faults = [page.get("fault") for page in value["pages"]]
    assert faults[:2] == [None, None]
    assert faults[3] is not None and "values" in faults[3]
    pa.array([value], arrow_type(decoder.TYPE))
