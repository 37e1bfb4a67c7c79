"""The fields of an answer and the columns of the tables hold the same."""

from __future__ import annotations

import json

import pytest

from conformance import VECTORS
from reference_impl.answer import Record
from reference_impl.register import registers
from walproof.formats.rocksdb_wal.columns import COLUMNS

FORMAT = "rocksdb-wal"
OF_EVERY_FORMAT = {"at", "size", "payload"}


def test_each_field_has_a_column() -> None:
    fields = set(registers()[FORMAT].fields) - OF_EVERY_FORMAT
    assert {column.name for column in COLUMNS} == fields


@pytest.mark.parametrize(
    "slug", ["recyclable-preceding-log-first", "three-synced-records", "timestamp-sizes-first"]
)
def test_a_column_gives_the_field_back(slug: str) -> None:
    expected = json.loads((VECTORS / FORMAT / f"{slug}.json").read_text("utf-8"))["expect"]
    for body in expected["records"]:
        fields = {name: body[name] for name in body if name not in OF_EVERY_FORMAT}
        record = Record(body["at"], body["size"], b"", fields)
        values = {column.name: (column, column.of(record)) for column in COLUMNS}
        given = {
            name: column.to_answer(value)
            for name, (column, value) in values.items()
            if value is not None
        }
        assert given == fields
