"""The compiled kernel of the Zeebe scanner, which reads intact records with common entry types.

Requirement ids refer to spec/zeebe-journal.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from walproof.scanners.kernels import copy, crc32c, helper, kernel, load32, load64
from walproof.scanners.walk import AT, BASE, CUT, ENDED, FULL_UP, NEED, NOT_PLAIN, ROWS, USED_UP

#: The kernel represents entry types by numbers, which are indices in the lists of types and faults.
#: It stops at an entry of type OTHER.
APPLICATION, INITIAL, NOT_RAFT, OTHER = range(4)
ENTRY_TYPES = ("application", "initial", None)
ENTRY_FAULTS = (None, None, "not-raft")

#: A message header and the blocks of a record's two messages have these sizes in bytes (ZBJ-005,
#: ZBJ-015).
SBE_HEADER, METADATA, DATA_BLOCK = 8, 12, 16
#: A record up to the end of its metadata has RECORD_HEAD bytes. A record without a payload has
#: SMALLEST_RECORD bytes.
RECORD_HEAD = 1 + SBE_HEADER + METADATA
SMALLEST_RECORD = RECORD_HEAD + SBE_HEADER + DATA_BLOCK + 4
RECORD_METADATA, RECORD_DATA, JOURNAL = 1, 2, 7
LOG_ENTRY, APPLICATION_ENTRY, RAFT = 1, 2, 8
NEWEST_SCHEMA = 2
LARGEST = 2**63 - 1

# The state also contains, at these positions, the next index, the last asqn, and an upper limit for
# the index of a record.
INDEX, ASQN, LIMIT = range(5, 8)
STATE = 8


@helper
def _u16(data: NDArray[np.uint8], at: Any) -> Any:
    return np.int64(data[at]) | np.int64(data[at + 1]) << 8


@kernel
def entry(data: NDArray[np.uint8], start: Any, end: Any) -> Any:
    """Return the number of the entry type in ``data[start:end]`` (ZBJ-054 to ZBJ-058)."""
    if end - start < SBE_HEADER:
        return NOT_RAFT
    length = _u16(data, start)
    at = start + SBE_HEADER + length
    if _u16(data, start + 2) != LOG_ENTRY or _u16(data, start + 4) != RAFT or length < 9:
        return NOT_RAFT
    if at > end:
        return NOT_RAFT
    type = data[start + SBE_HEADER + 8]
    if type == 2:
        return INITIAL
    if type != 0 or at + SBE_HEADER > end:
        return OTHER
    length = _u16(data, at)
    if _u16(data, at + 2) != APPLICATION_ENTRY or _u16(data, at + 4) != RAFT or length < 16:
        return OTHER
    at += SBE_HEADER + length
    if at + 4 > end or at + 4 + np.int64(load32(data, at)) > end:
        return OTHER
    return APPLICATION


@kernel
def walk(
    data: NDArray[np.uint8],
    file_size: Any,
    cap: Any,
    state: NDArray[np.int64],
    at: NDArray[np.int64],
    size: NDArray[np.int64],
    ends: NDArray[np.int32],
    cut: NDArray[np.uint8],
    payload: NDArray[np.uint8],
    index: NDArray[np.int64],
    asqn: NDArray[np.int64],
    checksum: NDArray[np.uint32],
    term: NDArray[np.uint64],
    entries: NDArray[np.int32],
) -> Any:
    """Read the records in ``data``, which holds the bytes of a segment from ``state[BASE]`` on.

    ``state[INDEX]`` is the next index, ``state[ASQN]`` is the last asqn, and all indices are below
    ``state[LIMIT]``. ``cap`` is the maximum number of bytes to copy from a payload. If it is
    negative, no payloads are copied. The payload of row n is ``payload[ends[n]:ends[n + 1]]``.
    ``state[CUT]`` counts truncated payloads.
    """
    base, here, rows = state[BASE], state[AT], state[ROWS]
    filled, put = min(base + len(data), file_size), np.int64(ends[rows])
    outcome = FULL_UP
    while rows < len(at):
        i = here - base
        outcome = NOT_PLAIN
        if here >= file_size or (here < filled and data[i] == 0):
            # The records end here (ZBJ-016, ZBJ-020). The rest is ignored (ZBJ-022).
            outcome = ENDED
            break
        if here + RECORD_HEAD > filled:
            state[NEED] = RECORD_HEAD
            outcome = USED_UP if here + RECORD_HEAD <= file_size else NOT_PLAIN
            break
        block, head = _u16(data, i + 1), i + 1 + SBE_HEADER
        template, schema = _u16(data, i + 3), _u16(data, i + 5)
        if data[i] != 1 or template != RECORD_METADATA or schema != JOURNAL or block < METADATA:
            break
        stored = load64(data, head)
        length = np.int64(np.int32(load32(data, head + 8)))
        message = head + block
        end = base + message + length
        if length < SBE_HEADER + DATA_BLOCK or end > file_size:
            break
        if end > filled:
            outcome, state[NEED] = USED_UP, end - here
            break
        if crc32c(np.uint64(0), data, message, end - base) != stored:  # ZBJ-017
            break
        block, version = _u16(data, message), _u16(data, message + 6)
        template, schema = _u16(data, message + 2), _u16(data, message + 4)
        if template != RECORD_DATA or schema != JOURNAL or block < DATA_BLOCK:
            break
        own_index = np.int64(load64(data, message + SBE_HEADER))
        own_asqn = np.int64(load64(data, message + SBE_HEADER + 8))
        content = message + SBE_HEADER + block + 4
        if content > end - base:
            break
        after = content + np.int64(load32(data, content - 4))
        if after > end - base or (after < end - base and version <= NEWEST_SCHEMA):
            break
        if own_index != state[INDEX] or own_index >= state[LIMIT]:
            break
        kind = entry(data, content, after)
        if kind == OTHER or (own_asqn != -1 and own_asqn <= state[ASQN]):
            break
        copied = max(np.int64(0), min(after - content, cap))
        if put + copied > len(payload):
            outcome = FULL_UP
            break
        copy(payload, put, data, content, copied)
        put += copied
        at[rows], size[rows], cut[rows] = here, end - here, copied < after - content
        index[rows], asqn[rows], checksum[rows] = own_index, own_asqn, np.uint32(stored)
        entries[rows] = kind
        term[rows] = load64(data, content + SBE_HEADER) if kind != NOT_RAFT else np.uint64(0)
        state[CUT] += copied < after - content
        state[INDEX] += 1
        if own_asqn != -1:
            state[ASQN] = own_asqn
        rows += 1
        ends[rows] = put
        here = end
        outcome = FULL_UP
    state[AT], state[ROWS] = here, rows
    return outcome
