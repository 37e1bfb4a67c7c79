"""Recover objects of journal files without a header: runs of objects, and their entries."""

from __future__ import annotations

import functools
import importlib.util
import re
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import xor
from typing import Any

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.compression import BadCompression, decompress
from reference_impl.systemd_journal.export_format import entry_body, field_to_json
from reference_impl.systemd_journal.hashes import jenkins64, siphash24
from walproof.carve.image import Image
from walproof.carve.model import Certainty, Loose

#: Bytes of a DATA object before its payload, in a regular and in a compact file.
REGULAR, COMPACT = 64, 72
FIRST_LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_")
NAMED = re.compile(rb"[A-Z_][A-Z0-9_]{0,63}=")
XZ_STREAM, ZSTD_FRAME = b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
LARGEST_OBJECT = 64 << 20
LARGEST_FIELD = 16 << 20
#: Maximum bytes of a run. The objects of a run are held in memory.
LONGEST_RUN = 32 << 20
VOTERS = 256
#: Offset in a DATA object of the field that contains the file offset of its first ENTRY.
ENTRY_OFFSET = 40


@dataclass(frozen=True, slots=True)
class Object:
    """The header of an object. ``at`` and ``end`` are image offsets, and ``size`` is in bytes."""

    at: int
    end: int
    kind: int
    flags: int
    size: int


#: The items of an entry: the file offset and the hash of each DATA. Compact files store no hash.
Items = Sequence[tuple[int, int | None]]


def may_begin(image: Image, at: int) -> bool:
    """Return whether a DATA object may begin at an offset: its field is named or compressed."""
    frame = _frame(image, at)
    return frame is not None and frame.kind == layout.DATA


def run_at(image: Image, at: int, stop: int) -> list[Object] | None:
    """Return the consecutive objects from an offset on; None if no object begins there."""
    run: list[Object] = []
    limit = min(stop, at + LONGEST_RUN)
    while at < limit and (frame := _frame(image, at)) is not None and frame.at + frame.size <= stop:
        run.append(frame)
        at = frame.end
    return run or None


def passed(image: Image, at: int, place: int) -> int:
    """Return the end of the consecutive objects from ``at`` on.

    The last of these objects is the first one that ends after ``place``.
    """
    while at <= place and (frame := _frame(image, at)) is not None:
        at = frame.end
    return at


def certainty(image: Image, run: Sequence[Object]) -> Certainty | None:
    """Rate the evidence for a run of objects: a valid hash, or objects that refer to each other."""
    for each in run:
        if each.kind == layout.DATA:
            if not image.work.allows(each.size):
                return None
            payload = _payload(image, each)
            if payload is not None and _hash(image, each) == _jenkins(payload):
                return "checksum"
            image.work.spend(each.size)
    entries = [each for each in records(image, run) if "seqnum" in each.fields]
    if any("unchecked" not in each.fields for each in entries):
        return "checksum"
    return "structure" if entries else None


def has_key(image: Image, run: Sequence[Object], key: bytes) -> bool:
    """Return whether the first readable field of a run has a valid hash with this key."""
    for each in run:
        payload = _payload(image, each) if each.kind == layout.DATA else None
        if payload is not None:
            return _hash(image, each) == siphash24(payload, key)
    return False


def records(image: Image, run: Sequence[Object]) -> Iterator[Loose]:
    """Yield the entries of a run, then the fields that belong to no entry.

    ``missing`` is the number of fields of an entry that are not in the run. A record is
    ``unchecked`` if its hash cannot be verified.
    """
    payloads = {
        each.at: payload
        for each in run
        if each.kind == layout.DATA and (payload := _payload(image, each)) is not None
    }
    hashes = {each.at: _hash(image, each) for each in run if each.at in payloads}
    is_compact = _is_compact(image, run)
    entries = [each for each in run if each.kind == layout.ENTRY]
    base = _base(image, payloads, entries)
    used: set[int] = set()
    for entry in entries:
        if base is None:
            break
        items = _items(image, entry, is_compact)
        positions = [
            base + item
            for item, hash_ in items
            if base + item in payloads and hash_ in (None, hashes[base + item])
        ]
        # Items of a compact file have no hashes. As a check instead, one of the DATA objects must
        # refer to this entry as its first ENTRY.
        if is_compact and not any(
            _number(image, place + ENTRY_OFFSET) == entry.at - base for place in positions
        ):
            continue
        if positions:
            used.update(positions)
            yield _as_record(image, entry, len(items), [payloads[place] for place in positions])
    for place, payload in payloads.items():
        if place not in used:
            fields: dict[str, Any] = {"fields": [field_to_json(payload)]}
            if hashes[place] != _jenkins(payload):
                fields["unchecked"] = True
            yield Loose(place, _number(image, place + 8), payload, fields)


def _as_record(image: Image, entry: Object, items: int, payloads: Sequence[bytes]) -> Loose:
    body = image.read(entry.at + layout.OBJECT_SIZE, layout.ENTRY_FIXED.size)
    seqnum, realtime, monotonic, boot_id, xor_hash = layout.ENTRY_FIXED.unpack(body)
    fields: dict[str, Any] = {
        "seqnum": str(seqnum),
        "realtime": str(realtime),
        "monotonic": str(monotonic),
        "boot_id": boot_id.hex(),
        "fields": [field_to_json(payload) for payload in payloads],
    }
    if len(payloads) < items:
        fields["missing"] = items - len(payloads)
    if functools.reduce(xor, map(_jenkins, payloads), 0) != xor_hash:
        fields["unchecked"] = True
    return Loose(entry.at, entry.size, entry_body(payloads), fields)


def _frame(image: Image, at: int) -> Object | None:
    head = image.read(at, layout.OBJECT_SIZE)
    if len(head) < layout.OBJECT_SIZE or any(head[2:8]):
        return None
    kind, flags, size = layout.OBJECT_HEADER.unpack(head)
    if not layout.DATA <= kind <= layout.TAG or size > LARGEST_OBJECT:
        return None
    compression = flags & layout.OBJECT_COMPRESSED
    if flags & ~layout.OBJECT_COMPRESSED or compression not in (0, 1, 2, 4):
        return None
    fixed = REGULAR if kind == layout.DATA else layout.FIXED_SIZE[kind]
    if size < fixed or (kind == layout.TAG and size != fixed) or at + size > image.size:
        return None
    if kind == layout.DATA:
        if not compression and not _named(image, at, size):
            return None
    elif compression or (kind == layout.ENTRY and (size - fixed) % 4):
        return None
    return Object(at, at + layout.align(size), kind, flags, size)


def _named(image: Image, at: int, size: int) -> int:
    """Return the offset of the payload in an uncompressed DATA: 64 or 72, or 0 without a name."""
    head = image.read(at + REGULAR, min(size - REGULAR, 80))
    if NAMED.match(head):
        return REGULAR
    return COMPACT if NAMED.match(head[COMPACT - REGULAR :]) else 0


def _payload(image: Image, frame: Object) -> bytes | None:
    compression = frame.flags & layout.OBJECT_COMPRESSED
    if not compression:
        start = _named(image, frame.at, frame.size)
        return image.read(frame.at + start, frame.size - start) if start else None
    for start in (REGULAR, COMPACT):
        if not image.work.allows(frame.size):
            return None
        if not _may_unpack(image.read(frame.at + start, 8), compression):
            continue  # do not read the megabytes that a false size may claim
        try:
            stored = image.read(frame.at + start, frame.size - start)
            plain = decompress(stored, compression, min(LARGEST_FIELD, 64 * frame.size + (1 << 20)))
        except BadCompression as error:
            image.work.spend(frame.size + error.spent)
            continue
        image.work.spend(len(plain) // 16)
        if NAMED.match(plain[:65]):
            return plain
    return None


def _may_unpack(head: bytes, compression: int) -> bool:
    """Return whether a payload begins with a plausible size (LZ4), or a stream or frame header."""
    if compression == layout.OBJECT_LZ4:
        return int.from_bytes(head, "little") <= LARGEST_FIELD
    return head.startswith(XZ_STREAM if compression == layout.OBJECT_XZ else ZSTD_FRAME)


def _is_compact(image: Image, run: Sequence[Object]) -> bool:
    layouts = Counter(
        _named(image, each.at, each.size)
        for each in run
        if each.kind == layout.DATA and not each.flags & layout.OBJECT_COMPRESSED
    )
    return layouts[COMPACT] > layouts[REGULAR]


def _items(image: Image, entry: Object, is_compact: bool) -> Items:
    body = image.read(entry.at + 64, entry.size - 64)
    if is_compact:
        return [(item, None) for (item,) in struct.iter_unpack("<I", body[: len(body) // 4 * 4])]
    return list(struct.iter_unpack("<QQ", body[: len(body) // 16 * 16]))


def _base(image: Image, payloads: dict[int, bytes], entries: Sequence[Object]) -> int | None:
    """Return the image offset of the file's start on which most stored ENTRY offsets agree."""
    votes: Counter[int] = Counter()
    starts = [entry.at for entry in entries[:VOTERS]]
    for place in list(payloads)[:VOTERS]:
        if first := _number(image, place + ENTRY_OFFSET):
            votes.update(start - first for start in starts)
    return votes.most_common(1)[0][0] if votes else None


def _number(image: Image, at: int) -> int:
    return int.from_bytes(image.read(at, 8), "little")


def _hash(image: Image, frame: Object) -> int:
    return _number(image, frame.at + layout.OBJECT_SIZE)


@functools.cache
def _hasher() -> Callable[[bytes], int]:
    if not importlib.util.find_spec("numba"):
        return jenkins64
    import numpy as np

    from walproof.formats.systemd_journal.scanner.hashing import hash_whole

    unkeyed = (np.uint64(0), np.uint64(0), np.uint64(0))
    return lambda data: int(hash_whole(np.frombuffer(data, np.uint8), unkeyed))


def _jenkins(payload: bytes) -> int:
    return _hasher()(payload)
