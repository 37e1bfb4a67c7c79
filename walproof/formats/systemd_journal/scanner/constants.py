"""Constants and parameters shared by the kernels and their callers.

This module does not need numba.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from reference_impl.systemd_journal.layout import Header

#: Replaces every offset or count from this value on. It is beyond the end of any file, and a few
#: such values can be added without overflow.
FAR = 1 << 60

DATA, FIELD, ENTRY, DATA_TABLE, FIELD_TABLE, ENTRY_ARRAY, TAG = range(1, 8)

# A byte for each object: its type and these flags.
TYPE = 7
#: The payload is compressed.
PACKED = 0x20
#: The payload can be written as a single line.
TEXT = 0x40
#: The frame is valid and the content is not.
BAD = 0x80

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
#: Fault codes. UNLINKED: an entry that no chain links (SDJ-046). BAD_LAST: the second offset of a
#: bucket (SDJ-024). OUTDATED: the values compared by SDJ-049.
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
#: All faults beyond the limit, as one (SDJ-093).
REST = 17
#: Valid, but the header does not declare the compression (SDJ-027).
HIDDEN = 16
#: The caller must decompress the payload first; kernels cannot.
ASK = -1

# Indexes of the file parameters for the kernels, in an array of int64.
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

# Indexes of the state of a walk between kernel calls, in an array of int64.
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
) = range(19)
STATES = 19

#: Name id of objects that are not valid DATA, and of names that did not fit into the table.
NO_NAME = 0xFFFF
NAME_SLOTS = 1 << 17
NAME_WIDTH = 72

# Reasons for the walk to return.
#: Reasons for the walk to stop: the end; the payload of ``state[SEEK]`` is needed; arrays are full;
#: ``known`` is needed.
DONE, DECOMPRESS, ROOM, LINKS = range(4)

# Marks of an object.
#: Marks of an object: the links that have led to it.
IN_TABLE, IN_LIST, IN_CHAIN, LINKED = 1, 2, 4, 8


class ObjectTable(NamedTuple):
    """The objects of a file, in file order.

    ``number_of`` converts offsets to object numbers, with the help of ``bits`` and ``ranks``.
    ``offsets``, ``kinds``, ``marks`` and ``name_ids`` have one element per object. ``lost`` lists
    the ranges that contain no objects.
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
        """Return the numbers of the valid objects of a type, in file order."""
        return np.flatnonzero((self.kinds & (TYPE | BAD)) == kind)


#: Maximum bytes of the fields of an entry, repetitions included; a larger entry is returned without
#: fields.
LIMIT = 1 << 30
#: Maximum length of a cursor.
CURSOR_WIDTH = 160
#: Number of cached items: most fields of an entry also occur in earlier entries.
CACHED = 1 << 10


def facts(header: Header, size: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the parameters of a file for the kernels."""
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
