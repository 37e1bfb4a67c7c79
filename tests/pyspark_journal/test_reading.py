"""The rows equal the specification's answer, however logs are found, split, packed and read."""

from __future__ import annotations

import os
import random
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from conformance.vectors import load_all
from pyspark_journal.options import Options
from pyspark_journal.source import JournalDataSource
from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.formats import FORMATS, named
from walproof.lake.discovery import find
from walproof.lake.row_reader import Malformed

RowsOf = Callable[..., list[dict[str, Any]]]
READ = [vector for vector in load_all().values() if vector.operation == "read"]


def place(row: dict[str, Any]) -> tuple[Any, ...]:
    return (row["file"], row["offset"] or 0, row["length"] or 0, row["kind"], row["reason"] or "")


def row_tuples(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return the columns that rows and answers have in common, sorted."""
    return sorted((*place(row), row["verdict"], row["payload"]) for row in rows)


def expected_rows(answer: Answer, path: Path) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []

    def name(file: str | None) -> str:
        return str(path) if file is None else f"{path}/{file}"

    for record in answer.records:
        row = (name(record.file), record.at, record.size, "record", "")
        rows.append((*row, "intact", record.payload))
    for lost in answer.lost:
        row = (name(lost.file), lost.start, lost.end - lost.start, "lost", lost.reason)
        rows.append((*row, "torn" if lost.torn else "damaged", None))
    if answer.verdict == "refused":
        rows.append((str(path), 0, 0, "refused", answer.reason, "refused", None))
    return sorted(rows)


def leveldb(rng: random.Random, path: Path, count: int) -> Path:
    sizes = (rng.choice([0, 5, 300, 9_000, 70_000]) for _ in range(count))
    records = [NewRecord(rng.randbytes(rng.randint(0, size))) for size in sizes]
    named("leveldb-log").write(path, records, {})
    return path


def damage(rng: random.Random, path: Path) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(rng.randint(1, 6)):
        if len(data) < 2:
            break
        at = rng.randrange(len(data))
        damage_type = rng.randrange(6)
        if damage_type == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif damage_type == 1:
            data[at // 512 * 512 : at // 512 * 512 + 512] = bytes(512)
        elif damage_type == 2:
            del data[at:]
        elif damage_type == 3:
            del data[at : at + rng.randrange(1, 40_000)]
        elif damage_type == 4:
            data[at:at] = data[at : at + rng.randrange(1, 40_000)]
        else:
            struct.pack_into("<H", data, max(0, at - 2), rng.randrange(65536))
    path.write_bytes(data)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_logs_in_random_splits(seed: int, tmp_path: Path, rows_of: RowsOf) -> None:
    rng = random.Random(seed)
    expected = []
    for number in range(6):
        path = leveldb(rng, tmp_path / f"{number:06d}.log", rng.randint(1, 40))
        if rng.random() < 0.8:
            damage(rng, path)
        expected += expected_rows(collect(named("leveldb-log").read(path, "recover", {})), path)
    for _ in range(4):
        rows = rows_of(
            tmp_path,
            journalFormat=rng.choice(["auto", "leveldb-log"]),
            maxPartitionBytes=rng.randint(1, 200_000),
        )
        assert row_tuples(rows) == sorted(expected)


@pytest.mark.parametrize("format_id", FORMATS)
def test_damaged_vectors_in_random_splits(format_id: str, tmp_path: Path, rows_of: RowsOf) -> None:
    rng = random.Random(format_id)
    mine = [v for v in READ if v.body["format"] == format_id and v.body["kind"] == "valid"]
    for vector in rng.sample(mine, 12):
        copy = tmp_path / vector.input.name
        if vector.input.is_dir():
            shutil.copytree(vector.input, copy)
        else:
            shutil.copy(vector.input, copy)
        for file in [copy, *copy.rglob("*")]:
            if file.is_file() and rng.random() < 0.7:
                damage(rng, file)
        answer = collect(named(format_id).read(copy, "recover", {}))
        if answer.reason != "ambiguous-journal":
            options = {"journalFormat": format_id, "maxPartitionBytes": rng.randint(1, 5_000)}
            log = find(Options.parse({"path": str(copy), "journalFormat": format_id}))[0]
            mine = {str(copy), *(f"{copy}/{name}" for name in log.files)}
            rows = [row for row in rows_of(copy, **options) if row["file"] in mine]
            assert row_tuples(rows) == expected_rows(answer, copy), vector.id
        shutil.rmtree(copy) if copy.is_dir() else copy.unlink()


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Return a folder with intact, damaged, torn, unknown and refused logs, and a broken link."""
    rng = random.Random(1)
    leveldb(rng, tmp_path / "000001.log", 50)
    data = bytearray(leveldb(rng, tmp_path / "000002.log", 50).read_bytes())
    data[32768 + 4] ^= 0xFF
    (tmp_path / "000002.log").write_bytes(data)
    torn = leveldb(rng, tmp_path / "000003.log", 2)
    torn.write_bytes(torn.read_bytes()[:-1])
    (refused,) = [one for one in READ if one.id == "rocksdb-wal/compressed-with-lz4"]
    shutil.copy(refused.input, tmp_path / "000004.log")
    (tmp_path / "README").write_text("of no format")
    (tmp_path / "000005.log").symlink_to(tmp_path / "gone")
    return tmp_path


def by_file(rows: list[dict[str, Any]]) -> dict[str, set[tuple[str, Any, Any]]]:
    files: dict[str, set[tuple[str, Any, Any]]] = {}
    for row in rows:
        name = os.path.basename(row["file"])  # noqa: PTH119
        files.setdefault(name, set()).add((row["kind"], row["verdict"], row["reason"]))
    return files


def test_permissive(lake: Path, rows_of: RowsOf) -> None:
    rows = rows_of(lake)
    files = by_file(rows)
    assert files["000001.log"] == {("record", "intact", None)}
    assert ("lost", "damaged", "checksum-mismatch") in files["000002.log"]
    assert files["000003.log"] == {
        ("record", "intact", None),
        ("lost", "torn", "torn-payload"),
    }
    assert files["000004.log"] == {("refused", "refused", "unsupported-compression")}
    assert files["000005.log"] == {("unreadable", None, None)}
    assert files["README"] == {("refused", "refused", "unknown-format")}
    detail = {row["kind"]: row["detail"] for row in rows if row["detail"]}
    assert "No such file" in detail["unreadable"] and "000005.log" in detail["unreadable"]
    assert "README" in detail["refused"] and "6f 66 20" in detail["refused"]


def test_drop_malformed(lake: Path, rows_of: RowsOf) -> None:
    files = by_file(rows_of(lake, mode="DROPMALFORMED"))
    assert set(files) == {"000001.log", "000002.log", "000003.log"}
    assert all(kinds == {("record", "intact", None)} for kinds in files.values())


@pytest.mark.parametrize(
    ("file", "message_parts"),
    [
        ("000002.log", ("at offset 32", "checksum-mismatch")),
        ("000003.log", ("at offset", "torn-payload")),
        ("000004.log", ("unsupported-compression",)),
        ("000005.log", ("unreadable", "No such file")),
        ("README", ("unknown-format", "at offset 0", "6f 66 20")),
    ],
)
def test_fail_fast(lake: Path, rows_of: RowsOf, file: str, message_parts: tuple[str, ...]) -> None:
    with pytest.raises(Malformed) as caught:
        # The glob matches the broken link, although the path of the link does not exist.
        rows_of(f"{lake}/*", mode="FAILFAST", pathGlobFilter=file)
    assert file in str(caught.value)
    for part in message_parts:
        assert part in str(caught.value)
    assert rows_of(lake / "000001.log", mode="FAILFAST")


def test_ignore_corrupt_files(lake: Path, rows_of: RowsOf) -> None:
    files = by_file(rows_of(lake, ignoreCorruptFiles=True))
    assert set(files) == {"000001.log", "000002.log", "000003.log"}
    assert ("lost", "damaged", "checksum-mismatch") in files["000002.log"]
    (lake / "000002.log").unlink()
    (lake / "000003.log").unlink()
    assert rows_of(lake, ignoreCorruptFiles=True, mode="FAILFAST")


def test_a_file_deleted_after_planning(lake: Path) -> None:
    def read(**options: str) -> dict[str, set[tuple[str, Any, Any]]]:
        leveldb(random.Random(2), lake / "000009.log", 20)
        source = JournalDataSource({"path": str(lake), "pathGlobFilter": "000009.log", **options})
        reader = source.reader(source.schema())
        partitions = reader.partitions()
        (lake / "000009.log").unlink()
        return by_file([r for p in partitions for b in reader.read(p) for r in b.to_pylist()])

    assert read() == {"000009.log": {("unreadable", None, None)}}
    assert read(journalFormat="leveldb-log") == {"000009.log": {("unreadable", None, None)}}
    assert read(ignoreMissingFiles="true", mode="FAILFAST") == {}
    with pytest.raises(Malformed, match=r"000009\.log"):
        read(mode="FAILFAST")


def test_an_error_while_reading(
    lake: Path, rows_of: RowsOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows that precede an error are returned."""
    from walproof.lake import splits

    real = splits.scanner

    class Failing:
        def __init__(self, format_id: str) -> None:
            self.real = real(format_id)

        def plan(self, *rest: Any) -> Any:
            return self.real.plan(*rest)

        def scan(self, log: Any, wanted: Any, part: Any) -> Iterator[Any]:
            yield next(iter(self.real.scan(log, wanted, part)))
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(splits, "scanner", Failing)
    rows = rows_of(lake / "000001.log")
    assert rows[0]["kind"] == "record"
    assert rows[-1]["kind"] == "unreadable"
    after = rows[-2]["offset"] + rows[-2]["length"]
    assert f"at offset {after}: [Errno 5]" in rows[-1]["detail"]


def test_the_bytes_of_lost_ranges(lake: Path, rows_of: RowsOf) -> None:
    data = (lake / "000002.log").read_bytes()
    schema = pa.schema(
        [
            ("offset", pa.int64()),
            ("length", pa.int64()),
            ("kind", pa.string()),
            ("_corrupt_record", pa.binary()),
        ]
    )
    for name, options in (
        ("_corrupt_record", {"schema": schema}),
        ("raw", {"columnNameOfCorruptRecord": "raw"}),
    ):
        rows = [r for r in rows_of(lake / "000002.log", **options) if r["kind"] == "lost"]
        assert rows
        for row in rows:
            assert row[name] == data[row["offset"] :][: row["length"]]
    (row, *_) = [
        row
        for row in rows_of(lake / "000002.log", schema=schema, maxPayloadBytes=10)
        if row["kind"] == "lost"
    ]
    assert len(row["_corrupt_record"]) == 10


def test_file_names_may_not_be_utf8(tmp_path: Path, rows_of: RowsOf) -> None:
    log = tmp_path / os.fsdecode(b"bad\xff.log")
    named("leveldb-log").write(log, [NewRecord(b"one")], {})
    (tmp_path / os.fsdecode(b"text\xfe.txt")).write_text("no log at all, and long enough to see it")
    rows = rows_of(tmp_path)
    assert sorted((row["file"], row["kind"]) for row in rows) == [
        (f"{tmp_path}/bad\\xff.log", "record"),
        (f"{tmp_path}/text\\xfe.txt", "refused"),
    ]
