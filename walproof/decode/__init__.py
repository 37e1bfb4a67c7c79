"""Decode payloads to a typed struct for each format (option ``decode``).

The decoder of a format is the module ``decoder`` of its package in ``walproof/formats``. Without
this module, payloads are not decoded. A record whose payload cannot be decoded is still returned:
its struct is null, and ``detail`` contains the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reference_impl.answer import Record
from walproof.decode.decoder import Row
from walproof.decode.fault import Undecodable
from walproof.formats import plugin_for
from walproof.schema import arrow_type, with_nulls

if TYPE_CHECKING:
    import pyarrow as pa

    from walproof.scan.model import Records, Wanted

#: Approximate bytes of a run that are decoded together. Structs may take a hundred times as many.
BATCH_BYTES = 1 << 17


def type_of(format_id: str) -> pa.DataType:
    """Return the type of the struct of a format."""
    return arrow_type(plugin_for(format_id).decoder.TYPE)


def with_decoding(format_id: str, wanted: Wanted) -> Wanted:
    """Return a selection of columns, extended by the columns that decoding needs."""
    decoder = plugin_for(format_id).decoder
    columns = None if wanted.columns is None else wanted.columns | decoder.COLUMNS
    return replace(wanted, columns=columns, payload=wanted.payload or decoder.NEEDS_PAYLOAD)


def pieces(format_id: str, run: Records) -> Iterator[Records]:
    """Yield the run in pieces of about :data:`BATCH_BYTES`, to be decoded one after the other."""
    if not len(run):
        return
    decoder = plugin_for(format_id).decoder
    columns = [run.payload] if decoder.NEEDS_PAYLOAD else []
    columns += [column for name, column in run.fields.items() if name in decoder.COLUMNS]
    half = len(run) // 2
    if not half or sum(column.nbytes for column in columns if column is not None) <= BATCH_BYTES:
        yield run
        return
    yield from pieces(format_id, run.slice(0, half))
    yield from pieces(format_id, run.slice(half, len(run)))


def row_of(format_id: str, record: Record, max_payload: int) -> Row:
    """Return a record of the executable specification as a row.

    Payloads and values of more than ``max_payload`` bytes are truncated.
    """
    fields, is_cut = {}, len(record.payload) > max_payload
    for column in plugin_for(format_id).columns:
        value, is_value_cut = column.cut(column.of(record), max_payload)
        is_cut |= is_value_cut
        if value is not None:
            fields[column.name] = value
    return Row(record.payload[:max_payload], is_cut, record.size, fields)


def rows(run: Records, names: Iterable[str]) -> Iterator[Row]:
    """Yield the records of a run as rows with the named columns that are not null."""
    payloads = [b""] * len(run) if run.payload is None else run.payload.to_pylist()
    is_cut = [False] * len(run) if run.truncated is None else run.truncated.tolist()
    columns = {name: run.fields[name].to_pylist() for name in names if name in run.fields}
    for n, (payload, size) in enumerate(zip(payloads, run.size.tolist(), strict=True)):
        values = {name: values[n] for name, values in columns.items() if values[n] is not None}
        yield Row(payload, is_cut[n], size, values)


def decode_row(format_id: str, row: Row) -> tuple[Mapping[str, Any] | None, str | None]:
    """Return the struct of a record, and the reason if the record cannot be decoded.

    Both are None for a record without content.
    """
    try:
        return plugin_for(format_id).decoder.decode_row(row), None
    except Undecodable as fault:
        return None, f"not decoded: {fault}"


def decoded(format_id: str, run: Records) -> tuple[pa.Array, pa.Array]:
    """Decode a run of records; return the structs, and the reasons for null structs.

    Divide a long run with :func:`pieces` first.
    """
    # pyarrow is an optional dependency. The other functions of this package work without pyarrow.
    import pyarrow as pa

    columns = plugin_for(format_id).decoder.COLUMNS
    results = [decode_row(format_id, row) for row in rows(run, columns)]
    values, faults = zip(*results, strict=True) if results else ((), ())
    return pa.array(values, type_of(format_id)), pa.array(faults, pa.string())


def phrase_of(format_id: str, row: Row) -> tuple[str | None, str | None]:
    """Return the description of a record, and the reason if the record cannot be decoded.

    Both are None for a record without content. See :func:`phrase`.
    """
    value, fault = decode_row(format_id, row)
    return None if value is None else phrase(format_id, value, row.fields), fault


def phrase(format_id: str, value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """Describe a decoded record in one line of text.

    ``value`` is the struct of the record, and ``fields`` contains the values of its columns. Texts
    from the log are not escaped, so the caller must escape the line before printing it.
    """
    decoder = plugin_for(format_id).decoder
    return decoder.phrase(with_nulls(value, decoder.TYPE), fields)
