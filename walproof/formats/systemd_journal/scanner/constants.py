"""What kernels and those who call them call things by, and what kernels are told of a file.

Nothing here needs numba.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from reference_impl.systemd_journal.layout import Header

FAR = 1 << 60
"""Stands for every offset or count from there on: far beyond the end of any file, and so small that
a few of them can be added."""

DATA, FIELD, ENTRY, DATA_TABLE, FIELD_TABLE, ENTRY_ARRAY, TAG = range(1, 8)

# A byte for each object: its type, and
TYPE = 7
PACKED = 0x20
"""the payload is compressed;"""
TEXT = 0x40
"""the payload may stand on a line of its own;"""
BAD = 0x80
"""the frame holds and the content does not."""

CODES = (
    "",
    "bad-header",
    "bad-object",
    "bad-entry",
    "bad-item",
    "bad-order",
    "bad-field",
    "hash-mismatch",
    "bad-compression",
    "too-large",
    "bad-chain",
    "bad-chain",
    "bad-index",
    "bad-index",
    "bad-seal",
    "bad-header",
    "",
    "too-large",
)
(
    SOUND,
    BAD_HEADER,
    BAD_OBJECT,
    BAD_ENTRY,
    BAD_ITEM,
    BAD_ORDER,
    BAD_FIELD,
    HASH_MISMATCH,
    BAD_COMPRESSION,
    TOO_LARGE,
    BAD_CHAIN,
    UNLINKED,
    BAD_INDEX,
    BAD_LAST,
    BAD_SEAL,
    OUTDATED,
) = range(16)
"""UNLINKED is an entry that no chain links (SDJ-046), BAD_LAST the second offset of a bucket
(SDJ-024), OUTDATED what SDJ-049 compares."""
REST = 17
"""Faults that are not kept, as one (SDJ-093)."""
HIDDEN = 16
"""Sound, but the header hides the compression (SDJ-027)."""
ASK = -1
"""The payload has to be decompressed first, which no kernel can do."""

# What kernels are told of the file: int64, one place each.
(
    SIZE,
    HEADER_SIZE,
    DATA_FIXED,
    ITEM,
    SLOT,
    TAIL,
    N_OBJECTS,
    MAIN_ARRAY,
    DATA_BUCKETS,
    DATA_BUCKETS_SIZE,
    FIELD_BUCKETS,
    FIELD_BUCKETS_SIZE,
    INCOMPATIBLE,
    ARENA,
    COMPATIBLE,
) = range(15)

# What a walk knows, kept between calls of the kernel: int64, one place each.
(
    AT,
    PHASE,
    LAST,
    END,
    CUT,
    FOUND,
    FAULTS,
    LOST,
    PLACE,
    TO_HASH,
    ANSWER_AT,
    ANSWER,
    IS_TEXT,
    NAME_ID,
    NAMES,
    SEEK,
    PENDING,
    PENDING_KIND,
    PENDING_END,
    REPORTED_HIDDEN,
) = range(20)
STATES = 20

NO_NAME = 0xFFFF
"""The name id of what is no sound DATA, and of names that did not fit into the table."""
NAME_SLOTS = 1 << 17
NAME_WIDTH = 72

# Why the walk stopped.
DONE, DECOMPRESS, ROOM, LINKS = range(4)
"""Why the walk stopped: at its end; for ``state[SEEK]``'s payload; for room; for ``known``."""

# Marks of an object.
IN_TABLE, IN_LIST, IN_CHAIN, LINKED = 1, 2, 4, 8
"""Marks of an object: where links have led to it."""


class ObjectTable(NamedTuple):
    """The objects of a file, in file order; ``number_of`` numbers them by offset.

    ``bits`` and ``ranks`` are the way from an offset to a number. ``offsets``, ``kinds``, ``marks``
    and ``name_ids`` have a place for each object. ``lost`` has the ranges that yielded none.
    """

    data: Any
    facts: Any
    state: Any
    bits: Any
    ranks: Any
    offsets: Any
    kinds: Any
    marks: Any
    name_ids: Any
    lost: Any
    slots: Any
    names: Any
    lengths: Any

    def of_kind(self, kind: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The numbers of the sound objects of a type, in file order."""
        return np.flatnonzero((self.kinds & (TYPE | BAD)) == kind)


LIMIT = 1 << 30
"""Bytes. Of an entry with more in its fields, repetitions included, no fields are given out."""
CURSOR_WIDTH = 160
"""No cursor is longer."""
CACHED = 1 << 10
"""So many items are remembered: most fields of an entry are those of entries before it."""


def facts(header: Header, size: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """What kernels are told of a file."""
    values: Mapping[int, int] = {
        SIZE: size,
        HEADER_SIZE: header.header_size,
        DATA_FIXED: header.data_fixed,
        ITEM: header.item_size,
        SLOT: header.slot_size,
        TAIL: header.tail_object_offset,
        N_OBJECTS: header.n_objects,
        MAIN_ARRAY: header.entry_array_offset,
        DATA_BUCKETS: header.data_hash_table_offset,
        DATA_BUCKETS_SIZE: header.data_hash_table_size,
        FIELD_BUCKETS: header.field_hash_table_offset,
        FIELD_BUCKETS_SIZE: header.field_hash_table_size,
        INCOMPATIBLE: header.incompatible_flags,
        ARENA: header.arena_size,
        COMPATIBLE: header.compatible_flags,
    }
    return np.array([min(values[place], FAR) for place in range(len(values))], np.int64)
