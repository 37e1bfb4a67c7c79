"""Compute the checksums that the grammar declares, from the bytes of a log (SQW-009)."""

from __future__ import annotations

from typing import Any

from reference_impl.sqlite_wal import layout


def header(log: Any, start: int, end: int, data: bytes) -> tuple[int, ...]:
    """Return the two words of the log header's checksum."""
    return layout.advance((0, 0), data, layout.order_of(data[3]))


def frame(log: Any, start: int, end: int, data: bytes) -> tuple[int, ...] | None:
    """Continue the checksum of the previous frame if this frame has the same salts (SQW-009).

    ``log`` must support slicing. The frame is ``log[start:end]``.
    """
    slot, order = log[start:end], log[3:4]
    if len(slot) < end - start or not order:
        return None  # The log was truncated after it was parsed.
    # The checksum follows the salts, both in the log header and in frame headers.
    at = 16 if start == layout.HEADER_SIZE else start - len(slot) + layout.SALTS.start
    salts, before = log[at : at + 8], log[at + 8 : at + 16]
    fields = layout.FrameHeader.of(slot)
    if salts != slot[layout.SALTS] or not fields.has_salts(salts):
        return None
    state = int.from_bytes(before[:4], "big"), int.from_bytes(before[4:], "big")
    return layout.advance(state, data, layout.order_of(order[0]))


CHECKSUMS = {"sqlite-wal-header": header, "sqlite-wal-frame": frame}
