"""Reopen a journal file to append to it (SDJ-087)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.builder import CannotWrite, Chain, Options, Writer
from reference_impl.systemd_journal.inspection import inspect, refusal
from reference_impl.systemd_journal.sealing import VerificationKey

_COMPRESSION = {layout.XZ: "xz", layout.LZ4: "lz4", layout.ZSTD: "zstd"}


def reopen(data: bytes, context: Mapping[str, Any]) -> Writer:
    """Return a writer that continues an intact, offline file after its last object.

    Raises :class:`CannotWrite`, a ``ValueError``, for any other file.
    """
    if refusal(data) is not None:
        raise CannotWrite("the file is not a readable journal file")
    inspection = inspect(data, context)
    header, walk, view = inspection.view.header, inspection.walk, inspection.view
    if inspection.faults:
        raise CannotWrite(f"the file is damaged: {inspection.faults[0].text}")
    if header.state != layout.OFFLINE:
        raise CannotWrite("the file is archived or was not closed")
    if header.compatible_flags & ~layout.COMPATIBLE_KNOWN:
        raise CannotWrite("the file has a feature that writers must not continue")
    if not header.data_hash_table_size or not header.field_hash_table_size:
        raise CannotWrite("the file has no hash tables")
    key, last = None, header.tail_object_offset
    if header.sealed:
        if "key" not in context:
            raise CannotWrite("the file is sealed and no key was given")
        if walk.kind(last) != layout.TAG:
            raise CannotWrite("the last objects of the sealed file have no seal")
        key = VerificationKey.parse(str(context["key"]))
    bits = header.incompatible_flags & (layout.XZ | layout.LZ4 | layout.ZSTD)
    options = Options(
        header_size=header.header_size,
        compact=header.compact,
        keyed=header.keyed,
        compression=_COMPRESSION.get(bits & -bits, "none"),
        threshold=int(context.get("threshold", Options.threshold)),
        max_field_size=int(context.get("max_field_size", Options.max_field_size)),
        key=key,
        continuous=bool(header.compatible_flags & layout.SEALED_CONTINUOUS),
    )
    # The last object may lack its padding (SDJ-051).
    writer = Writer(options, header, bytearray(data[: walk.end].ljust(walk.end, b"\0")))
    writer.allocated = len(data)
    for at in walk.sound(layout.DATA):
        payload = view.payload(at)
        writer.data_at[payload] = at
        if data[at + 1] & layout.OBJECT_COMPRESSED:
            writer.to_decompress += len(payload)
        writer.note_member(layout.DATA, view.number(at + 16), at)
        if array := view.number(at + 48):
            writer.chains[at] = _tail(writer, array, view.number(at + 56) - 1)
    for at in walk.sound(layout.FIELD):
        writer.field_at[bytes(data[at + 40 : at + view.object_size(at)])] = at
        writer.note_member(layout.FIELD, view.number(at + 16), at)
    writer.chain = _tail(writer, header.entry_array_offset, len(inspection.entries))
    writer.sealed_from = walk.end
    # If the last object is a tag, this number is its epoch. Otherwise, the number is not used.
    writer.epoch = view.number(last + 24)
    return writer


def _tail(writer: Writer, array: int, total: int) -> Chain:
    """Find the end of an array chain with ``total`` entries."""
    width, chain, left = writer.header.slot_size, Chain(total=total), total
    while array:
        chain.array = array
        chain.slots = (writer._get(array + 8) - 24) // width
        chain.used = min(left, chain.slots)
        left -= chain.used
        array = writer._get(array + 16)
    return chain
