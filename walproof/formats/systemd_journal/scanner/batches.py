"""Build runs of records, as Arrow arrays, from an inspected file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from walproof.formats.systemd_journal.columns import FIELDS
from walproof.formats.systemd_journal.scanner import constants, entry_kernels
from walproof.formats.systemd_journal.scanner.inspection import Inspection
from walproof.scan import arrays
from walproof.scan.model import PIECE_ROWS, Records, Wanted

Numbers = NDArray[np.int64]

#: Bytes of stored payloads in a run. Columns of this size stay in the CPU cache between kernels,
#: and freed memory of a run is reused by the next one.
_RUN_BYTES = 1 << 20


def runs(inspection: Inspection, numbers: Numbers, wanted: Wanted) -> Iterator[Records]:
    """Yield the entries with these numbers, in runs."""
    writer = _Writer(inspection, wanted)
    start = 0
    while start < len(numbers):
        run = writer.run(numbers, start)
        yield run
        start += len(run)


class _Writer:
    """State shared by all runs."""

    def __init__(self, inspection: Inspection, wanted: Wanted) -> None:
        self.objects, self.packed = inspection.objects, inspection.packed
        self.wanted = wanted
        self.most = min(wanted.max_payload, constants.LIMIT)
        self.fields = wanted.wants("fields")
        self.measured = wanted.payload or self.fields
        self.names = _names(inspection) if wanted.dictionaries and self.fields else None
        self.packed_data, self.lengths = inspection.packed_data, inspection.lengths
        self.given = inspection.given
        self.positions = np.full(len(self.packed_data), -1, np.int64)
        self.items = np.empty(1 << 16, np.int32)
        self.cached = np.zeros((constants.CACHED, 4), np.int64)
        self.before = 0
        if wanted.payload:
            self.boot, self.ranks = _ranks(inspection)
            self.stamps = np.full(len(self.objects.offsets), -1, np.int32)

    def run(self, numbers: Numbers, start: int) -> Records:
        """Build a run with as many records as fit."""
        wanted = self.wanted
        rows = min(PIECE_ROWS, len(numbers) - start)
        items: Any = None
        if self.measured or wanted.wants("missing"):
            bounds, missing = np.empty(rows + 1, np.int32), np.empty(rows, np.int32)
            huge, sizes = np.empty(rows, np.uint8), np.empty(rows, np.int64)
            while True:
                rows, total, in_names, lacks = entry_kernels.gather(
                    self.objects, numbers, self.given, start, rows, _RUN_BYTES,
                    self.packed_data, self.lengths, self.measured,
                    self.cached, self.items, bounds, missing, huge, sizes,
                )  # fmt: skip
                if lacks <= 0:
                    break
                self.items = np.empty(len(self.items) + lacks, np.int32)
                rows = min(PIECE_ROWS, len(numbers) - start)
            items, bounds = self.items[: bounds[rows]], bounds[: rows + 1]
        run_numbers = numbers[start : start + rows]
        at, size, seqnum, realtime, monotonic = (np.empty(rows, np.int64) for _ in range(5))
        entry_kernels.numbers(self.objects, run_numbers, at, size, seqnum, realtime, monotonic)
        columns: dict[str, pa.Array] = {
            name: arrays.numbers(values.view(np.uint64))
            for name, values in (
                ("seqnum", seqnum), ("realtime", realtime), ("monotonic", monotonic)
            )
            if wanted.wants(name)
        }  # fmt: skip
        if wanted.wants("boot_id"):
            text = np.empty(32 * rows, np.uint8)
            entry_kernels.boot_ids(self.objects, run_numbers, text)
            columns["boot_id"] = _binary(
                np.arange(0, 32 * rows + 1, 32, dtype=np.int32), text, True
            )
        if wanted.wants("cursor"):
            locations = np.empty(rows + 1, np.int32)
            text = np.empty(constants.CURSOR_WIDTH * rows, np.uint8)
            entry_kernels.cursors(self.objects, run_numbers, locations, text)
            columns["cursor"] = _binary(locations, text, True)
        payload, cut = None, np.zeros(rows, np.uint8)
        if self.measured:
            plain = self._plain(items)
            cut |= huge[:rows]
            if self.fields:
                columns["fields"] = self._fields(
                    items, bounds, huge[:rows], cut, total, in_names, plain
                )
            if wanted.payload:
                payload = self._bodies(items, bounds, sizes[:rows], cut, plain)
            self.positions.fill(-1)
        if wanted.wants("missing"):
            columns["missing"] = pa.array(missing[:rows], mask=missing[:rows] == 0)
        self.before += rows
        return Records(at, size, payload, columns, None, cut.view(np.bool_) if cut.any() else None)

    def _plain(self, items: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Return the decompressed payloads of a run, end to end, with ``positions`` as offsets."""
        if not len(self.positions):
            return _NOTHING
        if not entry_kernels.wanted_packed(self.objects, items, self.packed_data, self.positions):
            return _NOTHING
        chosen = np.flatnonzero(self.positions == 0)
        self.positions[chosen] = np.cumsum(self.lengths[chosen]) - self.lengths[chosen]
        plain = np.empty(int(self.lengths[chosen].sum()), np.uint8)
        for number in chosen.tolist():
            to = self.positions[number]
            payload = self.packed.plain(int(self.objects.offsets[self.packed_data[number]]))
            plain[to : to + len(payload)] = np.frombuffer(payload, np.uint8)
        return plain

    def _fields(
        self,
        items: NDArray[np.int32],
        bounds: NDArray[np.int32],
        huge: NDArray[np.uint8],
        cut: NDArray[np.uint8],
        total: int,
        in_names: int,
        plain: NDArray[np.uint8],
    ) -> pa.Array:
        names, values = (np.empty(len(items) + 1, np.int32) for _ in range(2))
        is_shared = self.names is not None
        name_bytes = np.empty(0 if is_shared else in_names, np.uint8)
        value_bytes = np.empty(total, np.uint8)
        entry_kernels.fields(
            self.objects, items, bounds, self.most, self.packed_data, self.lengths, self.positions,
            plain, names, name_bytes, values, value_bytes, cut,
        )  # fmt: skip
        if is_shared:
            kind, named = FIELDS.with_dictionaries, _from(self.names, names[:-1])
        else:
            kind, named = FIELDS.type, _binary(names, name_bytes, True)
        pairs = pa.StructArray.from_arrays(
            [named, _binary(values, value_bytes, False)], fields=list(kind.value_type)
        )
        if not huge.any():
            return pa.ListArray.from_arrays(pa.array(bounds), pairs)
        return pa.ListArray.from_arrays(pa.array(bounds), pairs, mask=pa.array(huge.view(np.bool_)))

    def _bodies(
        self,
        items: NDArray[np.int32],
        bounds: NDArray[np.int32],
        sizes: Numbers,
        cut: NDArray[np.uint8],
        plain: NDArray[np.uint8],
    ) -> pa.Array:
        # A field in export format is at most ten bytes longer than its stored form.
        counts = np.diff(bounds)
        room = np.minimum(sizes + 10 * counts, self.most).sum()
        keys, spare = np.empty((2, int(counts.max(initial=1))), np.int64)
        locations, text = np.empty(len(bounds), np.int32), np.empty(int(room), np.uint8)
        entry_kernels.bodies(
            self.objects, items, bounds, self.most, self.before, self.boot, self.ranks, self.stamps,
            self.packed_data, self.lengths, self.positions, plain, keys, spare, locations, text,
            cut,
        )  # fmt: skip
        return _binary(locations, text, False)


_NOTHING = np.empty(0, np.uint8)


def _binary(bounds: NDArray[np.int32], data: NDArray[np.uint8], is_text: bool) -> pa.Array:
    kind = pa.string() if is_text else pa.binary()
    buffers = [None, pa.py_buffer(bounds), pa.py_buffer(data[: bounds[-1]])]
    return pa.Array.from_buffers(kind, len(bounds) - 1, buffers)


def _from(dictionary: pa.Array, numbers: NDArray[np.int32]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(arrays.numbers(numbers), dictionary, safe=False)


def _names(inspection: Inspection) -> pa.Array | None:
    """Return the names of fields by number; None if a field has a name without a number."""
    objects = inspection.objects
    if (objects.name_ids[objects.of_kind(constants.DATA)] == constants.NO_NAME).any():
        return None
    count = int(objects.state[constants.NAMES])
    ends = np.zeros(count + 1, np.int32)
    np.cumsum(objects.lengths[:count], out=ends[1:])
    table = objects.names.reshape(-1, constants.NAME_WIDTH)[:count]
    is_of_name = np.arange(constants.NAME_WIDTH) < objects.lengths[:count, None]
    return _binary(ends, table[is_of_name], True)


def _ranks(inspection: Inspection) -> tuple[int, NDArray[np.uint16]]:
    """Return the number of the name ``_BOOT_ID``, and the rank of each name in sorted order."""
    objects = inspection.objects
    count = int(objects.state[constants.NAMES])
    names = [
        objects.names[n * constants.NAME_WIDTH :][: objects.lengths[n]].tobytes() + b"="
        for n in range(count)
    ]
    ranks = np.full(constants.NO_NAME + 1, constants.NO_NAME, np.uint16)
    ranks[sorted(range(count), key=names.__getitem__)] = np.arange(count)
    return names.index(b"_BOOT_ID=") if b"_BOOT_ID=" in names else -1, ranks
