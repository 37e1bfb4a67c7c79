"""Decode payloads to a typed struct for each format (option ``decode``).

The decoder of a format is the module ``decoder`` of its package in ``walproof/formats``. If there
is none, payloads are not decoded. A record whose payload cannot be decoded is still returned: its
struct is null, and ``detail`` contains the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from walproof.decode.fault import Undecodable
from walproof.formats import plugin_for

if TYPE_CHECKING:
    import pyarrow as pa

    from walproof.scan.model import Records

#: Approximate bytes of a run that are decoded together; structs may take a hundred times as many.
BATCH_BYTES = 1 << 17


def type_of(format_id: str, names: tuple[str, ...] = ()) -> pa.DataType:
    """Return the struct of a format. ``names`` are fields of an entry that become columns."""
    return plugin_for(format_id).decoder.type_of(names)


def columns_for(format_id: str) -> frozenset[str]:
    """Return the columns of the scanner that decoding needs."""
    return plugin_for(format_id).decoder.COLUMNS


def needs_payload(format_id: str) -> bool:
    """Return whether decoding needs payloads."""
    return plugin_for(format_id).decoder.NEEDS_PAYLOAD


def pieces(format_id: str, run: Records) -> Iterator[Records]:
    """Yield the run in pieces of about :data:`BATCH_BYTES`, to be decoded one after the other."""
    if not len(run):
        return
    columns = [run.payload] if needs_payload(format_id) else []
    columns += [column for name, column in run.fields.items() if name in columns_for(format_id)]
    half = len(run) // 2
    if not half or sum(column.nbytes for column in columns if column is not None) <= BATCH_BYTES:
        yield run
        return
    yield from pieces(format_id, run.slice(0, half))
    yield from pieces(format_id, run.slice(half, len(run)))


def decoded(format_id: str, run: Records, names: tuple[str, ...] = ()) -> tuple[pa.Array, pa.Array]:
    """Decode a run of records; return the structs, and the reasons for those that are null.

    Divide a long run with :func:`pieces` first.
    """
    # An extra: other modules of this package work without it.
    import pyarrow as pa

    values: list[Mapping[str, Any] | None] = []
    faults: list[str | None] = []
    for decode in plugin_for(format_id).decoder.decoders(run, names):
        try:
            values.append(decode())
            faults.append(None)
        except Undecodable as fault:
            values.append(None)
            faults.append(f"not decoded: {fault}")
    return pa.array(values, type_of(format_id, names)), pa.array(faults, pa.string())


def phrases(format_id: str, run: Records) -> list[tuple[str | None, str | None]]:
    """Return for each record of a run its description, or the reason why there is none.

    One of the two is always None; both are None for a record without content. See :func:`phrase`.
    """
    texts: list[tuple[str | None, str | None]] = []
    for piece in pieces(format_id, run):
        values, faults = decoded(format_id, piece)
        columns = {name: column.to_pylist() for name, column in piece.fields.items()}
        for n, (value, fault) in enumerate(zip(values, faults.to_pylist(), strict=True)):
            # One struct at a time becomes objects: they take many times its columns.
            struct = value.as_py()
            text = None if struct is None else phrase(format_id, struct, _row(columns, n))
            texts.append((text, fault))
    return texts


def _row(columns: Mapping[str, Sequence[Any]], n: int) -> dict[str, Any]:
    return {name: values[n] for name, values in columns.items() if values[n] is not None}


def phrase(format_id: str, value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """Describe a decoded record in one line of text.

    ``value`` is its struct, and ``fields`` are the values of its columns. Texts from the log are
    not escaped, so the caller must escape the line before printing it.
    """
    return plugin_for(format_id).decoder.phrase(value, fields)
