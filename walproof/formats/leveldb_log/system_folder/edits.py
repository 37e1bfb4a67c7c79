"""Parse the common version edits of a large MANIFEST with a compiled kernel.

A MANIFEST of 50 MiB has half a million edits. Nearly all of them only add and delete tables and
advance counters. The kernel reads these edits and leaves all others to ``decoder/version_edit.py``,
which is the reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from walproof.formats.leveldb_log.decoder.version_edit import CUSTOM_FIELDS
from walproof.scan.kernels import helper, kernel

DELETED, ADDED, LOG_NUMBER = range(3)
"""Kinds of rows. A row is: kind, column family, level, number of the file or log, size in bytes."""
ROW_VALUES = 5
EDITS, SEEN, NEXT_FILE, LOG_BEFORE, LOG_TO_KEEP, FIRST_LOG, HAS_FAMILIES, ROWS = range(8)
"""Places among the counters."""
COUNTERS = 8
SEEN_TAGS = {2: "log_number", 3: "next_file_number", 4: "last_sequence", 9: "prev_log_number"}
"""The tags whose bits ``SEEN`` has."""

MAX_VALUES = 60_000
"""Tags of an edit that is read here; the decoder limits those of others."""
_MIN_KEY_BYTES = 8
_NEW_FILE, _NEW_FILE_2, _NEW_FILE_4 = 7, 100, 103
_NOT_IGNORABLE, _END = 64, 1
_ANY, _BYTE, _FIXED, _VARINT = range(4)


def _forms() -> NDArray[np.uint8]:
    """Return the encoding of the number in a custom field of a new file, by tag."""
    codes = {None: _ANY, "byte": _BYTE, "fixed64": _FIXED, "varint": _VARINT}
    forms = np.zeros(_NOT_IGNORABLE, np.uint8)
    for tag, (_, form) in CUSTOM_FIELDS.items():
        if tag < _NOT_IGNORABLE:
            forms[tag] = codes[form]
    return forms


_FORMS = _forms()


@helper
def _varint(data: Any, at: Any, end: Any, limit: Any) -> Any:
    """Return a number and where it ends; -1 if it does not end."""
    value, shift = uint64(0), uint64(0)
    for i in range(at, min(at + limit, end)):
        byte = uint64(data[i])
        value |= (byte & uint64(0x7F)) << shift
        shift += uint64(7)
        if byte < uint64(0x80):
            if limit == 5:
                value &= uint64(0xFFFFFFFF)
            return int64(value), i + 1
    return int64(0), -1


@helper
def _after_bytes(data: Any, at: Any, end: Any, least: Any) -> Any:
    """Return where sized bytes end; -1 if there are fewer than their size, or than ``least``."""
    size, at = _varint(data, at, end, 5)
    if at < 0 or size < least or size > end - at:
        return -1
    return at + size


@helper
def _after_fields(data: Any, at: Any, end: Any, room: Any) -> Any:
    """Return where the custom fields of a new file end, and how many there are; -1 for others."""
    count = 0
    while count < room:
        tag, at = _varint(data, at, end, 5)
        count += 1
        if at < 0 or tag & _NOT_IGNORABLE:
            return -1, count
        if tag == _END:
            return at, count
        size, at = _varint(data, at, end, 5)
        if at < 0 or size > end - at:
            return -1, count
        form = _FORMS[tag] if tag < _NOT_IGNORABLE else _ANY
        if form == _VARINT:
            _, after = _varint(data, at, at + size, 10)
            if after < 0:
                return -1, count
        elif (form == _BYTE and size != 1) or (form == _FIXED and size != 8):
            return -1, count
        at += size
    return -1, count


@helper
def _edit(data: Any, at: Any, end: Any, kind: Any, is_pebble: Any, rows: Any, counters: Any) -> Any:
    """Append the rows of one kind; for ``ADDED``, update the counters too.

    Returns false for an edit that is left to the decoder; its rows are then discarded. A database
    deletes the tables of an edit before it adds the new ones.
    """
    first = counters[ROWS]
    row, family, values, log, seen = first, int64(0), 0, int64(-1), int64(0)
    next_file, before, keep = counters[NEXT_FILE], counters[LOG_BEFORE], counters[LOG_TO_KEEP]
    while at < end:
        tag, at = _varint(data, at, end, 5)
        values += 1
        if at < 0 or values > MAX_VALUES:
            return False
        if 2 <= tag <= 4 or tag == 9 or tag == 10:
            number, at = _varint(data, at, end, 10)
            if at < 0 or number < 0 or (tag == 10 and is_pebble):
                return False
            if tag == 2:
                log = number
            elif tag == 3:
                next_file = max(next_file, number)
            elif tag == 9:
                before = number
            elif tag == 10:
                keep = max(keep, number)
            seen |= int64(1) << tag
        elif tag == 5:
            _, at = _varint(data, at, end, 5)
            if at >= 0:
                at = _after_bytes(data, at, end, _MIN_KEY_BYTES)
            if at < 0:
                return False
        elif tag == 200:
            family, at = _varint(data, at, end, 5)
            if at < 0:
                return False
        elif tag in (6, _NEW_FILE, _NEW_FILE_2, _NEW_FILE_4):
            level, at = _varint(data, at, end, 5)
            if at < 0:
                return False
            number, at = _varint(data, at, end, 10)
            if at < 0:
                return False
            size = int64(0)
            if tag != 6:
                size, at = _varint(data, at, end, 10)
                for _ in range(2):
                    if at < 0:
                        return False
                    at = _after_bytes(data, at, end, _MIN_KEY_BYTES)
                for _ in range(2 if tag != _NEW_FILE else 0):
                    if at < 0:
                        return False
                    _, at = _varint(data, at, end, 10)
                if tag == _NEW_FILE_4 and at >= 0:
                    at, count = _after_fields(data, at, end, MAX_VALUES - values)
                    values += count
                if at < 0:
                    return False
            if (kind == DELETED) == (tag == 6):
                if row == len(rows):
                    return False
                rows[row, 0], rows[row, 2] = kind, level
                rows[row, 3], rows[row, 4] = number, size
                row += 1
        else:
            return False
    if kind == ADDED and log >= 0 and family != 0:
        if row == len(rows):
            return False
        rows[row, 0], rows[row, 3] = LOG_NUMBER, log
        row += 1
    for i in range(first, row):
        rows[i, 1] = family
    counters[ROWS] = row
    if kind == ADDED:
        counters[EDITS] += 1
        counters[SEEN] |= seen
        counters[NEXT_FILE], counters[LOG_BEFORE], counters[LOG_TO_KEEP] = next_file, before, keep
        if family != 0:
            counters[HAS_FAMILIES] = 1
        elif log >= 0:
            counters[FIRST_LOG] = max(counters[FIRST_LOG], log)
    return True


@kernel
def gather(data: Any, ends: Any, first: Any, is_pebble: Any, rows: Any, counters: Any) -> Any:
    """Read edits from number ``first`` on; return the number of the first one for the decoder.

    Edit ``n`` is ``data[ends[n]:ends[n + 1]]``. ``rows`` is int64, shape (n, 5); ``counters`` is
    int64, shape (8,), and counts the rows. The function also stops when the rows are full.
    """
    for n in range(first, len(ends) - 1):
        rows_before = counters[ROWS]
        at, end = int64(ends[n]), int64(ends[n + 1])
        if not _edit(data, at, end, DELETED, is_pebble, rows, counters):
            counters[ROWS] = rows_before
            return n
        if not _edit(data, at, end, ADDED, is_pebble, rows, counters):
            counters[ROWS] = rows_before
            return n
    return len(ends) - 1


def last_of_each(rows: NDArray[np.int64], live: Sequence[int]) -> NDArray[np.int64]:
    """Return the rows that affect the final state, in order.

    A row has no effect if a later row replaces the same table, or if it deletes a table that does
    not exist. ``live`` holds the numbers of the tables that exist before the first row.
    """
    kind, family, level, number = rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3]
    same = np.lexsort((number, level, family, kind == LOG_NUMBER))
    ordered = rows[same][:, 1:4]
    is_last = np.ones(len(rows), np.bool_)
    is_last[:-1] = (ordered[1:] != ordered[:-1]).any(axis=1)
    is_last |= rows[same][:, 0] == LOG_NUMBER
    left: NDArray[np.int64] = rows[np.sort(same[is_last])]
    has_effect = (left[:, 0] != DELETED) | np.isin(left[:, 3], np.array(live, np.int64))
    effective: NDArray[np.int64] = left[has_effect]
    return effective
