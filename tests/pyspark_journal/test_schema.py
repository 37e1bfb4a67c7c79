"""The columns are those of one format, of all formats, or of a schema that a user passes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.pandas.types import from_arrow_schema

from conformance import VECTORS
from pyspark_journal.options import Options
from pyspark_journal.schema import BadSchema, known, offered, requested_columns
from reference_impl.formats import FORMATS
from walproof.formats import plugin_for
from walproof.log_rows import FIXED


def test_the_schema_of_all_formats() -> None:
    """By default, only common columns are offered, but a schema may name any column."""
    assert offered(Options.parse({})).names == FIXED.names
    schema = known(Options.parse({}))
    for format_id in FORMATS:
        assert {column.name for column in plugin_for(format_id).columns} <= set(schema.names)
    assert len(schema.names) == len(set(schema.names))
    assert str(schema.field("entry_type").type) == "string"


def test_a_column_of_one_format_among_all() -> None:
    asked_for = from_arrow_schema(pa.schema({"term": pa.int64(), "cursor": pa.string()}))
    assert requested_columns(asked_for, Options.parse({})).names == ("term", "cursor")


@pytest.mark.parametrize("format_id", ["auto", *FORMATS])
def test_the_whole_schema_may_be_requested(format_id: str) -> None:
    options = Options.parse({"journalFormat": format_id, "columnNameOfCorruptRecord": "raw"})
    columns = requested_columns(from_arrow_schema(offered(options)), options)
    assert list(columns.names) == offered(options).names


def test_only_requested_columns_are_read() -> None:
    options = Options.parse({"journalFormat": "zeebe-journal"})
    columns = requested_columns(
        from_arrow_schema(pa.schema({"Offset": pa.int64(), "term": pa.int64()})), options
    )
    requested = columns.needed(options)
    assert columns.names == ("offset", "term") and columns.target.names == ["Offset", "term"]
    assert not requested.payload and requested.wants("term") and not requested.wants("checksum")


@pytest.mark.parametrize(
    ("field", "message_parts"),
    [
        (pa.field("offset", pa.int32()), ("offset", "bigint", "int")),
        (pa.field("nonsense", pa.string()), ("nonsense", "leveldb-log", "payload")),
        (pa.field("term", pa.int64()), ("term", "leveldb-log")),
        (pa.field("payload", pa.binary(), nullable=False), ("payload", "NOT NULL")),
    ],
)
def test_errors_name_the_column(field: pa.Field, message_parts: tuple[str, ...]) -> None:
    schema = from_arrow_schema(pa.schema([field]))
    with pytest.raises(BadSchema) as caught:
        requested_columns(schema, Options.parse({"journalFormat": "leveldb-log"}))
    for part in message_parts:
        assert part in str(caught.value)


def test_batches_have_sparks_schema(batches: Callable[..., list[Any]], tmp_path: Path) -> None:
    from pyspark.sql.pandas.types import to_arrow_schema

    every = sorted(p for p in VECTORS.glob("*/*") if p.suffix != ".json" and p.is_file())
    some = pa.schema(
        [
            pa.field("kind", pa.string(), nullable=False),
            pa.field("FILE", pa.string()),
            known(Options.parse({})).field("fields"),
            pa.field("entry_type", pa.string()),
        ]
    )
    for schema in (None, some, known(Options.parse({}))):
        spark_type = from_arrow_schema(schema or offered(Options.parse({})))
        created = batches(*every[::40], schema=schema)
        assert created
        for batch in created:
            assert batch.schema.equals(to_arrow_schema(spark_type, timezone="UTC"))
