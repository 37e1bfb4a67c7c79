"""DuckDB and Spark read the files of ``walproof export --parquet`` as pyarrow does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from conformance.vectors import Vector, load_all
from reference_impl.formats import FORMATS
from walproof.scan.log import Log
from walproof.tables import parquet as export

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Rows = list[dict[str, Any]]

#: Number of logs for each format and verdict.
LOGS = 1


def exported(format_id: str, folder: Path) -> list[Path]:
    """Export the vectors with most records of each verdict, with decoded records."""
    by_verdict: dict[str, list[Vector]] = {}
    for vector in load_all().values():
        if vector.body["format"] == format_id and vector.operation == "read":
            by_verdict.setdefault(vector.body["expect"]["verdict"], []).append(vector)
    assert {"intact", "damaged"} <= by_verdict.keys()
    paths = []
    for vectors in by_verdict.values():
        vectors.sort(key=lambda vector: len(vector.body["expect"]["records"]))
        for vector in vectors[-LOGS:]:
            paths.append(folder / f"{vector.id.replace('/', '-')}.parquet")
            log = Log(vector.input, vector.body.get("context", {}))
            export.to_parquet(log, format_id, paths[-1], is_decoded=True)
    return sorted(paths)


def agree(paths: list[Path], read: Callable[[list[Path]], dict[str, Rows]]) -> None:
    """Check that ``read``, which returns the rows of each file by name, agrees with pyarrow."""
    actual = read(paths)
    expected = {
        path.name: pq.read_table(path).to_pylist(maps_as_pydicts="strict") for path in paths
    }
    assert actual == {name: rows for name, rows in expected.items() if rows}
    kinds = [row["kind"] for rows in expected.values() for row in rows]
    assert kinds.count("record") > len(paths) and "lost" in kinds


@pytest.mark.slow
@pytest.mark.parametrize("format_id", FORMATS)
def test_duckdb_reads_the_same_rows(format_id: str, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    session = duckdb.connect()

    def read(paths: list[Path]) -> dict[str, Rows]:
        by_file: dict[str, Rows] = {}
        for path in paths:
            done = session.execute("SELECT * FROM read_parquet(?)", [str(path)])
            names = [column[0] for column in done.description]
            rows = [dict(zip(names, row, strict=True)) for row in done.fetchall()]
            if rows:
                by_file[path.name] = rows
        return by_file

    agree(exported(format_id, tmp_path), read)


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("format_id", ["kahadb-journal"])  # with maps and nested structs
def test_spark_reads_the_same_rows(spark: SparkSession, format_id: str, tmp_path: Path) -> None:
    def read(paths: list[Path]) -> dict[str, Rows]:
        table = spark.read.parquet(*map(str, paths)).select("*", "_metadata.file_name")
        by_file: dict[str, Rows] = {}
        for row in table.collect():
            plain = _plain(row)
            by_file.setdefault(plain.pop("file_name"), []).append(plain)
        return by_file

    agree(exported(format_id, tmp_path), read)


def _plain(value: Any) -> Any:
    """Return a value of Spark as pyarrow represents it."""
    if isinstance(value, bytearray):
        return bytes(value)
    if hasattr(value, "__fields__"):
        return {name: _plain(value[name]) for name in value.__fields__}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value
