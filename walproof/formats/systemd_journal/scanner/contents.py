"""Represent the entries that a reader returns for a file, and their fields, as arrays."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.reader import Examination
from walproof.formats.systemd_journal.scanner import kernel
from walproof.formats.systemd_journal.scanner.kernel import Shape
from walproof.scanners import arrays

Numbers = NDArray[np.int64]

#: Maximum total size in bytes of a file's decompressed fields, because they are held in memory.
MAX_PLAIN_BYTES = 1 << 30


@dataclass(frozen=True)
class Contents:
    """The entries of a file, and its fields. Both are in file order, and fields are numbered."""

    seqnum_id: str
    #: The offset at which a writer may continue, or None (SDJ-055).
    end: int | None
    #: The bytes of the file, followed by the decompressed payloads.
    data: NDArray[np.uint8]
    #: The bytes of the file as 64-bit numbers, without the decompressed payloads.
    words: NDArray[np.uint64]
    #: For each field, the offset in ``data`` at which its payload begins.
    starts: Numbers
    #: For each field, the offset in ``data`` at which its payload ends.
    ends: Numbers
    #: For each field, the offset in ``data`` at which its name ends.
    name_ends: Numbers
    #: For each field, whether the export format writes its payload as a single line.
    are_text: NDArray[np.bool_]
    #: For each field, the number of its name in ``names``. A name may occur there more than once.
    name_of: NDArray[np.int32]
    names: Sequence[bytes]
    entries: Numbers
    #: The size of each entry in the file.
    sizes: Numbers
    #: The numbers of all entries' fields. The fields of entry ``n`` are ``items[bounds[n]:bounds[n
    #: + 1]]``.
    items: NDArray[np.int32]
    bounds: Numbers
    #: For each entry, the total payload size of all earlier entries. The last element is the total
    #: of all entries.
    totals: Numbers
    #: For each entry, the number of fields that it lacks (SDJ-043).
    missing: NDArray[np.int32]

    def payload(self, number: int) -> bytes:
        """Return the payload of a field by its number."""
        return self.data[self.starts[number] : self.ends[number]].tobytes()


def read_only(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Mark an array as read-only, because kernels are compiled for such arrays. Return it."""
    data.flags.writeable = False
    return data


def surviving(raw: mmap.mmap | bytes, examination: Examination) -> Contents | None:
    """Return the entries and fields that the executable specification found in a file.

    If the decompressed fields exceed :data:`MAX_PLAIN_BYTES`, the result is None.
    """
    inspection, size = examination.inspection, len(raw)
    assert inspection is not None
    view, given = inspection.view, inspection.links.given
    data = read_only(np.frombuffer(raw, np.uint8))
    words = data[: size // 8 * 8].view(np.uint64)
    places = np.flatnonzero(np.frombuffer(inspection.walk.kinds, np.uint8) == layout.DATA)
    objects = np.full(size // 8 + 1, len(places), np.int32)
    objects[places] = np.arange(len(places))
    starts = places * 8 + view.header.data_fixed
    ends = places * 8 + words[places + 1].astype(np.int64)
    for at, true_size in view.true_sizes.items():  # SDJ-104
        if objects[at >> 3] < len(places):
            ends[objects[at >> 3]] = at + true_size
    packed = np.flatnonzero(data[places * 8 + 1] & layout.OBJECT_COMPRESSED)
    if len(packed):
        offsets = (places[packed] * 8).tolist()
        lengths = np.array([view.payload_size(at) for at in offsets], np.int64)
        if lengths.sum() > MAX_PLAIN_BYTES:
            return None
        ends[packed] = size + np.cumsum(lengths)
        starts[packed] = ends[packed] - lengths
        plain = b"".join(view.payload(at) for at in offsets)
        data = read_only(np.concatenate([data, np.frombuffer(plain, np.uint8)]))
    name_ends, are_text = np.empty_like(starts), np.empty(len(starts), np.bool_)
    kernel.split_fields(data, starts, ends, name_ends, are_text)
    names = _slices(data, starts, name_ends).dictionary_encode()
    entries = np.array(examination.entries, np.int64)
    n_items = [view.n_items(at) for at in examination.entries]
    counts = np.array(list(map(given.get, examination.entries, n_items)), np.int64)
    items = np.empty(counts.sum(), np.int32)
    bounds, totals = np.empty(len(entries) + 1, np.int64), np.empty(len(entries) + 1, np.int64)
    kernel.list_items(
        data, Shape.of(size, view.header), entries, counts, objects, ends - starts, items, bounds,
        totals,
    )  # fmt: skip
    return Contents(
        view.header.seqnum_id.hex(), examination.end.end, data, words, starts, ends, name_ends,
        are_text, names.indices.to_numpy(), names.dictionary.to_pylist(), entries,
        np.array([view.object_size(at) for at in examination.entries], np.int64),
        items[: bounds[-1]], bounds, totals, (n_items - np.diff(bounds)).astype(np.int32),
    )  # fmt: skip


def _slices(data: NDArray[np.uint8], starts: Numbers, ends: Numbers) -> pa.Array:
    """Return the ranges of ``data`` as an array of bytes."""
    bounds = np.zeros(len(starts) + 1, np.int32)
    np.cumsum(ends - starts, out=bounds[1:])
    text = np.empty(bounds[-1], np.uint8)
    kernel.copy_slices(data, starts, bounds, text)
    return arrays.binary(bounds, text, pa.binary())
