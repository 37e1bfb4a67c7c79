"""What ``walproof export --parquet`` writes is the same to DuckDB and to Spark as to pyarrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from conformance.vectors import load_all
from reference_impl.formats import FORMATS
from walproof.scan.log import Log
from walproof.tables import parquet as export

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Rows = list[dict[str, Any]]

LOGS = 4
"""Of each format and verdict."""


def exported(format_id: str, folder: Path) -> list[Path]:
    """Of each verdict the largest files that come of logs of the vectors, records decoded."""
    found: dict[str, list[Path]] = {}
    for vector in list(load_all().values())[::3]:
        if vector.body["format"] == format_id and vector.operation == "read":
            out = folder / f"{vector.id.replace('/', '-')}.parquet"
            log = Log(vector.input, vector.body.get("context", {}))
            done = export.to_parquet(log, format_id, out, is_decoded=True)
            found.setdefault(done.end.verdict, []).append(out)
    assert {"intact", "damaged"} <= found.keys()
    chosen = [
        path
        for paths in found.values()
        for path in sorted(paths, key=lambda path: path.stat().st_size)[-LOGS:]
    ]
    return sorted(chosen)


def agree(paths: list[Path], read: Callable[[list[Path]], dict[str, Rows]]) -> None:
    """``read`` gives the rows of each file, by its name."""
    found = read(paths)
    owed = {path.name: pq.read_table(path).to_pylist(maps_as_pydicts="strict") for path in paths}
    assert found == {name: rows for name, rows in owed.items() if rows}
    kinds = [row["kind"] for rows in owed.values() for row in rows]
    assert kinds.count("record") > len(paths) and "lost" in kinds


@pytest.mark.slow
@pytest.mark.parametrize("format_id", FORMATS)
def test_duckdb_reads_the_same_rows(format_id: str, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    session = duckdb.connect()

    def read(paths: list[Path]) -> dict[str, Rows]:
        found: dict[str, Rows] = {}
        for path in paths:
            done = session.execute("SELECT * FROM read_parquet(?)", [str(path)])
            names = [column[0] for column in done.description]
            rows = [dict(zip(names, row, strict=True)) for row in done.fetchall()]
            if rows:
                found[path.name] = rows
        return found

    agree(exported(format_id, tmp_path), read)


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("format_id", FORMATS)
def test_spark_reads_the_same_rows(spark: SparkSession, format_id: str, tmp_path: Path) -> None:
    def read(paths: list[Path]) -> dict[str, Rows]:
        table = spark.read.parquet(*map(str, paths)).select("*", "_metadata.file_name")
        found: dict[str, Rows] = {}
        for row in table.collect():
            plain = _plain(row)
            found.setdefault(plain.pop("file_name"), []).append(plain)
        return found

    agree(exported(format_id, tmp_path), read)


def _plain(value: Any) -> Any:
    """A value of Spark's as pyarrow gives it."""
    if isinstance(value, bytearray):
        return bytes(value)
    if hasattr(value, "__fields__"):
        return {name: _plain(value[name]) for name in value.__fields__}
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list) else value
