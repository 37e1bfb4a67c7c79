"""``walproof export --parquet``, and ``walproof read`` with the bulk scanner."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from conformance.vectors import Vector, load_all
from reference_impl.answer import NewRecord, collect
from reference_impl.formats import FORMATS, named
from walproof.cli import walproof
from walproof.cli.output import EXIT_STATUS
from walproof.extras import advice
from walproof.scan.log import Log
from walproof.summary import model
from walproof.tables import parquet as export
from walproof.tables import rows

VECTORS = [v for v in load_all().values() if v.operation == "read"]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(
        walproof, [str(argument) for argument in arguments], standalone_mode=False
    )


def some_of(format_id: str) -> list[Vector]:
    vectors = [v for v in VECTORS if v.body["format"] == format_id]
    return vectors[:: max(1, len(vectors) // 6)]


def context_of(vector: Vector) -> list[str]:
    items = vector.body.get("context", {}).items()
    return [part for k, v in items for part in ("--context", f"{k}={json.dumps(v)}")]


@pytest.mark.parametrize("format_id", FORMATS)
def test_rows_and_metadata_are_the_answer(format_id: str, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    for vector in some_of(format_id):
        context = vector.body.get("context", {})
        expected = collect(named(format_id).read(vector.input, "recover", context))
        done = run(
            "export", vector.input, "--parquet", out, "--format", format_id, *context_of(vector)
        )
        assert done.exception is None, vector.id
        assert done.return_value == EXIT_STATUS[expected.verdict]
        table = pq.read_table(out)
        assert table.schema.remove_metadata() == rows.schema(format_id)
        table_rows = table.to_pylist()
        kinds = [row["kind"] for row in table_rows]
        assert kinds.count("record") == len(expected.records)
        assert kinds.count("lost") == len(expected.lost)
        assert kinds.count("refused") == (expected.verdict == "refused")
        records = [row for row in table_rows if row["kind"] == "record"]
        assert [r["payload"] for r in records] == [r.payload for r in expected.records]
        assert [r["offset"] for r in records] == [r.at for r in expected.records]
        metadata = pq.read_metadata(out).metadata
        assert metadata[b"walproof.format"].decode() == format_id
        assert metadata[b"walproof.verdict"].decode() == expected.verdict
        assert metadata[b"walproof.reason"].decode() == (expected.reason or "")
        assert json.loads(metadata[b"walproof.end"]) == expected.to_json()["end"]
        assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]
        out.unlink()


def columns_of(path: Path) -> dict[str, Any]:
    """Return the column chunks of the first row group by path."""
    group = pq.read_metadata(path).row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    return {column.path_in_schema: column for column in columns}


@pytest.mark.parametrize("compression", ["auto", "zstd", "snappy", "none"])
def test_a_long_log_has_several_row_groups(
    tmp_path: Path, compression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "GROUP_BYTES", 1 << 20)
    log, out = tmp_path / "000003.log", tmp_path / "out.parquet"
    records = [NewRecord(bytes([n & 255]) * 500) for n in range(24_000)]
    named("leveldb-log").write(log, records, {})
    done = run("export", log, "--parquet", out, "--compression", compression, "--max-payload", 400)
    assert done.return_value == 0
    assert done.output == f"{out}: leveldb-log, intact, 24,000 records, 0 lost ranges\n"
    assert pq.ParquetFile(out).num_row_groups > 1
    codec = {"auto": "LZ4", "none": "UNCOMPRESSED"}.get(compression, compression.upper())
    assert {column.compression for column in columns_of(out).values()} == {codec}
    table = pq.read_table(out)
    assert table["payload"].to_pylist() == [record.payload[:400] for record in records]
    assert all(table["payload_truncated"].to_pylist())


@pytest.mark.parametrize("format_id", FORMATS)
def test_other_columns_are_equal_without_payloads(format_id: str, tmp_path: Path) -> None:
    full, bare = tmp_path / "full", tmp_path / "bare"
    vector = max(some_of(format_id), key=lambda vector: len(vector.body["expect"]["records"]))
    log = Log(vector.input, vector.body.get("context", {}))
    for out, has_payloads in ((full, True), (bare, False)):
        done = export.to_parquet(log, format_id, out, has_payloads=has_payloads)
        assert done.records == len(vector.body["expect"]["records"]) > 0
    expected = pq.read_table(full).drop_columns(list(rows.OF_PAYLOADS))
    assert pq.read_table(bare).equals(expected)


def test_decoded_records_do_not_need_the_payload_column(tmp_path: Path) -> None:
    log, out = tmp_path / "000003.log", tmp_path / "out"
    batch = bytes(8) + (1).to_bytes(4, "little") + b"\x01\x01k\x01v"
    named("leveldb-log").write(log, [NewRecord(batch)], {})
    assert run("export", log, "--parquet", out, "--decode", "--no-payload").return_value == 0
    (row,) = pq.read_table(out).to_pylist()
    assert "payload" not in row
    assert row["decoded"]["ops"][0]["key"] == b"k"


def test_a_failed_export_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, out = tmp_path / "000003.log", tmp_path / "out.parquet"
    named("leveldb-log").write(log, [NewRecord(b"a")], {})

    def fails(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export.pq.ParquetWriter, "write_table", fails)
    done = run("export", log, "--parquet", out)
    assert "No space left on device" in str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["000003.log"]


def test_export_rejects_unsupported_options(tmp_path: Path) -> None:
    log = tmp_path / "000003.log"
    log.write_bytes(b"")
    out = tmp_path / "out.parquet"
    assert "--match" in str(run("export", log, "--match", "A=b", "--parquet", out).exception)
    assert "--parquet OUT" in str(run("export", log, "--format", "leveldb-log").exception)
    assert "--no-payload needs --parquet" in str(run("export", log, "--no-payload").exception)
    store = tmp_path / "store"
    context = {"folder": True, "max_file_length": 20_000}
    named("kahadb-journal").write(store, [NewRecord(b"one")], context)
    refused = run("export", store)
    assert refused.return_value == EXIT_STATUS["refused"] and "--parquet OUT" in refused.stderr
    assert run("export", tmp_path).return_value == EXIT_STATUS["refused"]
    assert "unknown format" in str(run("export", log, "--parquet", out, "--format", "x").exception)
    (tmp_path / "text").write_text("not a log")
    assert run("export", tmp_path / "text", "--parquet", out).return_value == 4
    missing = run("export", log, "--parquet", tmp_path / "no" / "out.parquet")
    assert "No such file or directory" in str(missing.exception)


@pytest.mark.parametrize("format_id", FORMATS)
@pytest.mark.parametrize("form", ["--jsonl", None])
def test_read_prints_the_same_with_and_without_the_scanner(
    format_id: str, form: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for vector in some_of(format_id):
        arguments = ["read", vector.input, "--format", format_id, *context_of(vector)]
        arguments += [form] if form else []
        slow = run(*arguments)
        with monkeypatch.context() as patch:
            patch.setattr(model, "WORTH_A_KERNEL", 0)
            fast = run(*arguments)
        assert fast.exception is None, vector.id
        assert (fast.output, fast.return_value) == (slow.output, slow.return_value), vector.id


@pytest.mark.parametrize("name", ["000003.log", "link.log", "second-name.log"])
def test_a_log_is_not_overwritten(tmp_path: Path, name: str) -> None:
    log = tmp_path / "000003.log"
    named("leveldb-log").write(log, [NewRecord(b"a")], {})
    before = log.read_bytes()
    (tmp_path / "link.log").symlink_to(log)
    (tmp_path / "second-name.log").hardlink_to(log)
    done = run("export", log, "--parquet", tmp_path / name)
    assert f"{tmp_path / name} already exists" in str(done.exception)
    assert log.read_bytes() == before


def test_an_earlier_file_is_not_overwritten(tmp_path: Path) -> None:
    log, out = tmp_path / "000003.log", tmp_path / "records.parquet"
    named("leveldb-log").write(log, [NewRecord(b"a")], {})
    out.write_text("an earlier table")
    assert f"{out} already exists" in str(run("export", log, "--parquet", out).exception)
    assert out.read_text() == "an earlier table"


def test_without_pyarrow_the_error_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "000003.log"
    log.write_bytes(b"")
    for name in [
        name for name in sys.modules if name.startswith(("walproof.scan", "walproof.tables"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = run("export", "--parquet", "out", log)
    assert isinstance(done.exception, ModuleNotFoundError)
    assert "pip install 'walproof[fast]'" in str(advice(done.exception))


def test_without_numba_the_specification_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from walproof import scan
    from walproof.scan.reference import ReferenceScanner

    monkeypatch.setitem(sys.modules, "numba", None)
    assert all(isinstance(scan.scanner(format_id), ReferenceScanner) for format_id in FORMATS)
    log = tmp_path / "000003.log"
    named("leveldb-log").write(log, [NewRecord(b"a")], {})
    assert export.to_parquet(Log(log), "leveldb-log", tmp_path / "out").records == 1
