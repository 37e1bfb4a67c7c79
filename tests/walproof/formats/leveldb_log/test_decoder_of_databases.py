"""Compare decoded logs of LevelDB and RocksDB with the written data and the databases' output."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.walproof.decode.real_programs import LEVELDB, ROCKSDB, golden, payloads
from walproof.decode import phrase
from walproof.formats.leveldb_log.decoder import TYPE, decode
from walproof.schema import arrow_type

pytestmark = pytest.mark.slow

WrittenBy = Callable[[str, str, str], tuple[Path, Any]]
KINDS = ["delete", "put"]


def as_columns(records: list[bytes]) -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = pa.array(map(decode, records), arrow_type(TYPE)).to_pylist()
    return values


def structs(log: Path) -> list[dict[str, Any]]:
    """Return the decoded records of a log, as columns store them."""
    return as_columns(payloads("leveldb-log", log))


def edits(log: Path) -> list[dict[str, Any]]:
    return [value["version_edit"] for value in structs(log)]


def live(edits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the live tables of each family, by the additions and deletions in a MANIFEST."""
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


def test_the_batches_of_leveldb(written_by: WrittenBy) -> None:
    folder, wrote = written_by(*LEVELDB)
    (log,) = folder.glob("*.log")
    sequence = wrote["sequence"]
    result = structs(log)
    assert len(result) == len(wrote["batches"]) == 2
    for value, expected in zip(result, wrote["batches"], strict=True):
        assert value["sequence"] == sequence
        assert value["version_edit"] is None
        shown = [[op["op"], op["key"].hex(), (op["value"] or b"").hex()] for op in value["ops"]]
        assert shown == expected
        sequence += len(expected)
    message = 'put "users/42" = "Zoë" (sequence 7801)'
    assert phrase("leveldb-log", result[0], {}) == message
    assert phrase("leveldb-log", result[1], {}) == 'put "" = "" (sequence 7802), and 2 more'


def test_the_batches_of_rocksdb(written_by: WrittenBy) -> None:
    folder, wrote = written_by(*ROCKSDB)
    result = structs(folder / "written")
    assert [value["sequence"] for value in result] == [
        wrote["before"] + 1 + sum(wrote["batches"][:n]) for n in range(len(result))
    ]
    assert result[-1]["sequence"] + wrote["batches"][-1] - 1 == wrote["last"]
    names = ("op", "column_family", "key", "value")
    shown = [[tuple(op[name] for name in names) for op in value["ops"]] for value in result[:-1]]
    assert shown == [
        [("put", None, b"users/42", b"Zo\xc3\xab")],
        [
            ("put", None, b"a", b""),
            ("delete", None, b"b", None),
            ("put", 1, b"c", b"d"),
        ],
        [("delete_range", None, b"a", b"m"), ("delete_range", 1, b"n", b"z")],
        [("delete", 1, b"\x00", None)],
    ]
    rows = [[tuple(column.values()) for column in op["columns"]] for op in result[-1]["ops"]]
    assert rows == [[(b"", b"default"), (b"city", b"Basel")], [(b"town", b"Bern")]]
    message = 'put entity "row" = {"": "default", "city": "Basel"} (sequence 60), and 1 more'
    assert phrase("leveldb-log", result[-1], {}) == message


def test_the_manifest_of_rocksdb(written_by: WrittenBy) -> None:
    folder, wrote = written_by(*ROCKSDB)
    (log,) = folder.glob("MANIFEST-*")
    assert (folder / "IDENTITY").read_text() == edits(log)[0]["db_id"]
    result = edits(log)
    added = [edit["column_family_added"] for edit in result if edit["column_family_added"]]
    assert added == ["other", "short-lived"]
    assert [edit["column_family"] for edit in result if edit["column_family_dropped"]] == [2]
    # Closing the database wrote two tables more than it had when it was asked.
    tables = [
        [file["number"], file["level"], file["size"], *(file[at]["user_key"].hex() for at in ENDS)]
        for file in live(edits(log))
    ]
    assert sorted(tables)[: len(wrote["tables"])] == wrote["tables"]
    assert {file["size"] for file in live(edits(log))} == {
        path.stat().st_size for path in folder.glob("*.sst")
    }
    blobs = [file["number"] for edit in result for file in edit["new_blob_files"] or []]
    assert sorted(blobs) == wrote["blobs"]
    assert all(
        field["name"]
        for edit in result
        for file in edit["new_files"] or []
        for field in file["fields"]
    )


ENDS = ("smallest", "largest")
