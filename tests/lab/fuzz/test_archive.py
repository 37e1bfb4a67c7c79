"""The corpus as an archive: small logs, each with the answers of the executable specification."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from conformance import VECTORS
from conformance.vectors import load
from lab.fuzz.archive import NoCorpus, archive
from lab.fuzz.inputs import Input

LEVELDB = load(VECTORS / "leveldb-log/three-records.json")
ZEEBE = load(VECTORS / "zeebe-journal/two-segments.json")


def test_a_corpus_becomes_the_same_archive_again(tmp_path: Path) -> None:
    one = Input("leveldb-log", "x.log", LEVELDB.contents)
    longer = Input("leveldb-log", "x.log", LEVELDB.contents + bytes(9))
    several = Input("zeebe-journal", "journal", ZEEBE.contents, dict(ZEEBE.body.get("context", {})))
    (tmp_path / "below").mkdir()
    for number, each in enumerate((longer, several, one)):
        (tmp_path / f"below/{number}").write_bytes(each.pack())
    (tmp_path / "foreign").write_bytes(b"no input")
    data = archive(tmp_path)
    assert archive(tmp_path) == data
    with tarfile.open(fileobj=io.BytesIO(data)) as packed:
        files = {
            name.partition("/")[2]: packed.extractfile(name).read()  # type: ignore[union-attr]
            for name in packed.getnames()
        }
    assert b"| `leveldb-log` | 1 |" in files["README.md"]
    described = {name: json.loads(text) for name, text in files.items()
                 if name.count("/") == 1 and name.endswith(".json")}  # fmt: skip
    assert len(described) == 2, "of two logs with answers alike the smaller one"
    leveldb = next(body for body in described.values() if body["format"] == "leveldb-log")
    assert files[f"leveldb-log/{leveldb['input']}"] == LEVELDB.contents
    assert leveldb["answers"]["recover"] == LEVELDB.body["expect"]
    zeebe = next(body for body in described.values() if body["format"] == "zeebe-journal")
    for name, bytes_then in ZEEBE.contents.items():
        assert files[f"zeebe-journal/{zeebe['input']}/{name}"] == bytes_then


def test_no_corpus_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoCorpus, match="found none"):
        archive(tmp_path)
