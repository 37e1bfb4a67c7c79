"""Read a journal file's objects without trusting their content (SDJ-010 to SDJ-018)."""

from __future__ import annotations

import itertools
import mmap
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.compression import BadCompression, TooLarge, decompress
from reference_impl.systemd_journal.hashes import jenkins64, siphash24
from reference_impl.systemd_journal.layout import Header, align

# Default limit in bytes for the size of a decompressed field. ``max_field_size`` overrides the
# limit (SDJ-031).
MAX_FIELD_SIZE = 64 << 20

# Maximum number of faults that are listed separately. One more is listed for every 64 bytes of the
# file (SDJ-093).
KEPT_FAULTS = 1024

# Each compression flag has its own requirement for payloads. SDJ-026 covers several flags at once.
_COMPRESSION_RULES = {
    layout.OBJECT_XZ: "SDJ-028",
    layout.OBJECT_LZ4: "SDJ-029",
    layout.OBJECT_ZSTD: "SDJ-030",
}

FIELD_NAME = re.compile(rb"[A-Z_][A-Z0-9_]{0,63}")  # SDJ-086


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault at ``[start, end)``."""

    start: int
    end: int
    reason: str
    #: A requirement id.
    rule: str
    #: A description of the fault.
    text: str
    #: If the fault is an invalid link, the offset to which it leads.
    target: int = 0
    #: The invalid bytes refer to objects up to this offset. If a crash kept the last of them from
    #: being written, the crash also caused the fault.
    newest: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """The fixed part of an ENTRY object."""

    seqnum: int
    realtime: int
    monotonic: int
    boot_id: bytes
    xor_hash: int


def budget(at: int, max_field: int) -> int:
    """Return how many bytes may be decompressed up to and including a DATA object (SDJ-103)."""
    # The budget must not depend on the file size, or truncating a file at its `end` could change
    # the result.
    return 64 * at + 4 * max_field


def hash_of(payload: bytes, header: Header, is_keyed: bool) -> int:
    """Return the keyed or unkeyed hash of a payload (SDJ-021, SDJ-022)."""
    return siphash24(payload, header.file_id) if is_keyed else jenkins64(payload)


#: Functions of this type can replace :func:`hash_of`.
HashFunction = Callable[[bytes, Header, bool], int]


def is_field_payload(payload: bytes) -> bool:
    """Return whether a payload has a field's form, ``NAME=value`` (SDJ-045)."""
    name, equals, _ = payload.partition(b"=")
    return bool(equals) and FIELD_NAME.fullmatch(name) is not None


def _numbers(layout_of_one: str, body: bytes) -> Iterator[int]:
    return itertools.chain.from_iterable(struct.iter_unpack(layout_of_one, body))


class Faults:
    """Collects a file's faults in the order of detection, up to a limit (SDJ-093)."""

    def __init__(self, size: int) -> None:
        self._most = KEPT_FAULTS + size // 64
        self._separate: list[Fault] = []
        self._rest: tuple[int, int] | None = None

    def add(self, faults: Iterable[Fault]) -> None:
        """Add faults, and merge those beyond the limit into one."""
        for fault in faults:
            if len(self._separate) < self._most:
                self._separate.append(fault)
                continue
            low, high = self._rest or (fault.start, fault.end)
            self._rest = min(low, fault.start), max(high, fault.end)

    def __iter__(self) -> Iterator[Fault]:
        """Iterate over the faults up to the limit."""
        return iter(self._separate)

    def all(self) -> list[Fault]:
        """Return the faults, including one for all those beyond the limit."""
        if self._rest is None:
            return self._separate
        text = f"more than {self._most} faults: all others together"
        return [*self._separate, Fault(*self._rest, "too-large", "SDJ-093", text)]


class View:
    """A journal file in memory, with its header and access to its objects."""

    def __init__(
        self,
        data: mmap.mmap | bytes,
        header: Header,
        max_field: int = MAX_FIELD_SIZE,
        hash_function: HashFunction = hash_of,
    ) -> None:
        self.data = data
        self.hash_function = hash_function
        self.size = len(data)
        self.header = header
        self.max_field = max_field
        # Two counters limit the work: hashed bytes because objects may overlap (SDJ-102), and
        # decompressed bytes because of compression bombs (SDJ-103).
        self._to_hash = 4 * self.size + (1 << 20)
        self._decompressed = 0
        self._plain_sizes: dict[int, int] = {}
        # The compressed payloads that are no longer than their objects. The limits of SDJ-092 count
        # decompressed bytes, so reading such an object for each item might cost far more.
        self._short_payloads: dict[int, bytes] = {}
        #: The keys are the offsets of objects with a wrong size field. The values are their true
        #: sizes (SDJ-104).
        self.true_sizes: dict[int, int] = {}

    @property
    def hashed_too_much(self) -> bool:
        """Return whether the budget for hashing is used up (SDJ-102)."""
        return self._to_hash < 0

    def frame(self, at: int) -> tuple[int, int, int] | str:
        """Return an object's type, flags and size, or its fault as a text (SDJ-010, SDJ-011)."""
        if at < self.header.header_size:
            return "an offset before the first object"
        return self._frame(at)

    def _frame(self, at: int) -> tuple[int, int, int] | str:
        if at & 7:
            return "an offset that is not a multiple of 8"
        if at + layout.OBJECT_SIZE > self.size:
            return "an offset outside the file"
        object_type, flags, size = layout.OBJECT_HEADER.unpack_from(self.data, at)
        size = self.true_sizes.get(at, size)
        if not layout.DATA <= object_type <= layout.TAG:
            return f"object type {object_type}"
        if at + size > self.size:
            return f"an object of {size} bytes, which ends past the end of the file"
        if (wrong := self._wrong_size(object_type, size)) is not None:
            return wrong
        return object_type, flags, size

    def framed_type(self, at: int) -> int:
        """Return the type of the object at an offset if its frame is valid, otherwise 0."""
        framed = self.frame(at)
        return layout.UNUSED if isinstance(framed, str) else framed[0]

    def in_the_header(self) -> int | None:
        """Return the offset of the first object if that is inside the header, or None (SDJ-004)."""
        header = self.header
        named = [(self.named_table(object_type), object_type) for object_type in layout.TABLES]
        named.append((header.entry_array_offset, layout.ENTRY_ARRAY))
        for at, object_type in sorted(named):
            if layout.HEADER_MIN <= at < header.header_size and self._frame(at)[0] == object_type:
                return min(at, layout.HEADER_FULL)  # No release has a longer header.
        return None

    def _wrong_size(self, object_type: int, size: int) -> str | None:
        fixed = (
            self.header.data_fixed if object_type == layout.DATA else layout.FIXED_SIZE[object_type]
        )
        unit = 1
        if object_type == layout.ENTRY:
            unit = self.header.item_size
        elif object_type == layout.ENTRY_ARRAY:
            unit = self.header.slot_size
        elif object_type in (layout.DATA_HASH_TABLE, layout.FIELD_HASH_TABLE):
            unit = 16
        good = size == fixed if object_type == layout.TAG else size >= fixed + unit
        if good and (size - fixed) % unit == 0:
            return None
        return f"a {layout.TYPE_NAMES[object_type]} of {size} bytes"

    def object_size(self, at: int) -> int:
        """Return an object's true size (SDJ-010, SDJ-104)."""
        return self.true_sizes.get(at) or self.number(at + 8)

    def number(self, at: int) -> int:
        """Return the eight bytes at an offset as a number."""
        return int.from_bytes(self.data[at : at + 8], "little")

    def entry(self, at: int) -> Entry:
        """Parse the fixed part of the ENTRY at an offset."""
        return Entry(*layout.ENTRY_FIXED.unpack_from(self.data, at + 16))

    def n_items(self, at: int) -> int:
        """Return the number of items in an ENTRY."""
        return (self.object_size(at) - layout.FIXED_SIZE[layout.ENTRY]) // self.header.item_size

    def items(self, at: int) -> Iterator[int]:
        """Return the DATA offsets in an ENTRY, in stored order (SDJ-015)."""
        body = self.data[at + 64 : at + self.object_size(at)]
        return _numbers("<I" if self.header.compact else "<Q8x", body)

    def item_hashes(self, at: int) -> Iterator[tuple[int, int]]:
        """Yield the DATA offsets and hashes in an ENTRY of a regular file (SDJ-015)."""
        yield from struct.iter_unpack("<QQ", self.data[at + 64 : at + self.object_size(at)])

    def slots(self, at: int) -> Iterator[int]:
        """Return all slots of an ENTRY_ARRAY, used and unused (SDJ-017)."""
        body = self.data[at + 24 : at + self.object_size(at)]
        return _numbers("<I" if self.header.compact else "<Q", body)

    def buckets(self, offset: int, size: int) -> Iterator[tuple[int, int]]:
        """Yield the offsets of the first and last object in each bucket of a table (SDJ-016)."""
        yield from struct.iter_unpack("<QQ", self.data[offset : offset + size // 16 * 16])

    def payload(self, at: int) -> bytes:
        """Return the ``FIELD=value`` that a valid DATA object holds."""
        if (payload := self._short_payloads.get(at)) is None:
            payload = self._read_payload(at, self.max_field)
            is_compressed = self.data[at + 1] & layout.OBJECT_COMPRESSED
            if is_compressed and len(payload) <= self.object_size(at):
                self._short_payloads[at] = payload
        return payload

    def payload_size(self, at: int) -> int:
        """Return the length of the ``FIELD=value`` that a valid DATA object holds, in bytes."""
        return self._plain_sizes.get(at, self.object_size(at) - self.header.data_fixed)

    def _read_payload(self, at: int, limit: int) -> bytes:
        flags, size = self.data[at + 1], self.object_size(at)
        stored = self.data[at + self.header.data_fixed : at + size]
        compression = flags & layout.OBJECT_COMPRESSED
        if not compression:
            return stored
        return decompress(stored, compression, limit)

    def hash(self, payload: bytes) -> int:
        """Hash a payload with the file's hash function (SDJ-021 to SDJ-023)."""
        return self.hash_function(payload, self.header, self.header.keyed)

    def content_fault(self, at: int, object_type: int, flags: int, size: int) -> Fault | None:
        """Return the fault in the content of an object with a valid frame, or None."""
        end = at + align(size)
        if object_type in (layout.DATA, layout.FIELD):
            self._to_hash -= size
            if self._to_hash < 0:
                return Fault(at, end, "bad-object", "SDJ-102", "too many overlapping objects")
        if object_type == layout.DATA:
            return self._data_fault(at, end, flags)
        if object_type == layout.FIELD:
            name = self.data[at + 40 : at + size]
            if self.number(at + 16) != self.hash(name):
                return Fault(at, end, "hash-mismatch", "SDJ-044", "a FIELD with an invalid hash")
        elif object_type == layout.ENTRY:
            entry = self.entry(at)
            if not entry.seqnum:
                return Fault(at, end, "bad-entry", "SDJ-015", "an ENTRY with sequence number 0")
            if not 0 < entry.realtime < layout.TIME_LIMIT or entry.monotonic >= layout.TIME_LIMIT:
                return Fault(at, end, "bad-entry", "SDJ-015", "an ENTRY with an impossible time")
            if not any(entry.boot_id):
                return Fault(at, end, "bad-entry", "SDJ-015", "an ENTRY without a boot id")
        elif object_type in (layout.DATA_HASH_TABLE, layout.FIELD_HASH_TABLE):
            named = self.named_table(object_type)
            if at != named and self.framed_type(named) == object_type:
                text = f"a second {layout.TYPE_NAMES[object_type]}"
                return Fault(at, end, "bad-object", "SDJ-016", text)
        return None

    def named_table(self, object_type: int) -> int:
        """Return the offset of a hash table as the header states it, unchecked (SDJ-016)."""
        if object_type == layout.DATA_HASH_TABLE:
            return self.header.data_hash_table_offset - layout.OBJECT_SIZE
        return self.header.field_hash_table_offset - layout.OBJECT_SIZE

    def named_table_size(self, object_type: int) -> int:
        """Return the total size of the buckets as the header states it, unchecked (SDJ-016)."""
        if object_type == layout.DATA_HASH_TABLE:
            return self.header.data_hash_table_size
        return self.header.field_hash_table_size

    def _data_fault(self, at: int, end: int, flags: int) -> Fault | None:
        compression = flags & layout.OBJECT_COMPRESSED
        try:
            # If a later DATA was checked first, part of the budget may already be spent.
            spent = self._decompressed
            left = max(spent, budget(at, self.max_field)) - spent
            limit = min(self.max_field, left)
            payload = self._read_payload(at, limit)
            if compression:
                self._decompressed += len(payload)
                self._plain_sizes[at] = len(payload)
        except TooLarge as error:
            self._decompressed += error.spent
            rule = "SDJ-103" if limit < self.max_field else "SDJ-031"
            return Fault(at, end, "too-large", rule, str(error))
        except BadCompression as error:
            self._decompressed += error.spent
            rule = _COMPRESSION_RULES.get(compression, "SDJ-026")
            return Fault(at, end, "bad-compression", rule, str(error))
        if self.number(at + 16) != self.hash(payload):
            return Fault(at, end, "hash-mismatch", "SDJ-044", "a DATA with an invalid hash")
        if not is_field_payload(payload):
            return Fault(at, end, "bad-field", "SDJ-045", "a DATA that is not FIELD=value")
        if compression and not (
            self.header.incompatible_flags & layout.HEADER_FLAG_OF[compression]
        ):
            # The payload is valid (SDJ-027). Only the file header lacks a flag.
            return Fault(at, at, "bad-header", "SDJ-027", "compression without its header flag")
        return None

    def chain(self, first: int) -> Iterator[int]:
        """Yield the offsets of chained entry arrays, up to the first invalid link."""
        at = first
        while self.framed_type(at) == layout.ENTRY_ARRAY:
            yield at
            following = self.number(at + 16)
            if following < at + self.object_size(at):  # A link backwards could form a loop.
                return
            at = following
