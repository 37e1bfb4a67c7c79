"""Stretches of bytes, one after the other."""

from __future__ import annotations

from typing import Any

from walproof.scan.compiled import BYTES, I32, I64, U8, kernel, types
from walproof.scan.memory import copy


@kernel(types.void(BYTES, types.int64, I64, I64, I32, U8))
def gather(data: Any, base: Any, starts: Any, lengths: Any, offsets: Any, room: Any) -> Any:
    """Copy ``[starts, starts + lengths)`` of what begins at ``base`` into ``room``.

    Row n then lies at ``[offsets[n], offsets[n + 1])``. Nobody checks that all of it lies in the
    arrays.
    """
    to = 0
    offsets[0] = 0
    for row in range(len(starts)):
        copy(room, to, data, starts[row] - base, lengths[row])
        to += lengths[row]
        offsets[row + 1] = to
