"""What a LevelDB log carries: write batches, or the version edits of a MANIFEST.

Which of the two a record is, its bytes say: each reading goes through to the last byte, and what
both allow or neither does is left alone. The name of a log is no evidence: files are renamed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from walproof.decode.fault import Undecodable
from walproof.decode.payloads import CUT, decoders_of
from walproof.formats.leveldb_log.decoder import version_edit, write_batch
from walproof.scan.model import Records

TYPE = pa.struct(
    [
        ("sequence", pa.int64()),
        ("ops", pa.list_(write_batch.OPERATION)),
        # Why these are not all operations of the batch, or all fields of the edit.
        ("ops_fault", pa.string()),
        ("version_edit", version_edit.TYPE),
    ]
)
COLUMNS: frozenset[str] = frozenset()
NEEDS_PAYLOAD = True


def type_of(names: tuple[str, ...]) -> pa.DataType:
    """The struct, the same whatever ``names`` are."""
    return TYPE


def decoders(run: Records, names: tuple[str, ...]) -> Sequence[Callable[[], Mapping[str, Any]]]:
    """What decodes each payload of a run."""
    return decoders_of(run, decode)


def decode(payload: bytes, is_cut: bool = False) -> dict[str, Any]:
    """A write batch as ``sequence`` and ``ops``, or ``version_edit``. Raises ``Undecodable``.

    Of a payload that ``is_cut`` it is what its start holds; ``ops_fault`` states what is missing.
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
    """See :func:`walproof.decode.phrase`: the first operation, or what the edit changes."""
    if value["version_edit"] is not None:
        line = version_edit.phrase(value["version_edit"])
        return line if value["ops_fault"] is None else f"{line}  ({value['ops_fault']})"
    return write_batch.phrase(value["sequence"], value["ops"], value["ops_fault"])
