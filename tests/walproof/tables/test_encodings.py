"""Parquet encodings of columns, and compression of payloads."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from lab.bench.format_bench import bench_of
from reference_impl.answer import NewRecord
from reference_impl.formats import FORMATS, named
from walproof import decode
from walproof.cli import walproof
from walproof.scan.log import Log
from walproof.tables import encodings, parquet, rows

RANDOM = random.Random(7)


def export(*arguments: object) -> Result:
    command = ["export", *map(str, arguments)]
    return CliRunner().invoke(walproof, command, standalone_mode=False)


def codecs(path: Path) -> dict[str, str]:
    group = pq.read_metadata(path).row_group(0)
    columns = (group.column(number) for number in range(group.num_columns))
    return {column.path_in_schema: column.compression for column in columns}


def log_of(folder: Path, payloads: list[bytes]) -> Path:
    log = folder / "000003.log"
    named("leveldb-log").write(log, [NewRecord(payload) for payload in payloads], {})
    return log


def test_incompressible_payloads_are_stored(
    tmp_path: Path,
) -> None:
    payloads = [RANDOM.randbytes(300) for _ in range(2000)]
    log, out = log_of(tmp_path, payloads), tmp_path / "out.parquet"
    done = export(log, "--parquet", out)
    assert done.output.endswith("2,000 records, 0 lost ranges; payloads are not compressed\n")
    compressions = codecs(out)
    assert compressions.pop("payload") == "UNCOMPRESSED"
    assert set(compressions.values()) == {"LZ4"}
    assert pq.read_table(out)["payload"].to_pylist() == payloads


def test_compressible_payloads_are_compressed(tmp_path: Path) -> None:
    log, out = log_of(tmp_path, [b"%d said hello" % n * 9 for n in range(2000)]), tmp_path / "out"
    done = export(log, "--parquet", out)
    assert done.output.endswith("2,000 records, 0 lost ranges\n")
    assert codecs(out)["payload"] == "LZ4"


@pytest.mark.parametrize("compression", ["lz4", "zstd", "snappy"])
def test_a_chosen_compression_applies_to_all_columns(compression: str, tmp_path: Path) -> None:
    log, out = log_of(tmp_path, [RANDOM.randbytes(300) for _ in range(200)]), tmp_path / "out"
    assert (
        "not compressed" not in export(log, "--parquet", out, "--compression", compression).output
    )
    assert set(codecs(out).values()) == {compression.upper()}


def test_a_sample_is_small_and_spread_over_the_column() -> None:
    """The compressible payloads are at the end of the column."""
    noise = [RANDOM.randbytes(5000) for _ in range(100)]
    assert not encodings.gets_smaller(pa.chunked_array([pa.array(noise)]), "lz4")
    zeros = [bytes(5000)] * 100
    assert encodings.gets_smaller(pa.chunked_array([noise, zeros], pa.binary()), "lz4")
    sample = b"".join(encodings._sampled(pa.chunked_array([noise * 40], pa.binary())))
    limit = encodings.SLICES * encodings.ROWS_OF_A_SLICE * (encodings.BYTES_OF_A_ROW + 4)
    assert limit / 2 < len(sample) <= limit + limit // encodings.SLICES


def test_a_sample_includes_lengths() -> None:
    """Lengths of tiny records take most of a page."""
    tiny = pa.chunked_array([[RANDOM.randbytes(2) for _ in range(5000)]], pa.binary())
    assert encodings.gets_smaller(tiny, "lz4")
    assert encodings.gets_smaller(pa.chunked_array([[None] * 10], pa.binary()), "lz4")


@pytest.mark.parametrize("format_id", FORMATS)
def test_column_paths_are_those_in_the_file(format_id: str, tmp_path: Path) -> None:
    """pyarrow ignores unknown paths, and would not compress these columns."""
    schema = rows.schema(format_id).append(pa.field("decoded", decode.type_of(format_id)))
    out = tmp_path / "out.parquet"
    pq.write_table(schema.empty_table(), out)
    of_file = pq.ParquetFile(out).schema
    paths = [of_file.column(number).path for number in range(len(of_file))]
    assert [path for field in schema for path in encodings.leaves(field)] == paths


@pytest.mark.parametrize("format_id", FORMATS)
def test_other_columns_are_equal_without_payloads(format_id: str, tmp_path: Path) -> None:
    log, full, bare = tmp_path / "log", tmp_path / "whole", tmp_path / "bare"
    bench = bench_of(format_id)
    # A transaction of SQLite has whole pages, of 512 bytes or more.
    size, context = (512, {"page_size": 512}) if format_id == "sqlite-wal" else (300, bench.context)
    named(format_id).write(log, list(bench.records(50, size)), context)
    for out, has_payloads in ((full, True), (bare, False)):
        done = parquet.to_parquet(Log(log), format_id, out, has_payloads=has_payloads)
        assert done.records == 50
        assert (done.payload_bytes > 0) == has_payloads
    expected = pq.read_table(full).drop_columns(list(rows.OF_PAYLOADS))
    assert pq.read_table(bare).equals(expected)


def test_decoded_records_do_not_need_the_payload_column(tmp_path: Path) -> None:
    log = tmp_path / "000003.log"
    batch = bytes(8) + (1).to_bytes(4, "little") + b"\x01\x01k\x01v"
    named("leveldb-log").write(log, [NewRecord(batch)], {})
    out = tmp_path / "out"
    assert export(log, "--parquet", out, "--decode", "--no-payload").return_value == 0
    (row,) = pq.read_table(out).to_pylist()
    assert "payload" not in row
    assert row["decoded"]["ops"][0]["key"] == b"k"


def test_no_payload_requires_parquet(tmp_path: Path) -> None:
    assert "--no-payload needs --parquet" in str(export(tmp_path, "--no-payload").exception)


def test_only_numbers_and_kind_have_statistics(tmp_path: Path) -> None:
    log, out = log_of(tmp_path, [RANDOM.randbytes(30) for _ in range(200)]), tmp_path / "out"
    export(log, "--parquet", out)
    group = pq.read_metadata(out).row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    with_statistics = {column.path_in_schema for column in columns if column.is_stats_set}
    assert with_statistics == {"offset", "length", "kind"}
    (kind_column,) = (column for column in columns if column.path_in_schema == "kind")
    assert (kind_column.statistics.min, kind_column.statistics.max) == ("record", "record")


def test_distinct_text_has_no_dictionary(tmp_path: Path) -> None:
    log, out = tmp_path / "00000000000001.rlog", tmp_path / "out.parquet"
    ids = [RANDOM.randbytes(12).hex() for _ in range(300)]
    entries = [
        NewRecord(b"x", {"index": str(n), "term": "1", "entry_type": 0, "request_id": column})
        for n, column in enumerate(ids, 1)
    ]
    named("zmq-raft").write(log, entries, {})
    parquet.to_parquet(Log(log), "zmq-raft", out)
    group = pq.read_metadata(out).row_group(0)
    columns = {
        column.path_in_schema: column for column in map(group.column, range(group.num_columns))
    }
    assert "RLE_DICTIONARY" not in columns["request_id"].encodings
    assert "RLE_DICTIONARY" in columns["kind"].encodings
    assert pq.read_table(out)["request_id"].to_pylist() == ids
