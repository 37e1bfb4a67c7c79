"""The checksums of SQLite logs. The checksum of a frame depends on all frames before it."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.damage.checksums import Unit
from conformance.kaitai.field_map import Field
from reference_impl.sqlite_wal.layout import (
    FRAME_HEADER_SIZE,
    HEADER_SIZE,
    State,
    advance,
    covered,
    order_of,
)

#: The checksum begins at these offsets in a frame and in the header of a log.
_IN_FRAME, _IN_HEADER = 16, 24


def header_checksum(
    data: bytes, header: Field | None = None, fields: Sequence[Field] = ()
) -> tuple[int, bytes]:
    """Return the checksum of the header of a log."""
    return _IN_HEADER, _stored(advance((0, 0), data[:_IN_HEADER], order_of(data[3])))


def frame_checksums(data: bytes, frame: Field, fields: Sequence[Field]) -> tuple[int, bytes]:
    """Return the log from the checksum of a frame on, with this and all later checksums
    corrected."""
    return checksums_from(data, frame.start, frame.end - frame.start)


def checksums_from(data: bytes, at: int, slot_size: int) -> tuple[int, bytes]:
    """Return the log from the checksum of the slot at this offset on, with all checksums
    corrected."""
    sealed = bytearray(data)
    state = state_at(data, _IN_HEADER if at == HEADER_SIZE else at - slot_size + _IN_FRAME)
    for start in range(at, len(data) - slot_size + 1, slot_size):
        state = advance(state, covered(data[start : start + slot_size]), order_of(data[3]))
        sealed[start + _IN_FRAME : start + FRAME_HEADER_SIZE] = _stored(state)
    return at + _IN_FRAME, bytes(sealed[at + _IN_FRAME :])


def state_at(data: bytes | bytearray, at: int) -> State:
    """Return the checksum that is stored at an offset."""
    return int.from_bytes(data[at : at + 4], "big"), int.from_bytes(data[at + 4 : at + 8], "big")


def _stored(state: State) -> bytes:
    return b"".join(half.to_bytes(4, "big") for half in state)


UNITS = (Unit("header", header_checksum), Unit("frames[]", frame_checksums))
