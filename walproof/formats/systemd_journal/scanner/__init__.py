"""The bulk scanner for systemd journals; ``reference_impl.systemd_journal`` is authoritative.

A log is not split, because an entry may refer to fields anywhere in the file. Compiled kernels
check intact files. The executable specification checks all other files, using compiled hash
functions. Memory use for an intact file is 1.5 times its size, plus the decompressed fields, about
80 bytes for each object, and 8 for each item.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import End, NewRecord
from reference_impl.systemd_journal import writer
from reference_impl.systemd_journal.export_format import BOOT_ID
from reference_impl.systemd_journal.layout import Header
from reference_impl.systemd_journal.loading import load
from reference_impl.systemd_journal.reader import events_of, examine
from walproof.formats.systemd_journal.scanner import kernel
from walproof.formats.systemd_journal.scanner.contents import Contents, Numbers, surviving
from walproof.formats.systemd_journal.scanner.intact import check_file
from walproof.scanners import arrays
from walproof.scanners.kernels import hexadecimal
from walproof.scanners.model import PIECE_ROWS, WHOLE, Event, Part, ReadableLog, Records, Wanted
from walproof.scanners.reference import ReferenceScanner

FORMAT = "systemd-journal"
#: Target size in bytes of all payloads in a run. Columns of this size stay in the CPU cache between
#: kernels, and the next run reuses their memory.
_RUN_BYTES = 1 << 20
#: Maximum total size in bytes of an entry's fields, including repeated ones.
LIMIT = 1 << 30
#: For each number in an ENTRY, its offset in words of eight bytes.
_NUMBERS = {"seqnum": 2, "realtime": 3, "monotonic": 4}


def plan(log: ReadableLog, target_bytes: int) -> Sequence[Part]:
    """Return one part."""
    return [WHOLE]


def scan(log: ReadableLog, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of a log. Raises ``OSError``."""
    raw = load(log.readable)
    intact = check_file(raw, log.context)
    if intact is not None:
        yield from _EntryColumns(intact, wanted).runs()
        yield End("intact", None, intact.end)
        return
    examination = examine(raw, "recover", log.context, hash_of)
    contents = None if examination.inspection is None else surviving(raw, examination)
    if contents is None:
        yield from ReferenceScanner(FORMAT).in_runs(events_of(examination), wanted)
        return
    yield from _EntryColumns(contents, wanted).runs()
    yield from examination.lost
    yield examination.end


def write_records(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Write a file like :func:`reference_impl.systemd_journal.write`, with compiled hashing."""
    writer.write(path, records, context, hash_of)


def hash_of(payload: bytes, header: Header, is_keyed: bool) -> int:
    """Return the same as :func:`reference_impl.systemd_journal.objects.hash_of`."""
    key = np.frombuffer(header.file_id, np.uint64)
    return int(kernel.hash_bytes(np.frombuffer(payload, np.uint8), is_keyed, key))


class _EntryColumns:
    def __init__(self, file: Contents, wanted: Wanted) -> None:
        self.file, self.wanted = file, wanted
        self.most = min(wanted.max_payload, LIMIT)
        self.has_fields = wanted.payload or wanted.wants("fields")
        self.totals = file.totals if self.has_fields else np.zeros_like(file.totals)
        if not self.has_fields or not len(file.entries):
            return
        # Names may be repeated, because several FIELD objects may have the same name. If a FIELD
        # has no DATA, its name may be invalid.
        of_fields = [name + b"=" for name in file.names]
        names = {name: number for number, name in enumerate(dict.fromkeys(of_fields))}
        self.names = pa.array([name[:-1].decode("ascii", "replace") for name in names], pa.string())
        self.name_ids = np.array([names[each] for each in of_fields], np.int32)[file.name_of]
        # Fields are sorted by name, and fields with the same name in one entry by value.
        numbers = np.flatnonzero(
            kernel.mark_repeated(self.name_ids, len(names), file.items, file.bounds)
        )
        repeated = [file.payload(number) for number in numbers.tolist()]
        ranks = {
            payload: -1 if payload.startswith(BOOT_ID) else rank
            for rank, payload in enumerate(sorted({*names, *repeated}))
        }
        self.n_ranks = len(ranks)
        self.ranks = np.array([ranks[each] for each in names], np.int32)[self.name_ids]
        self.ranks[numbers] = [ranks[each] for each in repeated]

    def runs(self) -> Iterator[Records]:
        start, totals = 0, self.totals
        while start < len(self.file.entries):
            full = int(np.searchsorted(totals, totals[start] + _RUN_BYTES))
            stop = min(max(start + 1, full), start + PIECE_ROWS, len(self.file.entries))
            yield self._run(start, stop)
            start = stop

    def _run(self, start: int, stop: int) -> Records:
        file, wanted = self.file, self.wanted
        at = file.entries[start:stop]
        columns = {
            name: arrays.numbers(file.words[(at >> 3) + place])
            for name, place in _NUMBERS.items()
            if wanted.wants(name)
        }
        boot_ids = hexadecimal(file.words[(at >> 3)[:, None] + np.array([5, 6])])
        if wanted.wants("boot_id"):
            columns["boot_id"] = boot_ids
        if wanted.wants("cursor"):
            source = np.frombuffer(f"s={file.seqnum_id}".encode(), np.uint8)
            digits = np.frombuffer(boot_ids.buffers()[2], np.uint8)
            text, ends = arrays.pooled(kernel.MAX_CURSOR_BYTES * len(at)), _ends(len(at))
            kernel.write_cursors(file.words, at, source, digits, text, ends)
            columns["cursor"] = arrays.binary(ends, text[: ends[-1]], pa.string())
        payload, is_cut = None, np.diff(self.totals[start : stop + 1]) > LIMIT
        if self.has_fields:
            items, bounds = self._items(start, stop, is_cut)
            total = int(np.diff(self.totals[start : stop + 1])[~is_cut].sum())
            if wanted.wants("fields"):
                columns["fields"], are_cut = self._fields(items, bounds, total, is_cut)
                is_cut = is_cut | are_cut
            if wanted.payload:
                payload, are_cut = self._bodies(items, bounds, total)
                is_cut = is_cut | are_cut
        if wanted.wants("missing"):
            missing = file.missing[start:stop]
            columns["missing"] = pa.array(missing, mask=missing == 0)
        return Records(
            at, file.sizes[start:stop], payload, columns, None, is_cut if is_cut.any() else None
        )

    def _items(
        self, start: int, stop: int, is_huge: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int32], Numbers]:
        """Return the items of a run and the bounds of each entry. Huge entries get no items."""
        bounds = self.file.bounds[start : stop + 1]
        items, counts = self.file.items[bounds[0] : bounds[-1]], np.diff(bounds)
        return items[~np.repeat(is_huge, counts)], _sums(np.where(is_huge, 0, counts))

    def _fields(
        self, items: NDArray[np.int32], bounds: Numbers, total: int, is_huge: NDArray[np.bool_]
    ) -> tuple[pa.Array, NDArray[np.bool_]]:
        file, ends = self.file, _ends(len(items))
        text = arrays.pooled(min(total, self.most * len(items)))
        are_cut = kernel.write_values(
            file.data, file.name_ends, file.ends, items, bounds, self.most, text, ends
        )
        values = arrays.binary(ends, text[: ends[-1]], pa.binary())
        names = self.names.take(pa.array(self.name_ids[items]))
        pairs = pa.StructArray.from_arrays([names, values], names=["name", "value"])
        mask = pa.array(is_huge) if is_huge.any() else None
        fields = pa.ListArray.from_arrays(pa.array(bounds, pa.int32()), pairs, mask=mask)
        return fields, are_cut

    def _bodies(
        self, items: NDArray[np.int32], bounds: Numbers, total: int
    ) -> tuple[pa.Array, NDArray[np.bool_]]:
        """Return the body of each entry, and which bodies are cut.

        A body contains each distinct field except ``_BOOT_ID``.
        """
        file, ends = self.file, _ends(len(bounds) - 1)
        text = arrays.pooled(min(total + 9 * len(items), self.most * (len(bounds) - 1)))
        ranks, n_ranks = self.ranks[items], self.n_ranks
        # Do not count all ranks in each run, because the sort would become quadratic.
        if n_ranks > 4 * len(items):
            values, inverse = np.unique(ranks, return_inverse=True)
            n_ranks = len(values)
            ranks = (inverse - np.count_nonzero(values < 0)).astype(np.int32)
        in_order, lasts = kernel.sort_fields(ranks, n_ranks, items, bounds)
        are_cut = kernel.write_bodies(
            file.data, file.starts, file.name_ends, file.ends, file.are_text, in_order,
            bounds[:-1], lasts, self.most, text, ends,
        )  # fmt: skip
        return arrays.binary(ends, text[: ends[-1]], pa.binary()), are_cut


def _ends(count: int) -> NDArray[np.int32]:
    return arrays.pooled(count + 1, np.int32)


def _sums(values: NDArray[Any]) -> Numbers:
    sums = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=sums[1:])
    return sums
