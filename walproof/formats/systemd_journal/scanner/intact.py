"""Check whether a file is intact, and list its objects and entries."""

from __future__ import annotations

import mmap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.compression import BadCompression, decompress
from reference_impl.systemd_journal.counts import check_counts, check_shape
from reference_impl.systemd_journal.export_format import BOOT_ID
from reference_impl.systemd_journal.inspection import refusal
from reference_impl.systemd_journal.links import BOOT_FIELD, Links
from reference_impl.systemd_journal.objects import MAX_FIELD_SIZE, View, budget
from reference_impl.systemd_journal.reader import append_offset
from reference_impl.systemd_journal.sealing import VerificationKey
from reference_impl.systemd_journal.seals import Seals
from reference_impl.systemd_journal.walk import Walk
from walproof.formats.systemd_journal.scanner import kernel
from walproof.formats.systemd_journal.scanner.contents import (
    MAX_PLAIN_BYTES,
    Contents,
    Numbers,
    read_only,
)
from walproof.formats.systemd_journal.scanner.kernel import FAR, FAULTY, Shape

#: The smallest object has a 16-byte header and some content, aligned to eight bytes.
_SMALLEST_OBJECT = 24
#: These context keys select entries. Only the executable specification supports them.
SELECTIONS = frozenset({"match", "from_seqnum", "from_realtime"})


class _CompletedWalk(Walk):
    def __init__(self, view: View, offsets: Numbers, types: NDArray[np.uint8], end: int) -> None:
        self.view, self.end = view, end
        self.last = int(offsets[-1]) if len(offsets) else 0
        self.counts = Counter(dict(enumerate(np.bincount(types).tolist())))
        # map_objects enlarges and fills this array only if seals are checked.
        self.kinds = bytearray(1)

    def map_objects(self, offsets: Numbers, types: NDArray[np.uint8]) -> None:
        self.kinds = bytearray((self.last >> 3) + 1)
        np.frombuffer(self.kinds, np.uint8)[offsets >> 3] = types


def check_file(raw: mmap.mmap | bytes, context: Mapping[str, Any]) -> Contents | None:
    """Return the contents of a file if it is intact, else None.

    The result is also None for some unusual intact files, and for a context that selects entries.
    Raises ``ValueError`` if the context has an invalid verification key.
    """
    if len(raw) < layout.HEADER_MIN or refusal(raw) is not None or SELECTIONS & context.keys():
        return None
    header = layout.parse_header(raw[: layout.HEADER_FULL])
    size, count = len(raw), header.n_objects
    view = View(raw, header, int(context.get("max_field_size", MAX_FIELD_SIZE)))
    if header.header_size > size or count > size // _SMALLEST_OBJECT:
        return None
    if any(check_shape(header, size)) or view.in_the_header() is not None:
        return None
    data = read_only(np.frombuffer(raw, np.uint8))
    shape = Shape.of(size, header)
    offsets, ends = np.empty(count, np.int64), np.empty(count, np.int64)
    kinds = np.zeros(count + 1, np.uint8)
    objects = np.full(size // 8 + 1, count, np.int32)
    tail = min(header.tail_object_offset, FAR)
    walked, end = kernel.walk(data, shape, tail, offsets, ends, kinds, objects)
    if walked != count:
        return None
    words = data[: size // 8 * 8].view(np.uint64)
    sizes = ends - offsets
    starts = offsets + np.where(kinds[:-1] == layout.DATA, header.data_fixed, 40)
    is_packed = (kinds[:-1] == layout.DATA) & (data[offsets + 1] & layout.OBJECT_COMPRESSED != 0)
    plain = _decompressed(data, view, offsets, ends, np.flatnonzero(is_packed))
    if plain is None:
        return None
    if plain:
        lengths = np.array(list(map(len, plain)), np.int64)
        ends[is_packed] = size + np.cumsum(lengths)
        starts[is_packed] = ends[is_packed] - lengths
        data = read_only(np.concatenate([data, np.frombuffer(b"".join(plain), np.uint8)]))
    key = np.frombuffer(header.file_id, "<u8")
    name_ends, are_text = np.empty(count, np.int64), np.empty(count, np.bool_)
    keys = (np.uint64(header.keyed), key[0], key[1])
    if not kernel.check_contents(data, keys, offsets, kinds, starts, ends, name_ends, are_text):
        return None
    walk = _CompletedWalk(view, offsets, kinds[:-1], int(end))
    is_entry = kinds[:-1] == layout.ENTRY
    entries = offsets[is_entry]
    if header.compact and _has_padding(data, ends[is_entry]):
        return None
    marks = np.zeros(count, np.uint8)
    bounds, totals = np.empty(len(entries) + 1, np.int64), np.empty(len(entries) + 1, np.int64)
    main_chain = min(header.entry_array_offset, FAR)
    array, used = kernel.check_main_chain(data, shape, main_chain, entries, kinds, objects, marks)
    if array == FAULTY:
        return None
    n_items = int((sizes[is_entry] - 64).sum()) // header.item_size
    items, counts = np.empty(n_items, np.int32), np.zeros(count + 1, np.int64)
    if not kernel.check_entries(
        data, shape, 256 * end + 4 * min(view.max_field, FAR // 8), end, entries, kinds, objects,
        ends - starts, np.full(count, -1, np.int32), counts[1:], bounds, totals,
        items,
    ):  # fmt: skip
        return None
    for kind, table_kind, name in (
        (layout.DATA, layout.DATA_HASH_TABLE, "data_hash_table"),
        (layout.FIELD, layout.FIELD_HASH_TABLE, "field_hash_table"),
    ):
        start, length = getattr(header, f"{name}_offset"), getattr(header, f"{name}_size")
        tables = np.flatnonzero(kinds == table_kind)
        if not len(tables) and not start and not length:
            continue  # This table may be missing (SDJ-016).
        if offsets[tables].tolist() != [start - 16] or sizes[tables].tolist() != [length + 16]:
            return None
        if not kernel.check_table(data, start, length, kind, offsets, kinds):
            return None
    field_of = np.zeros(count, np.int32)
    listed = kernel.check_field_lists(
        data, shape, offsets, kinds, starts, ends, name_ends, objects, marks, field_of
    )
    if listed != walk.counts[layout.DATA]:
        return None
    if not kernel.check_entry_lists(
        data, shape, entries, offsets, kinds, objects, marks, bounds, items, np.cumsum(counts)
    ):
        return None
    links = Links(view, walk)
    links.n_linked, links.last_array = len(entries), (int(array), int(used))
    if any(check_counts(view, walk, links, entries[[0, -1]].tolist() if len(entries) else ())):
        return None
    if header.sealed or walk.counts[layout.TAG]:
        seal_key = VerificationKey.parse(str(context["key"])) if "key" in context else None
        walk.map_objects(offsets, kinds[:-1])
        if any(Seals(view, walk, seal_key).check()):
            return None
    names = [
        data[starts[number] : ends[number]].tobytes()
        for number in np.flatnonzero(kinds == layout.FIELD).tolist()
    ]
    contents = Contents(
        header.seqnum_id.hex(), append_offset(walk), data, words, starts, ends, name_ends, are_text,
        field_of, names, entries, sizes[is_entry], items, bounds, totals,
        np.zeros(len(entries), np.int32),
    )  # fmt: skip
    return None if _has_contradictions(contents, kinds[:-1]) else contents  # SDJ-107


def _has_padding(data: NDArray[np.uint8], ends: Numbers) -> bool:
    """Return whether any padding after an object is not zero and so may be an item (SDJ-104)."""
    starts = ends[(ends & 4 != 0) & (ends + 4 <= len(data))]
    return bool(data[starts[:, None] + np.arange(4)].any())


def _has_contradictions(file: Contents, kinds: NDArray[np.uint8]) -> bool:
    """Return whether a ``_BOOT_ID`` field contradicts the boot id of an ENTRY with this field."""
    is_id = np.zeros(len(kinds), np.bool_)
    boots = np.zeros((len(kinds), 16), np.uint8)
    is_possible = file.ends - file.starts == len(BOOT_ID) + 32
    for number in np.flatnonzero(is_possible & (kinds == layout.DATA)).tolist():
        if match := BOOT_FIELD.fullmatch(file.payload(number)):
            is_id[number] = True
            boots[number] = np.frombuffer(bytes.fromhex(match[1].decode()), np.uint8)
    places = np.flatnonzero(is_id[file.items])
    entries = file.entries[np.searchsorted(file.bounds, places, side="right") - 1]
    stored = file.data[(entries + 40)[:, None] + np.arange(16)]
    return bool((stored != boots[file.items[places]]).any())


def _decompressed(
    data: NDArray[np.uint8], view: View, offsets: Numbers, ends: Numbers, numbers: Numbers
) -> Sequence[bytes] | None:
    """Return the payloads of compressed DATA, or None if any is invalid or too large (SDJ-103)."""
    spent, max_field = 0, view.max_field
    plain: list[bytes] = []
    for number in numbers.tolist():
        at = int(offsets[number])
        flag = int(data[at + 1]) & layout.OBJECT_COMPRESSED
        stored = data[at + view.header.data_fixed : ends[number]].tobytes()
        limit = min(max_field, budget(at, max_field) - spent, MAX_PLAIN_BYTES - spent)
        try:
            plain.append(decompress(stored, flag, max(0, limit)))
        except BadCompression:
            return None
        spent += len(plain[-1])
        if not view.header.incompatible_flags & layout.HEADER_FLAG_OF[flag]:
            return None  # SDJ-027
    return plain
