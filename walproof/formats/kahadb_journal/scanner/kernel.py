"""Compiled kernels of the KahaDB scanner, which read intact batches with checksums.

Offsets in the state and in the rows count from the start of the file. Requirement ids refer to
spec/kahadb-journal.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64

from reference_impl.kahadb_journal.layout import HEADER
from walproof.scanners.kernels import copy, helper, kernel, load64
from walproof.scanners.walk import AT, BASE, CUT, FULL_UP, NEED, NOT_PLAIN, ROWS, USED_UP

CONTROL = 28
RECORD_HEAD = 5
MAX_BATCH = 2**31 - 1 - 28 - 5
COMMANDS = 17

# The state also contains the offset and the end of the current batch, at these indices.
BATCH, BATCH_END = range(5, 7)
STATE = 7

NO_COMMAND = -1

_HEADER_START = np.uint64(int.from_bytes(HEADER[:8], "little"))
_HEADER_END = np.uint64(int.from_bytes(HEADER[8:], "little"))

ADLER_MODULUS = np.uint64(65521)
#: Maximum number of bytes whose weighted sum is certain to stay below 2^32.
ADLER_STRIDE = 5552


@helper
def adler32(data: Any, start: Any, end: Any, value: Any) -> Any:
    """Return the Adler-32 checksum (RFC 1950) of ``data[start:end]``, continued from ``value``.

    To begin a new checksum, pass 1 as ``value``.
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
    """Return whether a batch header, ``0000001c 02 "WRITE BATCH"``, is at ``i`` (KDB-005).

    Reads sixteen bytes.
    """
    return load64(data, i) == _HEADER_START and load64(data, i + 8) == _HEADER_END


@helper
def _command_of(data: Any, i: Any, length: Any) -> Any:
    """Return the command in a payload at ``i``, or ``NO_COMMAND`` (KDB-016).

    Reads at most six of the payload's ``length`` bytes.
    """
    if length < 2 or data[i] >= COMMANDS:
        return NO_COMMAND
    body = int64(0)
    for k in range(1, min(length, 6)):
        body |= int64(data[i + k] & 0x7F) << (7 * (k - 1))
        if data[i + k] < 0x80:
            return int64(data[i]) if k + 1 + body == length else NO_COMMAND
    return NO_COMMAND


@kernel
def walk(
    data: Any,
    size: Any,
    fill: Any,
    cap: Any,
    state: Any,
    at_rows: Any,
    size_rows: Any,
    offsets: Any,
    cut_rows: Any,
    room: Any,
    batch_rows: Any,
    command_rows: Any,
) -> Any:
    """Read intact batches and their records, and stop at the first offset with other content.

    ``size`` is the size of the file, and ``fill`` is the start of its preallocated space. New rows
    follow the existing ``ROWS`` rows. The payload of row n is copied to ``room[offsets[n]:offsets[n
    + 1]]``. ``cap`` is the maximum number of bytes to copy from a payload. If it is negative, no
    payloads are copied.
    """
    at, batch, batch_end = state[AT], state[BATCH], state[BATCH_END]
    base = state[BASE]
    end = base + len(data)
    count = state[ROWS]
    put = int64(offsets[count])
    why = FULL_UP
    state[NEED] = 0
    while True:
        if at < base:
            why, state[NEED] = USED_UP, CONTROL
            break
        if at < batch_end:
            if count == len(at_rows):
                break
            i = at - base
            if at + RECORD_HEAD > batch_end:
                why = NOT_PLAIN
                break
            if at + RECORD_HEAD > end:
                why, state[NEED] = USED_UP, RECORD_HEAD
                break
            length = _number(data, i)
            if length < RECORD_HEAD or at + length > batch_end or data[i + 4] != 1:
                why = NOT_PLAIN
                break
            if at + length > end:
                why, state[NEED] = USED_UP, length
                break
            copied = min(length - RECORD_HEAD, cap)
            if copied > 0:
                if put + copied > len(room):
                    break
                copy(room, put, data, i + RECORD_HEAD, copied)
                put += copied
            cut_rows[count] = copied < length - RECORD_HEAD
            state[CUT] += copied < length - RECORD_HEAD
            at_rows[count] = at
            size_rows[count] = length
            batch_rows[count] = batch
            command_rows[count] = _command_of(data, i + RECORD_HEAD, length - RECORD_HEAD)
            count += 1
            offsets[count] = put
            at += length
            continue
        # If the content is intact, another batch begins here.
        why = NOT_PLAIN
        if at >= fill or at + CONTROL > size:
            break
        if at + CONTROL > end:
            why, state[NEED] = USED_UP, CONTROL
            break
        i = at - base
        if not _is_header(data, i):
            break
        length = _number(data, i + 16)
        start = at + CONTROL
        stop = start + length
        if length <= 0 or length > MAX_BATCH or stop > size:
            break
        checksum = (_number(data, i + 20) << 32) | (_number(data, i + 24) & 0xFFFFFFFF)
        if checksum <= 0 or checksum >> 32:
            break
        if stop > end:
            why, state[NEED] = USED_UP, CONTROL + length
            break
        if adler32(data, start - base, stop - base, 1) != checksum:  # KDB-036
            break
        why = FULL_UP
        at, batch, batch_end = start, at, stop
    state[AT], state[BATCH], state[BATCH_END] = at, batch, batch_end
    state[ROWS] = count
    return why
