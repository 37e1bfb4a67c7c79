"""Compare decoded logs with the output of the databases that wrote them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from conformance import ROOT
from tests.walproof.decode.real_programs import golden, payloads
from walproof.decode import phrase
from walproof.formats.leveldb_log.decoder import TYPE, decode
from walproof.schema import arrow_type

KINDS = ["delete", "put"]
#: Batches that RocksDB 9.8.4 wrote (rocksdict 0.3.29), with the sequence and operations of each.
BATCHES = {
    "350000000000000001000000010875736572732f3432045a6fc3ab": (
        53, [("put", None, b"users/42", "Zoë".encode())],
    ),
    "36000000000000000300000001016100000162050101630164": (
        54, [("put", None, b"a", b""), ("delete", None, b"b", None), ("put", 1, b"c", b"d")],
    ),
    "3900000000000000020000000f0161016d0e01016e017a": (
        57, [("delete_range", None, b"a", b"m"), ("delete_range", 1, b"n", b"z")],
    ),
    "3b000000000000000100000004010100": (59, [("delete", 1, b"\0", None)]),
}  # fmt: skip
ENTITIES = (
    "3c00000000000000020000001603726f77160102000704636974790564656661756c74426173656c"
    "1603726f770c010104746f776e044265726e"
)


def as_columns(records: list[bytes]) -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = pa.array(map(decode, records), arrow_type(TYPE)).to_pylist()
    return values


def live(edits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the live tables of each column family after all edits of a MANIFEST."""
    tables: dict[tuple[int, int, int], dict[str, Any]] = {}
    for edit in edits:
        family = edit["column_family"] or 0
        for file in edit["deleted_files"] or []:
            del tables[family, file["level"], file["number"]]
        for file in edit["new_files"] or []:
            tables[family, file["level"], file["number"]] = file
    return list(tables.values())


def internal(key: dict[str, Any]) -> str:
    """Format an internal key as LevelDB does."""
    return f"'{key['user_key'].decode()}' @ {key['sequence']} : {KINDS.index(key['type'])}"


def listed(tables: list[dict[str, Any]]) -> list[list[Any]]:
    """Format tables as LevelDB lists them: level, number, size, and two internal keys."""
    return sorted(
        [
            f["level"],
            f["number"],
            f["size"],
            f"{internal(f['smallest'])} .. {internal(f['largest'])}",
        ]
        for f in tables
    )


def test_a_recorded_leveldb_manifest() -> None:
    stored = golden("leveldb.json")
    values = as_columns([bytes.fromhex(payload) for payload in stored["payloads"]])
    edits = [value["version_edit"] for value in values]
    assert listed(live(edits)) == stored["tables"]
    assert edits[0]["comparator"] == "leveldb.BytewiseComparator"


def test_the_batches_of_rocksdb() -> None:
    values = as_columns([bytes.fromhex(payload) for payload in BATCHES])
    names = ("op", "column_family", "key", "value")
    for value, (sequence, operations) in zip(values, BATCHES.values(), strict=True):
        assert value["sequence"] == sequence
        assert [tuple(op[name] for name in names) for op in value["ops"]] == operations


def test_the_wide_columns_of_rocksdb() -> None:
    (value,) = as_columns([bytes.fromhex(ENTITIES)])
    rows = [[tuple(column.values()) for column in op["columns"]] for op in value["ops"]]
    assert rows == [[(b"", b"default"), (b"city", b"Basel")], [(b"town", b"Bern")]]
    message = 'put entity "row" = {"": "default", "city": "Basel"} (sequence 60), and 1 more'
    assert phrase("leveldb-log", value, {}) == message


def test_the_manifest_of_rocksdb() -> None:
    folder = ROOT / "tests" / "data" / "rocksdb-recycled"
    values = as_columns(payloads("leveldb-log", folder / "MANIFEST-000005"))
    edits = [value["version_edit"] for value in values]
    assert edits[0]["db_id"] == (folder / "IDENTITY").read_text()
    added = [edit["column_family_added"] for edit in edits if edit["column_family_added"]]
    assert added == ["second"]
    tables = live(edits)
    assert {f"{file['number']:06}.sst": file["size"] for file in tables} == {
        path.name: path.stat().st_size for path in folder.glob("*.sst")
    }
    assert all(field["name"] for file in tables for field in file["fields"])
