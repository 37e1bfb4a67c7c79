"""Compiled kernels of the KahaDB scanner.

The kernels check valid batches, chains of records, and preallocated space. All offsets count from
the start of the file; ``BASE`` is the file offset of the first byte of ``data``. Requirement ids
refer to spec/kahadb-journal.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64

from walproof.scan.kernels import copy, helper, kernel

CONTROL = 28
RECORD_HEAD = 5
MAX_BATCH = 2**31 - 1 - 28 - 5
COMMANDS = 17

# State of a walk in an array of int64. The kernel continues from it and updates it.
AT, BATCH, BATCH_END, SUMMED, SUM, COUNT, CUT, NEED, SOUND, BEYOND, BASE = range(11)
WALK_STATE = 11
# SOUND: a batch was found that resolves a doubt and ends after BEYOND (KDB-051).

# Reasons for a walk to return.
ROWS_FULL, NEEDS_BYTES, NOT_PLAIN = range(3)

# Classes of rows.
RECORD, UNKNOWN_TYPE, BAD_RECORD = range(3)

NO_COMMAND = -1

ADLER_MODULUS = np.uint64(65521)
#: Longest run of bytes whose weighted sum stays below 2^32.
ADLER_STRIDE = 5552


@helper
def adler32(data: Any, start: Any, end: Any, value: Any) -> Any:
    """Return the Adler-32 (RFC 1950) of ``data[start:end]``, continued from ``value``.

    ``value`` is 1 for a new checksum.
    """
    low, high = np.uint64(value & 0xFFFF), np.uint64(value >> 16)
    while start < end:
        length = min(end - start, ADLER_STRIDE)
        run = data[start : start + length]
        plain, weighted = np.uint32(0), np.uint32(0)
        for i in range(length):
            byte = np.uint32(run[i])
            plain = np.uint32(plain + byte)
            weighted = np.uint32(weighted + byte * np.uint32(length - i))
        high = (high + np.uint64(length) * low + np.uint64(weighted)) % ADLER_MODULUS
        low = (low + np.uint64(plain)) % ADLER_MODULUS
        start += length
    return int64(high << np.uint64(16) | low)


@helper
def _number(data: Any, i: Any) -> Any:
    value = (int64(data[i]) << 24) | (int64(data[i + 1]) << 16)
    value |= (int64(data[i + 2]) << 8) | int64(data[i + 3])
    return value - (1 << 32) if value >= (1 << 31) else value


@helper
def _is_header(data: Any, i: Any) -> Any:
    """Return whether ``0000001c 02 "WRITE BATCH"`` is at ``i``; needs sixteen bytes (KDB-005)."""
    return (
        data[i] == 0
        and data[i + 1] == 0
        and data[i + 2] == 0
        and data[i + 3] == 0x1C
        and data[i + 4] == 2
        and data[i + 5] == 0x57
        and data[i + 6] == 0x52
        and data[i + 7] == 0x49
        and data[i + 8] == 0x54
        and data[i + 9] == 0x45
        and data[i + 10] == 0x20
        and data[i + 11] == 0x42
        and data[i + 12] == 0x41
        and data[i + 13] == 0x54
        and data[i + 14] == 0x43
        and data[i + 15] == 0x48
    )


@helper
def _is_eof(data: Any, i: Any) -> Any:
    """Return whether ``-qMa4`` is at ``i``; needs five bytes (KDB-011)."""
    return (
        data[i] == 0x2D
        and data[i + 1] == 0x71
        and data[i + 2] == 0x4D
        and data[i + 3] == 0x61
        and data[i + 4] == 0x34
    )


@kernel
def command_of(data: Any, i: Any, length: Any) -> Any:
    """Return the command of a payload at ``i``, or ``NO_COMMAND`` (KDB-016).

    Reads at most six of its ``length`` bytes.
    """
    if length < 2 or data[i] >= COMMANDS:
        return NO_COMMAND
    body = int64(0)
    for k in range(1, min(length, 6)):
        body |= int64(data[i + k] & 0x7F) << (7 * (k - 1))
        if data[i + k] < 0x80:
            return int64(data[i]) if k + 1 + body == length else NO_COMMAND
    return NO_COMMAND


@helper
def _tiles(data: Any, i: Any, end: Any) -> Any:
    """Return whether records fill ``[i, end)`` and none of them is a header (KDB-037).

    ``data`` must include the sixteen bytes after ``end``, or end with the file.
    """
    while i < end:
        if i + 4 > len(data):
            return False
        size = _number(data, i)
        if size < RECORD_HEAD or (i + 16 <= len(data) and _is_header(data, i)):
            return False
        i += size
    return i == end


@helper
def _are_of_users(data: Any, i: Any, end: Any) -> Any:
    """Return whether all records that fill ``[i, end)`` are of type 1."""
    while i < end:
        if data[i + 4] != 1:
            return False
        i += _number(data, i)
    return True


@kernel
def walk(
    data: Any,
    size: Any,
    fill: Any,
    cap: Any,
    max_bytes: Any,
    at_rows: Any,
    size_rows: Any,
    batch_rows: Any,
    kind_rows: Any,
    command_rows: Any,
    offsets: Any,
    room: Any,
    state: Any,
) -> Any:
    """Read valid batches and their records up to the first offset that needs damage analysis.

    ``size`` is the size of the file, and ``fill`` is the start of its preallocated space. New rows
    are appended after the existing ``COUNT`` rows. The walk also stops when the row arrays are
    full, when the rows hold ``max_bytes`` of payload, or when ``room`` has less than ``NEED`` bytes
    left. A single record may exceed ``max_bytes``.

    Payload n is copied to ``room[offsets[n]:offsets[n + 1]]``. ``cap`` limits the bytes copied of
    each payload; if ``cap`` is negative, no payload is copied.
    """
    at, batch, batch_end = state[AT], state[BATCH], state[BATCH_END]
    summed, base = state[SUMMED], state[BASE]
    end = base + len(data)
    count = state[COUNT]
    put = int64(offsets[count])
    why = ROWS_FULL
    state[NEED] = 0
    while True:
        if at < base:
            why, state[NEED] = NEEDS_BYTES, CONTROL
            break
        if at < batch_end:
            if count == len(at_rows) or put >= max_bytes:
                break
            i = at - base
            length = int64(0)
            kind = BAD_RECORD
            if at + RECORD_HEAD <= batch_end:
                if at + RECORD_HEAD > end:
                    why, state[NEED] = NEEDS_BYTES, RECORD_HEAD
                    break
                length = _number(data, i)
                if length >= RECORD_HEAD and at + length <= batch_end:
                    kind = RECORD if data[i + 4] == 1 else UNKNOWN_TYPE
            command = NO_COMMAND
            if kind == BAD_RECORD:
                length = batch_end - at
            elif kind == RECORD:
                if at + length > end:
                    why, state[NEED] = NEEDS_BYTES, length
                    break
                copied = min(length - RECORD_HEAD, cap)
                if copied > 0:
                    if put + copied > len(room):
                        state[NEED] = copied
                        break
                    copy(room, put, data, i + RECORD_HEAD, copied)
                    put += copied
                state[CUT] += copied < length - RECORD_HEAD
                command = command_of(data, i + RECORD_HEAD, length - RECORD_HEAD)
            at_rows[count] = at
            size_rows[count] = length
            batch_rows[count] = batch
            kind_rows[count] = kind
            command_rows[count] = command
            count += 1
            offsets[count] = put
            at += length
            continue
        # A batch should begin here.
        why = NOT_PLAIN
        if at >= fill or at + CONTROL > size:
            break
        if at + CONTROL > end:
            why, state[NEED] = NEEDS_BYTES, CONTROL
            break
        i = at - base
        if not _is_header(data, i):
            break
        length = _number(data, i + 16)
        start = at + CONTROL
        stop = start + length
        if length <= 0 or length > MAX_BATCH or stop > size or start < summed:
            break
        checksum = (_number(data, i + 20) << 32) | (_number(data, i + 24) & 0xFFFFFFFF)
        if checksum > 0:
            if checksum >> 32:
                break
            if stop > end:
                why, state[NEED] = NEEDS_BYTES, CONTROL + length
                break
            actual = adler32(data, start - base, stop - base, 1)
            summed = stop
            if actual != checksum:  # KDB-036
                state[SUM] = actual
                break
        else:  # KDB-008
            if min(stop + 16, size) > end:
                why, state[NEED] = NEEDS_BYTES, CONTROL + length + 16
                break
            j = stop - base
            in_step = stop == size
            if not in_step and stop + 16 <= size:
                in_step = _is_header(data, j) or _is_eof(data, j)
            if not in_step or not _tiles(data, start - base, j):
                break
        why = ROWS_FULL
        if stop > state[BEYOND] and (
            checksum > 0 or state[SOUND] or _are_of_users(data, start - base, stop - base)
        ):
            state[SOUND] = 1
        at, batch, batch_end = start, at, stop
    state[AT], state[BATCH], state[BATCH_END] = at, batch, batch_end
    state[SUMMED], state[COUNT] = summed, count
    return why


# State of a chain of records (KDB-045), followed in several calls.
FAILED, IN_STEP, ASK, CHAIN_NEEDS_BYTES, KNOWN, TRAIL_FULL = range(6)
CHAIN_AT, CHAIN_TARGET, CHAIN_STEPS, CHAIN_TRAIL = range(4)
CHAIN_STATE = 4
NOTE_EVERY = 16


@helper
def _slot(keys: Any, key: Any) -> Any:
    """Return the slot of a key, or a free slot for it. The open-addressing table must have room."""
    mask = len(keys) - 1
    slot = ((key * 0x9E3779B1) >> 12) & mask
    while keys[slot] != -1 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def note(keys: Any, values: Any, trail: Any, count: Any, value: Any) -> Any:
    """Store the target of the first ``count`` offsets of a trail. The table must have room."""
    for n in range(count):
        slot = _slot(keys, trail[n])
        keys[slot] = trail[n]
        values[slot] = value


@kernel
def move(keys: Any, values: Any, to_keys: Any, to_values: Any) -> Any:
    """Copy all entries to a larger, empty table."""
    for n in range(len(keys)):
        if keys[n] != -1:
            slot = _slot(to_keys, keys[n])
            to_keys[slot] = keys[n]
            to_values[slot] = values[n]


@kernel
def follow(
    data: Any, base: Any, size: Any, fill: Any, keys: Any, values: Any, trail: Any, state: Any
) -> Any:
    """Follow records by their sizes to the first synchronised offset after ``state[CHAIN_AT]``.

    Every sixteenth offset is stored in the trail. A chain that joins an earlier chain soon reaches
    a stored offset and ends there. With the status ``ASK``, the caller must determine whether
    ``CHAIN_TARGET`` is synchronised.
    """
    at = state[CHAIN_AT]
    end = base + len(data)
    why = FAILED
    while True:
        known = _slot(keys, at)
        if keys[known] == at:
            why, state[CHAIN_TARGET] = KNOWN, values[known]
            break
        if at + RECORD_HEAD > size:
            break
        if at < base or at + RECORD_HEAD > end:
            why = CHAIN_NEEDS_BYTES
            break
        length = _number(data, at - base)
        if length < RECORD_HEAD or data[at - base + 4] != 1:
            break
        if state[CHAIN_STEPS] % NOTE_EVERY == 0:
            if state[CHAIN_TRAIL] == len(trail):
                why = TRAIL_FULL
                break
            trail[state[CHAIN_TRAIL]] = at
            state[CHAIN_TRAIL] += 1
        state[CHAIN_STEPS] += 1
        target = at + length
        state[CHAIN_TARGET] = target
        if target + 16 > end or target + 16 > fill:
            why = ASK
            break
        if _is_header(data, target - base) or _is_eof(data, target - base):
            why = IN_STEP
            break
        at = target
    state[CHAIN_AT] = at
    return why


@kernel
def fill_in(data: Any) -> Any:
    """Return the number of bytes at the end that are zeros and whole EOF records (KDB-013)."""
    end = len(data)
    while end > 0:
        if end >= 64:
            result = np.uint8(0)
            for k in range(64):
                result |= data[end - 64 + k]
            if result == 0:
                end -= 64
                continue
        if data[end - 1] == 0:
            end -= 1
        elif end >= RECORD_HEAD and _is_eof(data, end - RECORD_HEAD):
            end -= RECORD_HEAD
        else:
            break
    return len(data) - end
