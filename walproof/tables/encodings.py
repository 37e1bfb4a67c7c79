"""Parquet encodings, statistics and compression for the columns of a log.

docs/speed.md has the measurements.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from walproof.formats import plugin_for
from walproof.scan.columns import JsonColumn

PAYLOAD = "payload"
#: Columns with few values, which are passed as dictionaries to avoid hashing each row.
CONSTANT = ("file", "kind", "verdict", "reason")
#: Approximate size of a page; a page is copied several times, so it should stay in the cache.
PAGE_BYTES = 1 << 18
#: Number of values of a column that are written at a time: a run of rows with many fields.
BATCH = 1 << 16
#: Limits of a sample of payloads: at most 1 MiB, spread over the first row group.
SLICES, ROWS_OF_A_SLICE, BYTES_OF_A_ROW = 16, 16, 4096
#: Maximum compressed share of a sample for payloads to be compressed.
WORTHWHILE = 0.95


def handed_over(schema: pa.Schema, format_id: str) -> pa.Schema:
    """Return the schema of the batches that are written."""
    types = {column.name: column.with_dictionaries for column in plugin_for(format_id).columns}
    types = {name: type for name, type in types.items() if _has_dictionary(type)}
    types |= dict.fromkeys(CONSTANT, pa.dictionary(pa.int32(), pa.string()))
    return pa.schema([field.with_type(types.get(field.name, field.type)) for field in schema])


def properties(
    schema: pa.Schema, format_id: str, compression: str, payloads: str | None = None
) -> dict[str, Any]:
    """Return the arguments of ``pyarrow.parquet.ParquetWriter``.

    ``payloads`` is the compression of payloads, if it differs. Columns whose values are rarely
    equal (payloads, JSON, some text) have neither a dictionary nor statistics, which would only
    store copies. Numbers have no dictionary, because the differences of ascending offsets and
    indexes take less space. Only numbers and ``kind`` have statistics, with which readers can skip
    row groups.
    """
    columns = plugin_for(format_id).columns
    distinct = {
        column.name for column in columns if column.is_own or isinstance(column, JsonColumn)
    }
    numbers = [field.name for field in schema if pa.types.is_integer(field.type)]
    with_dictionary = [name for name in schema.names if name not in distinct | {PAYLOAD, *numbers}]
    nested = [path for field in schema for path, type in _leaves(field) if _is_dictionary(type)]
    with_dictionary += [path for path in nested if path not in with_dictionary]
    codecs: str | dict[str, str] = compression
    if payloads is not None and payloads != compression:
        codecs = {path: compression for field in schema for path in leaves(field)}
        codecs[PAYLOAD] = payloads
    return {
        "compression": codecs,
        "use_dictionary": with_dictionary,
        "write_statistics": [*numbers, "kind"],
        "column_encoding": dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
        "data_page_size": PAGE_BYTES,
        "write_batch_size": BATCH,
        "store_schema": False,
    }


def leaves(field: pa.Field) -> Iterator[str]:
    """Yield the Parquet columns of a field as paths; a struct has several."""
    return (path for path, _ in _leaves(field))


def _has_dictionary(type: pa.DataType) -> bool:
    return any(_is_dictionary(inner) for _, inner in _leaves(pa.field("", type)))


def _is_dictionary(type: pa.DataType) -> bool:
    return bool(pa.types.is_dictionary(type))


def _leaves(field: pa.Field, above: str = "") -> Iterator[tuple[str, pa.DataType]]:
    """Yield the paths of ``leaves``, and their types."""
    path, type = f"{above}{field.name}", field.type
    if pa.types.is_struct(type):
        for inner in type:
            yield from _leaves(inner, f"{path}.")
    elif pa.types.is_map(type):
        yield from _leaves(type.key_field.with_name("key"), f"{path}.key_value.")
        yield from _leaves(type.item_field.with_name("value"), f"{path}.key_value.")
    elif pa.types.is_list(type):
        yield from _leaves(type.value_field.with_name("element"), f"{path}.list.")
    else:
        yield path, type


def gets_smaller(payloads: pa.ChunkedArray, compression: str) -> bool:
    """Return whether payloads become smaller by compression, using a sample.

    Compressing data that does not become smaller takes as long as writing it.
    """
    sample = b"".join(_sampled(payloads))
    if not sample:
        return True  # no sample
    codec = pa.Codec({"lz4": "lz4_raw"}.get(compression, compression))
    return len(codec.compress(sample)) <= WORTHWHILE * len(sample)


def _sampled(payloads: pa.ChunkedArray) -> Iterator[bytes]:
    """Yield adjacent payloads from the whole column, each after its length, as in a page."""
    rows = len(payloads)
    step = max(ROWS_OF_A_SLICE, rows // SLICES)
    for start in range(0, rows, step):
        for value in payloads.slice(start, ROWS_OF_A_SLICE):
            if value.is_valid:
                data = value.as_buffer()
                yield data.size.to_bytes(4, "little")
                yield data[:BYTES_OF_A_ROW].to_pybytes()
