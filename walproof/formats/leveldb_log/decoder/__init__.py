"""Decode the payloads of a LevelDB log: write batches, or the version edits of a MANIFEST.

The type of a payload is detected from its bytes, because files may have been renamed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from walproof.decode.decoder import Row
from walproof.decode.fault import CUT, Undecodable
from walproof.formats.leveldb_log.decoder import version_edit, write_batch
from walproof.schema import Struct

TYPE: Struct = {
    "sequence": "int64",
    "ops": [write_batch.OPERATION],
    # Reason if operations of the batch or fields of the edit are missing.
    "ops_fault": "string",
    "version_edit": version_edit.TYPE,
}
COLUMNS: frozenset[str] = frozenset()
NEEDS_PAYLOAD = True


def decode_row(row: Row) -> Mapping[str, Any]:
    """Decode the payload of a record. Raises ``Undecodable``."""
    return decode(row.payload, row.is_cut)


def decode(payload: bytes, is_cut: bool = False) -> dict[str, Any]:
    """Decode a write batch (``sequence`` and ``ops``) or a ``version_edit``.

    If ``is_cut`` is true, the payload is truncated. Raises ``Undecodable``.
    """
    batch, no_batch = _tried(partial(write_batch.decode, is_cut=is_cut), payload)
    edit, no_edit = _tried(partial(version_edit.decode, is_cut=is_cut), payload)
    if is_cut:
        if (batch is None) == (not edit):
            raise Undecodable(CUT)
        rest = f"not decoded after {len(payload):,} bytes: the rest of the edit"
        return batch or {"version_edit": edit, "ops_fault": rest}
    if batch is not None and edit is not None:
        raise Undecodable("both a write batch and a version edit")
    if batch is not None:
        return batch
    if edit is not None:
        return {"version_edit": edit}
    raise Undecodable(f"neither a write batch ({no_batch}) nor a version edit ({no_edit})")


def _tried(
    decode_as: Callable[[bytes], dict[str, Any]], payload: bytes
) -> tuple[dict[str, Any] | None, str]:
    try:
        return decode_as(payload), ""
    except Undecodable as fault:
        return None, str(fault)


def phrase(value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """Describe the first operation or the version edit. See :func:`walproof.decode.phrase`."""
    if value["version_edit"] is not None:
        line = version_edit.phrase(value["version_edit"])
        return line if value["ops_fault"] is None else f"{line}  ({value['ops_fault']})"
    return write_batch.phrase(value["sequence"], value["ops"], value["ops_fault"])
