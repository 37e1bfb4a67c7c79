"""What payloads mean, as a typed struct for each format (option ``decode``).

A module for each format has ``TYPE``, the struct, and ``decode(payload)``, which gives its fields
by name or raises :class:`~walproof.decode.fault.Undecodable`. A payload that means nothing
is still a record: its struct is null, and ``detail`` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pyarrow as pa

from walproof.decode import (
    kahadb_journal,
    leveldb_log,
    systemd_journal,
    zeebe_journal,
    zmq_raft,
)
from walproof.decode.fault import Undecodable
from walproof.scan.model import Records

_OF_PAYLOAD: Mapping[str, tuple[pa.DataType, Callable[[bytes], Mapping[str, Any]]]] = {
    "leveldb-log": (leveldb_log.TYPE, leveldb_log.decode),
    "zeebe-journal": (zeebe_journal.TYPE, zeebe_journal.decode),
    "kahadb-journal": (kahadb_journal.TYPE, kahadb_journal.decode),
}


def type_of(format_id: str, names: tuple[str, ...] = ()) -> pa.DataType:
    """The struct of a format. ``names`` are fields of a systemd entry that become columns."""
    if format_id == "systemd-journal":
        return systemd_journal.type_of(names)
    return zmq_raft.TYPE if format_id == "zmq-raft" else _OF_PAYLOAD[format_id][0]


def columns_for(format_id: str) -> frozenset[str]:
    """The scanner's columns that decoding looks at."""
    needed = {"systemd-journal": {"fields"}, "zmq-raft": {"entry_type", "update"}}
    return frozenset(needed.get(format_id, ()))


def needs_payload(format_id: str) -> bool:
    """Whether decoding looks at payloads."""
    return format_id != "systemd-journal"


def decoded(format_id: str, run: Records, names: tuple[str, ...] = ()) -> tuple[pa.Array, pa.Array]:
    """The structs of a run of records, and why one could not be made (else null)."""
    values: list[Mapping[str, Any] | None] = []
    faults: list[str | None] = []
    for decode in _decoders(format_id, run, names):
        try:
            values.append(decode())
            faults.append(None)
        except Undecodable as fault:
            values.append(None)
            faults.append(f"not decoded: {fault}")
    return pa.array(values, type_of(format_id, names)), pa.array(faults, pa.string())


def _decoders(
    format_id: str, run: Records, names: tuple[str, ...]
) -> list[Callable[[], Mapping[str, Any] | None]]:
    if format_id == "systemd-journal":
        entries = run.fields["fields"].to_pylist()
        return [partial(systemd_journal.decode, entry, names) for entry in entries]
    assert run.payload is not None
    payloads = run.payload.to_pylist()
    if run.truncated is not None:
        cut = zip(payloads, run.truncated.tolist(), strict=True)
        payloads = [None if is_cut else payload for payload, is_cut in cut]
    if format_id == "zmq-raft":
        kinds = run.fields["entry_type"].to_pylist()
        pairs = zip(kinds, payloads, strict=True)
        return [partial(zmq_raft.decode, kind, payload) for kind, payload in pairs]
    decode = _OF_PAYLOAD[format_id][1]
    return [partial(_of_payload, decode, payload) for payload in payloads]


def _of_payload(
    decode: Callable[[bytes], Mapping[str, Any]], payload: bytes | None
) -> Mapping[str, Any]:
    if payload is None:
        raise Undecodable("the payload was cut (option maxPayloadBytes)")
    return decode(payload)
