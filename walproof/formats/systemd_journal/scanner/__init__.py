"""The bulk scanner of systemd journals; ``reference_impl.systemd_journal`` is authoritative.

A log is one part, because an entry refers to fields anywhere in the file. All checks of the file
precede the first record. The reference reads other files and selections of entries.

Memory use is 1.5 times the file size, plus the decompressed fields and a run of records. Each
object takes about 80 more bytes, and each field of an entry takes 8. An entry whose fields exceed a
gibibyte is marked as truncated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import End
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.export_format import BOOT_ID
from reference_impl.systemd_journal.loading import load
from walproof.formats.systemd_journal.boot_ids import ID_PLACE
from walproof.formats.systemd_journal.columns import FIELDS
from walproof.formats.systemd_journal.scanner import kernel
from walproof.formats.systemd_journal.scanner.intact import Intact, Numbers, check_file
from walproof.scan import arrays
from walproof.scan.log import Log
from walproof.scan.model import PIECE_ROWS, WHOLE, Event, Part, Records, Wanted
from walproof.scan.reference import ReferenceScanner

FORMAT = "systemd-journal"
_SELECTIONS = frozenset({"match", "from_seqnum", "from_realtime"})
#: Bytes of stored payloads in a run. Columns of this size stay in the CPU cache between kernels,
#: and freed memory of a run is reused by the next one.
_RUN_BYTES = 1 << 20
#: Maximum bytes of the fields of an entry, repetitions included.
LIMIT = 1 << 30
_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)
#: The two digits of each byte.
_DIGIT_PAIRS: NDArray[np.uint8] = _DIGITS[np.arange(256)[:, None] >> np.array([4, 0]) & 15]
#: Offsets of numbers in an ENTRY, in words of eight bytes.
_NUMBERS = {"seqnum": 2, "realtime": 3, "monotonic": 4}
_XOR_HASH = 7


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Return one part."""
    return [WHOLE]


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of a log. Raises ``OSError``."""
    intact = None
    if not _SELECTIONS & log.context.keys():
        intact = check_file(load(log.local()), log.context)
    if intact is None:
        yield from ReferenceScanner(FORMAT).scan(log, wanted, part)
        return
    yield from _Columns(intact, wanted).runs()
    yield End("intact", None, intact.end)


class _Columns:
    """The entries of a file as columns, in runs."""

    def __init__(self, file: Intact, wanted: Wanted) -> None:
        self.file, self.wanted = file, wanted
        self.most = min(wanted.max_payload, LIMIT)
        # The name of each object by its number in ``names``, and its rank by bytes of ``NAME=``.
        self.name_ids = np.zeros(len(file.offsets), np.int32)
        data = file.of_kind(layout.DATA)
        # A large file may have more than 2 GiB of names, repetitions included.
        names = _binary(file.data, file.starts[data], file.name_ends[data], pa.large_string())
        encoded = names.dictionary_encode()
        self.names = encoded.dictionary.cast(pa.string())
        self.name_ids[data] = encoded.indices
        in_order = [f"{name}=" for name in self.names.to_pylist()]
        self.ranks = np.empty(len(in_order), np.int64)
        self.ranks[sorted(range(len(in_order)), key=in_order.__getitem__)] = np.arange(
            len(in_order)
        )
        boot_id = BOOT_ID.decode()
        self.boot_id = in_order.index(boot_id) if boot_id in in_order else -1

    def runs(self) -> Iterator[Records]:
        """Yield the entries."""
        file, start = self.file, 0
        has_fields = self.wanted.payload or self.wanted.wants("fields")
        # The bytes of the fields of all entries before.
        totals = np.zeros(len(file.entries) + 1, np.int64)
        if has_fields:
            sizes = np.zeros(len(file.items) + 1, np.int64)
            np.cumsum((file.ends - file.starts)[file.items], out=sizes[1:])
            totals = sizes[file.bounds]
        while start < len(file.entries):
            full = int(np.searchsorted(totals, totals[start] + _RUN_BYTES))
            stop = min(max(start + 1, full), start + PIECE_ROWS, len(file.entries))
            if not has_fields:
                stop = min(start + PIECE_ROWS, len(file.entries))
            yield self._run(start, stop, np.diff(totals[start : stop + 1]) > LIMIT)
            start = stop

    def _run(self, start: int, stop: int, is_huge: NDArray[np.bool_]) -> Records:
        file, wanted = self.file, self.wanted
        at = file.entries[start:stop]
        words = {name: file.words[(at >> 3) + place] for name, place in _NUMBERS.items()}
        columns = {name: arrays.numbers(words[name]) for name in words if wanted.wants(name)}
        if wanted.wants("boot_id") or wanted.wants("cursor"):
            boots = _digits(file.data[(at + ID_PLACE)[:, None] + np.arange(16)])
            if wanted.wants("boot_id"):
                columns["boot_id"] = _text(boots)
            if wanted.wants("cursor"):
                source = _digits(np.frombuffer(file.header.seqnum_id, np.uint8))
                numbers = [*words.values(), file.words[(at >> 3) + _XOR_HASH]]
                seqnum, realtime, monotonic, xor_hash = map(_hexadecimal, numbers)
                columns["cursor"] = _text(  # SDJ-063
                    *(b"s=", source, b";i=", seqnum, b";b=", boots),
                    *(b";m=", monotonic, b";t=", realtime, b";x=", xor_hash),
                )
        payload, is_cut = None, is_huge
        if wanted.payload or wanted.wants("fields"):
            items = file.items[file.bounds[start] : file.bounds[stop]]
            counts = np.diff(file.bounds[start : stop + 1])
            if is_huge.any():
                items, counts = items[~np.repeat(is_huge, counts)], np.where(is_huge, 0, counts)
            if wanted.wants("fields"):
                columns["fields"], are_cut = self._fields(items, counts, is_huge)
                is_cut = is_cut | are_cut
            if wanted.payload:
                payload, are_cut = self._bodies(items, counts)
                is_cut = is_cut | are_cut
        if wanted.wants("missing"):
            columns["missing"] = arrays.repeated(None, pa.int32(), len(at))
        size = file.words[(at >> 3) + 1].astype(np.int64)
        return Records(at, size, payload, columns, None, is_cut if is_cut.any() else None)

    def _fields(
        self, items: NDArray[np.int32], counts: Numbers, is_huge: NDArray[np.bool_]
    ) -> tuple[pa.Array, NDArray[np.bool_]]:
        """Return the names and values of all fields, and mark the entries with a cut value."""
        file = self.file
        starts, ends = file.name_ends[items] + 1, file.ends[items]
        cut_ends = np.minimum(ends, starts + self.most)
        values = _binary(file.data, starts, cut_ends, pa.binary())
        names = self.names.take(pa.array(self.name_ids[items]))
        pairs = pa.StructArray.from_arrays([names, values], fields=list(FIELDS.type.value_type))
        mask = pa.array(is_huge) if is_huge.any() else None
        fields = pa.ListArray.from_arrays(pa.array(_sums(counts), pa.int32()), pairs, mask=mask)
        return fields, np.diff(_sums(cut_ends < ends)[_sums(counts)]) > 0

    def _bodies(
        self, items: NDArray[np.int32], counts: Numbers
    ) -> tuple[pa.Array, NDArray[np.bool_]]:
        """Return the distinct fields of each entry without ``_BOOT_ID``, and which are cut."""
        file = self.file
        rows = np.repeat(np.arange(len(counts)), counts)
        chosen = self.name_ids[items] != self.boot_id
        rows, items = rows[chosen], items[chosen]
        keys = rows * len(self.names) + self.ranks[self.name_ids[items]]
        order = np.argsort(keys)
        rows, items, keys = rows[order], items[order], keys[order]
        is_repeated = keys[1:] == keys[:-1]
        if is_repeated.any():  # fields with the same name are sorted by their values
            among = np.zeros(len(items), np.bool_)
            among[1:] |= is_repeated
            among[:-1] |= is_repeated
            numbers, number_of = np.unique(items[among], return_inverse=True)
            payloads = [file.data[file.starts[n] : file.ends[n]].tobytes() for n in numbers]
            ranks = {payload: rank for rank, payload in enumerate(sorted(set(payloads)))}
            values = np.zeros(len(items), np.int64)
            values[among] = np.array([ranks[each] for each in payloads])[number_of]
            order = np.lexsort((values, keys))
            keys, values = keys[order], values[order]
            is_new = np.ones(len(items), np.bool_)
            is_new[1:] = (keys[1:] != keys[:-1]) | (values[1:] != values[:-1])
            rows, items = rows[order][is_new], items[order][is_new]
        starts, ends, are_text = file.starts[items], file.ends[items], file.are_text[items]
        bounds = np.searchsorted(rows, np.arange(len(counts) + 1))
        sizes = np.diff(_sums(ends - starts + np.where(are_text, 1, 9))[bounds])
        ends_of_bodies = _sums(np.minimum(sizes, self.most))
        bodies = np.empty(ends_of_bodies[-1], np.uint8)
        kernel.write_bodies(
            file.data, starts, file.name_ends[items], ends, are_text, bounds, ends_of_bodies, bodies
        )
        bodies_array = arrays.binary(ends_of_bodies.astype(np.int32), bodies, pa.binary())
        return bodies_array, sizes > self.most


def _digits(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the hexadecimal digits of each row of bytes."""
    return _DIGIT_PAIRS[data].reshape(*data.shape[:-1], -1)


def _hexadecimal(numbers: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return the digits of each number, with 0 for leading zeros."""
    digits = _digits(numbers.astype(">u8").view(np.uint8).reshape(-1, 8))
    is_shown = np.logical_or.accumulate(digits != _DIGITS[0], axis=1)
    is_shown[:, -1] = True
    digits[~is_shown] = 0
    return digits


def _text(*parts: bytes | NDArray[np.uint8]) -> pa.Array:
    """Return the parts of each row without zeros, as text. A part may be equal in all rows."""
    of_parts = [
        np.frombuffer(each, np.uint8) if isinstance(each, bytes) else each for each in parts
    ]
    rows = max(len(each) for each in of_parts if each.ndim == 2)
    text = np.concatenate(
        [np.broadcast_to(each, (rows, each.shape[-1])) for each in of_parts], axis=1
    )
    is_shown = text != 0
    ends = _sums(is_shown.sum(axis=1)).astype(np.int32)
    return arrays.binary(ends, text[is_shown], pa.string())


def _sums(values: NDArray[Any]) -> Numbers:
    """Return the sum of the values before each value, and that of all values."""
    sums = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=sums[1:])
    return sums


def _binary(
    data: NDArray[np.uint8], starts: Numbers, ends: Numbers, type_: pa.DataType
) -> pa.Array:
    """Return copies of ranges of ``data``."""
    offsets = _sums(ends - starts)
    copied = np.empty(offsets[-1], np.uint8)
    kernel.copy_ranges(data, starts, ends, copied)
    if type_ != pa.large_string():
        offsets = offsets.astype(np.int32)
    return arrays.binary(offsets, copied, type_)
