"""What payloads mean, as a typed struct for each format (option ``decode``).

The decoder of a format is the part ``decoder`` of its package in ``walproof/formats``. Without one,
no payload means anything.

A payload that means nothing is still a record: its struct is null, and ``detail`` says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from walproof.decode.fault import Undecodable
from walproof.formats import plugin_for
from walproof.scan.model import Records

AT_ONCE = 1 << 17
"""Bytes of a run, about, that are decoded together: what comes of them may take a hundred times
as many."""


def type_of(format_id: str, names: tuple[str, ...] = ()) -> pa.DataType:
    """The struct of a format. ``names`` are fields of an entry that become columns."""
    return plugin_for(format_id).decoder.type_of(names)


def columns_for(format_id: str) -> frozenset[str]:
    """The scanner's columns that decoding looks at."""
    return plugin_for(format_id).decoder.COLUMNS


def needs_payload(format_id: str) -> bool:
    """Whether decoding looks at payloads."""
    return plugin_for(format_id).decoder.NEEDS_PAYLOAD


def pieces(format_id: str, run: Records) -> Iterator[Records]:
    """The run in pieces of :data:`AT_ONCE`, or of one record, to be decoded one after the other."""
    if not len(run):
        return
    held = [run.payload] if needs_payload(format_id) else []
    held += [column for name, column in run.fields.items() if name in columns_for(format_id)]
    half = len(run) // 2
    if not half or sum(column.nbytes for column in held if column is not None) <= AT_ONCE:
        yield run
        return
    yield from pieces(format_id, run.slice(0, half))
    yield from pieces(format_id, run.slice(half, len(run)))


def decoded(format_id: str, run: Records, names: tuple[str, ...] = ()) -> tuple[pa.Array, pa.Array]:
    """The structs of a run of records, and why one could not be made (else null).

    Of a run that may be long, ask for :func:`pieces`.
    """
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
    """The phrase of each record of a run and why there is none, of which one is None.

    Both are None for a record without a meaning. See :func:`phrase`.
    """
    found: list[tuple[str | None, str | None]] = []
    for piece in pieces(format_id, run):
        values, faults = decoded(format_id, piece)
        columns = {name: column.to_pylist() for name, column in piece.fields.items()}
        for n, (value, fault) in enumerate(zip(values, faults.to_pylist(), strict=True)):
            # One struct at a time becomes objects: they take many times its columns.
            one = value.as_py()
            text = None if one is None else phrase(format_id, one, _row(columns, n))
            found.append((text, fault))
    return found


def _row(columns: Mapping[str, Sequence[Any]], n: int) -> dict[str, Any]:
    """What the columns of a record hold."""
    return {name: values[n] for name, values in columns.items() if values[n] is not None}


def phrase(format_id: str, value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """A decoded record in a line for a person.

    ``value`` is its struct, ``fields`` what its columns hold. Foreign text in it is as it was
    found: whoever prints it makes it harmless.
    """
    return plugin_for(format_id).decoder.phrase(value, fields)
