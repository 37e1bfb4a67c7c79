"""Build journal files that equal systemd's byte for byte for the same ids (SDJ-080 to SDJ-088).

Upstream: systemd ``src/libsystemd/sd-journal/journal-file.c``.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reference_impl.answer import NewRecord
from reference_impl.systemd_journal import layout, sealing
from reference_impl.systemd_journal.compression import THRESHOLD, compress
from reference_impl.systemd_journal.export_format import (
    ABOUT,
    BOOT_ID,
    BadExport,
    parse_fields,
)
from reference_impl.systemd_journal.layout import Header, align
from reference_impl.systemd_journal.objects import (
    FIELD_NAME,
    MAX_FIELD_SIZE,
    HashFunction,
    budget,
    hash_of,
)
from reference_impl.systemd_journal.sealing import VerificationKey

COMPRESSIONS = {
    "none": (0, 0),
    "xz": (layout.XZ, layout.OBJECT_XZ),
    "lz4": (layout.LZ4, layout.OBJECT_LZ4),
    "zstd": (layout.ZSTD, layout.OBJECT_ZSTD),
}


# The largest sequence number of an entry. systemd never uses the next number (SDJ-088).
LAST_SEQNUM = (1 << 64) - 2

_NUMBER = struct.Struct("<Q")
_BOOT_ID = re.compile("[0-9a-fA-F]{32}")


class CannotWrite(ValueError):
    """Raised if a record must not be written or a file must not be appended to."""


@dataclass(frozen=True)
class Options:
    """The properties of a new file.

    Ids are 16 bytes long. The defaults are fixed, which makes files reproducible.
    """

    header_size: int = layout.HEADER_FULL
    compact: bool = True
    keyed: bool = True
    compression: str = "none"
    threshold: int = THRESHOLD
    max_field_size: int = MAX_FIELD_SIZE
    data_buckets: int = 2047
    field_buckets: int = 333
    key: VerificationKey | None = None
    continuous: bool = True
    state: int = layout.OFFLINE
    file_id: bytes = b"walproof-file-id"
    machine_id: bytes = b"walproof-machine"
    seqnum_id: bytes = b"walproof-file-id"
    # Number of bytes to preallocate after the last object.
    spare: int = 0
    # True if entries get the ``seqnum`` of their records, so that a copy has the same gaps as the
    # original.
    keeps_numbers: bool = False

    @classmethod
    def from_context(cls, context: Mapping[str, Any]) -> Options:
        """Return the options in a context, with ids in hexadecimal and the key as text.

        Raises :class:`CannotWrite` for an unknown compression.
        """
        known: dict[str, Any] = {
            name: context[name] for name in cls.__dataclass_fields__ if name in context
        }
        for name in ("file_id", "machine_id", "seqnum_id"):
            if name in known:
                known[name] = bytes.fromhex(known[name])
        if "key" in known:
            known["key"] = VerificationKey.parse(known["key"])
        if known.get("compression", "none") not in COMPRESSIONS:
            raise CannotWrite(f"unknown compression: {known['compression']!r}")
        return cls(**known)

    def check(self) -> None:
        """Raise :class:`CannotWrite` if readers would reject the file (SDJ-080)."""
        size = self.header_size
        if size < layout.HEADER_MIN or size % 8 or (self.key and size < 240):  # SDJ-004
            raise CannotWrite(f"invalid header size: {size} bytes")
        if not layout.OFFLINE <= self.state <= layout.ARCHIVED:  # SDJ-007
            raise CannotWrite(f"invalid state: {self.state}")
        if self.data_buckets < 1 or self.field_buckets < 1:  # SDJ-011
            raise CannotWrite("a hash table needs at least one bucket")
        if any(len(id) != 16 for id in (self.file_id, self.machine_id, self.seqnum_id)):
            raise CannotWrite("an id must be 16 bytes long")
        if self.spare < 0:
            raise CannotWrite(f"spare: expected at least 0, found {self.spare}")


@dataclass(slots=True)
class Chain:
    """The last array in a chain, its number of slots and used slots, and the chain's entries."""

    array: int = 0
    slots: int = 0
    used: int = 0
    total: int = 0


@dataclass
class Writer:
    """Builds a file in memory, which :meth:`finish` returns."""

    options: Options
    header: Header = field(default_factory=Header)
    out: bytearray = field(default_factory=bytearray)
    hash_function: HashFunction = hash_of

    def __post_init__(self) -> None:
        self.data_at: dict[bytes, int] = {}
        self.field_at: dict[bytes, int] = {}
        self.jenkins_of: dict[int, int] = {}
        # For each DATA or FIELD, the number of objects before it in its hash chain.
        self.depth_of: dict[int, int] = {}
        self.buckets: dict[tuple[int, int], list[int]] = {}
        self.chain = Chain()
        self.chains: dict[int, Chain] = {}
        self.epoch = 0
        self.sealed_from = 0
        self.allocated = 0  # The size of a reopened file, or 0 for a new one.
        self.to_decompress = 0  # The total size of the payloads that were compressed.
        if not self.out:
            self._create()

    def _create(self) -> None:
        """Write the header, the FIELD table, the DATA table and the first tag (SDJ-080)."""
        options = self.options
        options.check()
        compatible = 0
        if options.header_size >= layout.HEADER_FULL:
            compatible |= layout.TAIL_ENTRY_BOOT_ID
        if options.key:
            compatible |= layout.SEALED
            if options.continuous:
                compatible |= layout.SEALED_CONTINUOUS
        incompatible = COMPRESSIONS[options.compression][0]
        incompatible |= layout.KEYED_HASH if options.keyed else 0
        incompatible |= layout.COMPACT if options.compact else 0
        self.header = Header(
            compatible_flags=compatible,
            incompatible_flags=incompatible,
            file_id=options.file_id,
            machine_id=options.machine_id,
            seqnum_id=options.seqnum_id,
            header_size=options.header_size,
        )
        self.out = bytearray(options.header_size)
        size = options.field_buckets * 16
        at = self._object(layout.FIELD_HASH_TABLE, bytes(size))
        self.header.field_hash_table_offset, self.header.field_hash_table_size = at + 16, size
        size = options.data_buckets * 16
        at = self._object(layout.DATA_HASH_TABLE, bytes(size))
        self.header.data_hash_table_offset, self.header.data_hash_table_size = at + 16, size
        if options.key:
            self._tag()

    def append(
        self,
        payloads: Sequence[bytes],
        realtime: int,
        monotonic: int,
        boot_id: bytes,
    ) -> None:
        """Write an entry with ``FIELD=value`` payloads (SDJ-081). Times are in microseconds.

        Raises :class:`CannotWrite` if readers would reject the entry (SDJ-015, SDJ-086).
        """
        header = self.header
        if not 0 < realtime < layout.TIME_LIMIT or not 0 <= monotonic < layout.TIME_LIMIT:
            raise CannotWrite(f"time out of range: {realtime}, {monotonic}")
        if not any(boot_id) or not payloads:
            raise CannotWrite("an entry needs a boot id and a field")
        for payload in payloads:
            if payload in self.data_at:
                continue
            name, equals, _ = payload.partition(b"=")
            if not equals or not FIELD_NAME.fullmatch(name):
                raise CannotWrite(f"invalid field name: {name[:64]!r}")
        number = header.tail_entry_seqnum + 1  # SDJ-088
        if number > LAST_SEQNUM:
            raise CannotWrite("no sequence numbers left")
        if self.options.key:
            self._evolve(realtime)
        xor = 0
        items = []
        for payload in payloads:
            items.append(self._data(payload))
            # The hash includes repeated fields, which are dropped later (SDJ-020).
            xor ^= self._jenkins(payload, items[-1])
        items = sorted(set(items))  # SDJ-082
        body = layout.ENTRY_FIXED.pack(number, realtime, monotonic, boot_id, xor)
        if header.compact:
            body += struct.pack(f"<{len(items)}I", *items)
        else:
            body += b"".join(struct.pack("<QQ", item, self._get(item + 16)) for item in items)
        at = self._object(layout.ENTRY, body)
        header.tail_entry_seqnum = number
        if not header.n_entries:  # Without entries, these fields have no meaning.
            header.head_entry_seqnum, header.head_entry_realtime = number, realtime
        self._link(self.chain, at)
        header.entry_array_offset = header.entry_array_offset or self.chain.array
        header.n_entries += 1
        header.tail_entry_array_offset = self.chain.array & 0xFFFFFFFF
        header.tail_entry_array_n_entries = self.chain.used
        header.tail_entry_realtime, header.tail_entry_monotonic = realtime, monotonic
        header.tail_entry_boot_id = boot_id
        header.tail_entry_offset = at
        for item in items:
            self._link_data(item, at)

    def write(self, record: NewRecord) -> None:
        """Write a record as an entry, with ``_BOOT_ID`` as the first field.

        The payload must be in export format, and the record must have the fields ``realtime``,
        ``monotonic`` and ``boot_id``.
        """
        boot = str(record.fields["boot_id"])
        if not _BOOT_ID.fullmatch(boot):
            raise CannotWrite("boot_id: expected 32 hexadecimal digits")
        payloads = [BOOT_ID + boot.encode()]
        try:
            for payload in parse_fields(io.BytesIO(record.payload)):
                if payload is None or payload.startswith((ABOUT, BOOT_ID)):
                    raise CannotWrite("the payload has an empty line or an address field")
                payloads.append(payload)
        except BadExport as error:
            raise CannotWrite(str(error)) from None
        if self.options.keeps_numbers:
            self._keep_number(record)
        self.append(
            payloads,
            int(record.fields["realtime"]),
            int(record.fields["monotonic"]),
            bytes.fromhex(boot),
        )

    def _keep_number(self, record: NewRecord) -> None:
        """Give the next entry its record's sequence number, unless it is already in use."""
        before = int(record.fields["seqnum"]) - 1
        self.header.tail_entry_seqnum = max(self.header.tail_entry_seqnum, before)

    def finish(self) -> bytes:
        """Seal the last segment and return the whole file.

        The writer cannot be used after this call.
        """
        if self.options.key:
            self._tag()
        header = self.header
        size = max(len(self.out) + self.options.spare, self.allocated)
        header.arena_size = size - header.header_size
        header.state = self.options.state
        # A later release may have added fields at the end of the header. They stay unchanged
        # (SDJ-003).
        known = header.to_bytes()
        self.out[: len(known)] = known
        return bytes(self.out) + bytes(self.options.spare)

    def _get(self, at: int) -> int:
        number: int
        (number,) = _NUMBER.unpack_from(self.out, at)
        return number

    def _set(self, at: int, value: int) -> None:
        _NUMBER.pack_into(self.out, at, value)

    def _object(self, object_type: int, body: bytes, flags: int = 0) -> int:
        """Add an object at the end with its padding, and return its offset (SDJ-010)."""
        at = len(self.out)
        size = layout.OBJECT_SIZE + len(body)
        if self.header.compact and at + align(size) > 0xFFFFFFFF:
            raise CannotWrite("a compact file cannot grow beyond 4 GiB")
        self.out += layout.OBJECT_HEADER.pack(object_type, flags, size) + body
        self.out += bytes(align(size) - size)
        header = self.header
        header.tail_object_offset = at
        header.n_objects += 1
        counts = {
            layout.DATA: "n_data",
            layout.FIELD: "n_fields",
            layout.TAG: "n_tags",
            layout.ENTRY_ARRAY: "n_entry_arrays",
        }
        if object_type in counts:
            setattr(header, counts[object_type], getattr(header, counts[object_type]) + 1)
        return at

    def _hash(self, payload: bytes) -> int:
        return self.hash_function(payload, self.header, self.header.keyed)

    def _jenkins(self, payload: bytes, at: int) -> int:
        """Return the unkeyed hash of a payload, whose DATA is at offset ``at``."""
        if not self.header.keyed:
            return self._get(at + 16)
        # Most fields of an entry repeat those of the previous entry, so keep their hashes.
        if at not in self.jenkins_of:
            self.jenkins_of[at] = self.hash_function(payload, self.header, False)
        return self.jenkins_of[at]

    def _data(self, payload: bytes) -> int:
        """Return the offset of a payload's DATA, adding it and its FIELD if necessary (SDJ-081)."""
        if (known := self.data_at.get(payload)) is not None:
            self._note_depth(layout.DATA, self.depth_of[known])
            return known
        number = self._hash(payload)
        self._note_depth(layout.DATA, len(self._members(layout.DATA, number)) - 1)
        stored, flags = payload, 0
        flag = COMPRESSIONS[self.options.compression][1]
        if flag and len(payload) >= self.options.threshold and self._is_taken_back(payload):
            packed = compress(payload, flag)
            if packed is not None:
                stored, flags = packed, flag
                self.to_decompress += len(payload)
        fixed = number.to_bytes(8, "little") + bytes(self.header.data_fixed - 24)
        at = self._object(layout.DATA, fixed + stored, flags)
        self._insert(layout.DATA, number, at)
        self.data_at[payload] = at
        name = payload.partition(b"=")[0]
        owner = self._field(name)
        self._set(at + 32, self._get(owner + 32))
        self._set(owner + 32, at)
        return at

    def _is_taken_back(self, payload: bytes) -> bool:
        """Return whether readers with the same limits accept the compressed payload (SDJ-032)."""
        limit = self.options.max_field_size
        left = budget(len(self.out), limit) - self.to_decompress
        return len(payload) <= min(limit, left)

    def _field(self, name: bytes) -> int:
        if (known := self.field_at.get(name)) is not None:
            self._note_depth(layout.FIELD, self.depth_of[known])
            return known
        number = self._hash(name)
        self._note_depth(layout.FIELD, len(self._members(layout.FIELD, number)) - 1)
        at = self._object(layout.FIELD, layout.FIELD_FIXED.pack(number, 0, 0) + name)
        self._insert(layout.FIELD, number, at)
        self.field_at[name] = at
        return at

    def _table(self, object_type: int) -> tuple[int, int]:
        header = self.header
        if object_type == layout.DATA:
            return header.data_hash_table_offset, header.data_hash_table_size // 16
        return header.field_hash_table_offset, header.field_hash_table_size // 16

    def _members(self, object_type: int, number: int) -> list[int]:
        """Return the offsets of the objects in the hash chain for a hash."""
        _, buckets = self._table(object_type)
        return self.buckets.setdefault((object_type, number % buckets), [])

    def note_member(self, object_type: int, number: int, at: int) -> None:
        """Note that an object is now the last in its hash chain."""
        members = self._members(object_type, number)
        self.depth_of[at] = len(members)
        members.append(at)

    def _insert(self, object_type: int, number: int, at: int) -> None:
        """Add an object to the end of its hash chain (SDJ-024)."""
        table, buckets = self._table(object_type)
        members = self._members(object_type, number)
        slot = table + number % buckets * 16
        self._set(members[-1] + 24 if members else slot, at)
        self._set(slot + 8, at)
        self.note_member(object_type, number, at)

    def _note_depth(self, object_type: int, links: int) -> None:
        """Note the number of links followed in a look-up, of which the header stores the largest.

        The header has had this field since release 246.
        """
        name = "data_hash_chain_depth" if object_type == layout.DATA else "field_hash_chain_depth"
        setattr(self.header, name, max(getattr(self.header, name), links))

    def _link(self, chain: Chain, entry: int) -> None:
        """Add an entry to an array chain, with a new array if the last one is full (SDJ-035)."""
        width = self.header.slot_size
        if chain.used == chain.slots:
            grown = (chain.total + 1) * 2 if chain.total > chain.slots else chain.slots * 2
            slots = max(4, grown)
            new = self._object(layout.ENTRY_ARRAY, bytes(8 + slots * width))
            if chain.array:
                self._set(chain.array + 16, new)
            chain.array, chain.slots, chain.used = new, slots, 0
        slot = chain.array + 24 + chain.used * width
        self.out[slot : slot + width] = entry.to_bytes(width, "little")
        chain.used += 1
        chain.total += 1

    def _link_data(self, data: int, entry: int) -> None:
        """Add an entry to a DATA object's list (SDJ-036)."""
        count = self._get(data + 56)
        if count == 0:
            self._set(data + 40, entry)
        else:
            chain = self.chains.get(data)
            if chain is None:
                chain = self.chains[data] = Chain()
            self._link(chain, entry)
            if chain.total == 1:
                self._set(data + 48, chain.array)
            if self.header.compact:
                struct.pack_into("<II", self.out, data + 64, chain.array, chain.used)
        self._set(data + 56, count + 1)

    def _evolve(self, realtime: int) -> None:
        """Close the segments of all epochs before the one at this time (SDJ-073, SDJ-074)."""
        assert self.options.key
        goal = self.options.key.epoch_of(realtime)
        if goal < 0:
            raise CannotWrite("the time is before the first epoch")
        if goal <= self.epoch:
            return
        if self.options.continuous and goal - self.epoch > 1 << 16:
            raise CannotWrite(f"too many epochs without a seal: {goal - self.epoch}")
        self._tag()
        while self.epoch + 1 < goal and self.options.continuous:
            self.epoch += 1
            self._tag()
        self.epoch = goal

    def _tag(self) -> None:
        """Write a tag that seals everything after the previous one (SDJ-072)."""
        key = self.options.key
        assert key
        numbers = struct.pack("<QQ", self.header.n_tags + 1, self.epoch)
        at = self._object(layout.TAG, numbers + bytes(32))
        mac = sealing.seal(key.hmac_key(self.epoch))
        start = self.sealed_from
        if not start:
            mac.update(sealing.covered_of_header(self.header.to_bytes()))
            start = self.header.header_size
        while start <= at:
            object_type, _, size = layout.OBJECT_HEADER.unpack_from(self.out, start)
            body = bytes(self.out[start : start + size])
            for covered in sealing.covered_of_object(object_type, body, self.header):
                mac.update(covered)
            start += align(size)
        self.out[at + 32 :] = mac.digest()
        self.sealed_from = len(self.out)
