"""How the columns of a log become Parquet: encodings, statistics, compression.

docs/speed.md has what was measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from walproof.formats import plugin_for
from walproof.scan.columns import JsonColumn

PAYLOAD = "payload"
CONSTANT = ("file", "kind", "verdict", "reason")
"""Columns of a few values, which are handed over as dictionaries: nobody hashes each row."""
PAGE_BYTES = 1 << 18
"""Of a page, about: a page is copied several times, so it should stay in the cache meanwhile."""
BATCH = 1 << 16
"""Values of a column that are written at a time: a run of rows, whose entries have many fields."""
SLICES, ROWS_OF_A_SLICE, BYTES_OF_A_ROW = 16, 16, 4096
"""What a sample of payloads takes at most: 1 MiB, from all of the first row group."""
WORTHWHILE = 0.95
"""What must be left of a sample, at most, for payloads to be compressed: as a share."""


def handed_over(schema: pa.Schema, format_id: str) -> pa.Schema:
    """The schema of the batches that are written."""
    types = {one.name: one.with_dictionaries for one in plugin_for(format_id).columns}
    types = {name: type for name, type in types.items() if _has_dictionary(type)}
    types |= dict.fromkeys(CONSTANT, pa.dictionary(pa.int32(), pa.string()))
    return pa.schema([field.with_type(types.get(field.name, field.type)) for field in schema])


def properties(
    schema: pa.Schema, format_id: str, compression: str, payloads: str | None = None
) -> dict[str, Any]:
    """What ``pyarrow.parquet.ParquetWriter`` is told. ``payloads``: their compression, if other.

    Payloads are hardly ever the same, so neither dictionaries nor statistics of them help. Nor of
    JSON, of which a dictionary holds one copy and the statistics two, however long it is. Text that
    is each record's own fills a dictionary in vain. Nor do dictionaries of numbers help: offsets
    and indices rise, and their differences take least. Statistics are kept where a reader can leave
    out row groups by them: of numbers, and of ``kind``. Those of other text take longer than its
    encoding.
    """
    columns = plugin_for(format_id).columns
    unlike = {one.name for one in columns if one.is_own or isinstance(one, JsonColumn)}
    numbers = [field.name for field in schema if pa.types.is_integer(field.type)]
    others = [name for name in schema.names if name not in unlike | {PAYLOAD, *numbers}]
    inside = [path for field in schema for path, type in _leaves(field) if _is_dictionary(type)]
    others += [path for path in inside if path not in others]
    codecs: str | dict[str, str] = compression
    if payloads is not None and payloads != compression:
        codecs = {path: compression for field in schema for path in leaves(field)}
        codecs[PAYLOAD] = payloads
    return {
        "compression": codecs,
        "use_dictionary": others,
        "write_statistics": [*numbers, "kind"],
        "column_encoding": dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
        "data_page_size": PAGE_BYTES,
        "write_batch_size": BATCH,
        "store_schema": False,
    }


def leaves(field: pa.Field) -> Iterator[str]:
    """The columns of a Parquet file that a field becomes, as paths: a struct has one each."""
    return (path for path, _ in _leaves(field))


def _has_dictionary(type: pa.DataType) -> bool:
    return any(_is_dictionary(inner) for _, inner in _leaves(pa.field("", type)))


def _is_dictionary(type: pa.DataType) -> bool:
    return bool(pa.types.is_dictionary(type))


def _leaves(field: pa.Field, above: str = "") -> Iterator[tuple[str, pa.DataType]]:
    """The paths of ``leaves``, and their types."""
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
    """Whether a sample of these payloads, written as Parquet has them, is worth to be compressed.

    To compress what does not get smaller takes as long as to write it.
    """
    sample = b"".join(_sampled(payloads))
    if not sample:
        return True  # nothing is known
    codec = pa.Codec({"lz4": "lz4_raw"}.get(compression, compression))
    return len(codec.compress(sample)) <= WORTHWHILE * len(sample)


def _sampled(payloads: pa.ChunkedArray) -> Iterator[bytes]:
    """Neighbours from all over; in front of each its length, as in a page."""
    rows = len(payloads)
    step = max(ROWS_OF_A_SLICE, rows // SLICES)
    for start in range(0, rows, step):
        for value in payloads.slice(start, ROWS_OF_A_SLICE):
            if value.is_valid:
                data = value.as_buffer()
                yield data.size.to_bytes(4, "little")
                yield data[:BYTES_OF_A_ROW].to_pybytes()
