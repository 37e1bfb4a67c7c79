"""Compiled kernels of the Zeebe scanner. Requirement ids refer to spec/zeebe-journal.md.

``walk`` reads and verifies the buffered records of one segment. Offsets in ``state`` and in the
results count from the start of the file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from walproof.scan.kernels import copy, crc32c, helper, kernel, load32, load64

FAULTS = (
    "unknown-frame",
    "torn-record",
    "bad-header",
    "bad-length",
    "checksum-mismatch",
    "data-header",
    "data-length",
    "index-mismatch",
)
(
    UNKNOWN_FRAME,
    TORN_RECORD,
    BAD_HEADER,
    BAD_LENGTH,
    CHECKSUM_MISMATCH,
    DATA_HEADER,
    DATA_LENGTH,
    INDEX_MISMATCH,
) = range(8)

ENTRY_TYPES = ("application", "configuration", "initial")
ENTRY_FAULTS = (
    "not-raft",
    "unknown-entry-type",
    "truncated-entry",
    "bad-entry-header",
    "unknown-member-type",
)
APPLICATION, CONFIGURATION, INITIAL = range(3)
#: An entry is represented by a number: its type or, after the types, its fault.
NOT_RAFT, UNKNOWN_ENTRY_TYPE, TRUNCATED_ENTRY, BAD_ENTRY_HEADER, UNKNOWN_MEMBER_TYPE = range(3, 8)

#: Sizes in bytes: a message header, and the blocks of a record's two messages (ZBJ-005, ZBJ-015).
SBE_HEADER, METADATA, DATA_BLOCK = 8, 12, 16
RECORD_METADATA, RECORD_DATA, JOURNAL = 1, 2, 7
LOG_ENTRY, APPLICATION_ENTRY, CONFIGURATION_ENTRY, RAFT = 1, 2, 4, 8
NEWEST_SCHEMA = 2
LARGEST = 2**63 - 1

(
    AT,  # offset of the next frame
    INDEX,  # expected index of the next record
    BEYOND,  # 1: the expected index exceeds the largest number
    ASQN,  # last asqn
    ROWS,
    LOST,
    PUT,  # bytes in `payload`
    CUT,  # rows with a truncated payload
    FAULT,
    DATA,  # data message of a record that exceeds the buffer
    DATA_END,  # its end, or the end of the bytes needed to determine it
    ROOM_NEEDED,
    BASE,  # offset of `data` in the file
    FILLED,  # filled bytes of `data`
    FILE_SIZE,
    STOP,  # no record at or after this offset is read
    SEGMENT_SIZE,  # maximum file size in the descriptor
    KINDS,  # bit n is set if an entry of any counted row is the number n
) = range(18)
STATE = 18

#: Return values of ``walk``, in order: the log ends; a record is faulty; more data is needed, up to
#: ``DATA_END``; the result arrays are full; ``STOP`` is reached.
ENDED, FAULTY, USED_UP, FULL_UP, LIMIT = range(5)


@kernel
def checksum(crc: Any, data: NDArray[np.uint8], end: Any) -> Any:
    """Continue a CRC-32C over ``data[:end]``."""
    return np.int64(crc32c(np.uint64(crc), data, 0, end))


@helper
def _u16(data: NDArray[np.uint8], at: Any) -> Any:
    return np.int64(data[at]) | np.int64(data[at + 1]) << 8


@helper
def _members(data: NDArray[np.uint8], start: Any, end: Any, group: Any) -> Any:
    """Return the offset after a group of members (ZBJ-057), or the fault of the entry, negative."""
    if group + 3 > end:
        return -TRUNCATED_ENTRY
    length, count = _u16(data, group), np.int64(data[group + 2])
    if count > 0 and length < 9:
        return -BAD_ENTRY_HEADER
    at = group + 3
    for _ in range(count):
        if at + length > end:
            return -TRUNCATED_ENTRY
        if data[at] >= 4:
            return -UNKNOWN_MEMBER_TYPE
        at += length
        if at + 4 > end:
            return -TRUNCATED_ENTRY
        at += 4 + np.int64(load32(data, at))
        if at > end:
            return -TRUNCATED_ENTRY
    return at


@helper
def entry(data: NDArray[np.uint8], start: Any, end: Any) -> Any:
    """Return the type of the entry in ``data[start:end]``, or its fault (ZBJ-054 to ZBJ-058)."""
    if end - start < SBE_HEADER:
        return NOT_RAFT
    length = _u16(data, start)
    if _u16(data, start + 2) != LOG_ENTRY or _u16(data, start + 4) != RAFT or length < 9:
        return NOT_RAFT
    at = start + SBE_HEADER + length
    if at > end:
        return NOT_RAFT
    type = np.int64(data[start + SBE_HEADER + 8])
    if type > INITIAL:
        return UNKNOWN_ENTRY_TYPE
    if type == INITIAL:
        return INITIAL
    if at + SBE_HEADER > end:
        return TRUNCATED_ENTRY
    length, version = _u16(data, at), _u16(data, at + 6)
    template, least = (APPLICATION_ENTRY, 16) if type == APPLICATION else (CONFIGURATION_ENTRY, 8)
    if _u16(data, at + 2) != template or _u16(data, at + 4) != RAFT or length < least:
        return BAD_ENTRY_HEADER
    at += SBE_HEADER + length
    if at > end:
        return TRUNCATED_ENTRY
    if type == APPLICATION:
        if at + 4 > end or at + 4 + np.int64(load32(data, at)) > end:
            return TRUNCATED_ENTRY
        return APPLICATION
    groups = 2 if version >= 2 else 1
    for _ in range(groups):
        at = _members(data, start, end, at)
        if at < 0:
            return -at
    return CONFIGURATION


@kernel
def walk(
    data: NDArray[np.uint8],
    cap: Any,
    raft: Any,
    state: NDArray[np.int64],
    at: NDArray[np.int64],
    size: NDArray[np.int64],
    ends: NDArray[np.int32],
    cut: NDArray[np.uint8],
    lost: NDArray[np.int64],
    index: NDArray[np.int64],
    asqn: NDArray[np.int64],
    checksum: NDArray[np.uint32],
    term: NDArray[np.uint64],
    entries: NDArray[np.int32],
    payload: NDArray[np.uint8],
) -> Any:
    """Read the records in ``data``, from ``state[AT]`` to the end of the buffered bytes.

    The records are checked in the order of ZBJ-025; ``raft`` enables the checks of raft entries.
    ``cap`` limits the bytes copied of each payload; if ``cap`` is negative, no payload is copied.
    Results are appended to those that ``state`` already counts. The payload of row n is
    ``payload[ends[n]:ends[n + 1]]``. ``lost[n]`` contains the start and the end of a lost range,
    and the number of rows before it.
    """
    here, expected, beyond, last_asqn = state[AT], state[INDEX], state[BEYOND], state[ASQN]
    rows, gaps, put, cuts = state[ROWS], state[LOST], state[PUT], state[CUT]
    kinds = state[KINDS]
    base, file_size, limit = state[BASE], state[FILE_SIZE], state[STOP]
    upto = base + state[FILLED]
    room = max(file_size, state[SEGMENT_SIZE])  # ZBJ-012
    fault = -1
    outcome = ENDED
    while True:
        if here >= limit:
            outcome = LIMIT
            break
        if rows >= len(at) or gaps >= lost.shape[0]:
            outcome = FULL_UP
            state[ROOM_NEEDED] = 0
            break
        if here >= file_size:
            break
        if here >= upto:
            outcome, state[DATA], state[DATA_END] = USED_UP, -1, here + 1
            break
        frame = data[here - base]
        if frame == 0:
            break  # ZBJ-016, ZBJ-021: the rest is ignored (ZBJ-022)
        if frame != 1:
            fault = UNKNOWN_FRAME  # ZBJ-016
            break
        head = here + 1
        if head + SBE_HEADER + METADATA > file_size:
            fault = TORN_RECORD if file_size < room else BAD_LENGTH  # ZBJ-027
            break
        if head + SBE_HEADER + METADATA > upto:
            outcome, state[DATA], state[DATA_END] = USED_UP, -1, head + SBE_HEADER + METADATA
            break
        block = _u16(data, head - base)
        template, schema = _u16(data, head - base + 2), _u16(data, head - base + 4)
        if template != RECORD_METADATA or schema != JOURNAL or block < METADATA:
            fault = BAD_HEADER  # ZBJ-026
            break
        stored = load64(data, head - base + SBE_HEADER)
        length = np.int64(np.int32(load32(data, head - base + SBE_HEADER + 8)))
        start = head + SBE_HEADER + block
        end = start + length
        if length < 0 or end > room:
            fault = BAD_LENGTH  # ZBJ-027
            break
        if end > file_size:
            fault = TORN_RECORD  # ZBJ-027
            break
        if end > upto:
            outcome, state[DATA], state[DATA_END] = USED_UP, start, end
            break
        if crc32c(np.uint64(0), data, start - base, end - base) != stored:
            fault = CHECKSUM_MISMATCH  # ZBJ-017, ZBJ-028
            break
        message = start - base
        if length < SBE_HEADER + DATA_BLOCK:
            fault = DATA_HEADER
            break
        block = _u16(data, message)
        template, schema = _u16(data, message + 2), _u16(data, message + 4)
        if template != RECORD_DATA or schema != JOURNAL or block < DATA_BLOCK:
            fault = DATA_HEADER  # ZBJ-029
            break
        own_index = np.int64(load64(data, message + SBE_HEADER))
        own_asqn = np.int64(load64(data, message + SBE_HEADER + 8))
        content = message + SBE_HEADER + block + 4
        if content > end - base:
            fault = DATA_LENGTH  # ZBJ-018, ZBJ-030
            break
        after = content + np.int64(load32(data, content - 4))
        if after > end - base:
            fault = DATA_LENGTH
            break
        if after < end - base and _u16(data, message + 6) <= NEWEST_SCHEMA:
            fault = DATA_LENGTH
            break
        if beyond != 0 or own_index != expected:
            fault = INDEX_MISMATCH  # ZBJ-023, ZBJ-031
            break
        copied = min(after - content, cap)
        if copied > 0 and put + copied > len(payload):
            outcome, state[ROOM_NEEDED] = FULL_UP, copied
            break
        if expected == LARGEST:
            beyond = np.int64(1)
        else:
            expected += 1
        if own_asqn != -1 and own_asqn <= last_asqn:
            lost[gaps, 0], lost[gaps, 1], lost[gaps, 2] = here, end, rows  # ZBJ-032
            gaps += 1
            here = end
            continue
        if own_asqn != -1:
            last_asqn = own_asqn
        if copied > 0:
            copy(payload, put, data, content, copied)
            put += copied
        at[rows], size[rows] = here, end - here
        index[rows], asqn[rows], checksum[rows] = own_index, own_asqn, np.uint32(stored)
        if raft:
            type = entry(data, content, after)
            entries[rows] = type
            kinds |= 1 << type
            term[rows] = load64(data, content + SBE_HEADER) if type <= INITIAL else np.uint64(0)
        shortened = copied < after - content
        cut[rows] = shortened
        cuts += shortened
        rows += 1
        ends[rows] = put
        here = end
    if fault >= 0:
        outcome, state[FAULT] = FAULTY, fault
    state[AT], state[INDEX], state[BEYOND], state[ASQN] = here, expected, beyond, last_asqn
    state[ROWS], state[LOST], state[PUT], state[CUT] = rows, gaps, put, cuts
    state[KINDS] = kinds
    return outcome
