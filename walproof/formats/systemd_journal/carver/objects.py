"""Objects of journal files whose header is gone: runs of them, and the entries that they make."""

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

REGULAR, COMPACT = 64, 72
"""Bytes of a DATA object before its payload."""
FIRST_LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_")
NAMED = re.compile(rb"[A-Z_][A-Z0-9_]{0,63}=")
XZ_STREAM, ZSTD_FRAME = b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
LARGEST_OBJECT = 64 << 20
LARGEST_FIELD = 16 << 20
LONGEST_RUN = 32 << 20
"""A run is cut here: its objects are held."""
VOTERS = 256
ENTRY_OFFSET = 40
"""Where a DATA says, as an offset in its file, which ENTRY was the first to have it."""


@dataclass(frozen=True, slots=True)
class Object:
    """The frame of an object; all numbers are offsets in the image, or bytes."""

    at: int
    end: int
    kind: int
    flags: int
    size: int


@dataclass(frozen=True, slots=True)
class _Entry:
    at: int
    size: int
    numbers: tuple[int, int, int, bytes, int]
    items: tuple[int, ...]
    hashes: tuple[int, ...] | None


def may_begin(image: Image, at: int) -> bool:
    """Whether a DATA object may be here: its field has a name, or is compressed."""
    frame = _frame(image, at)
    return frame is not None and frame.kind == layout.DATA


def run_at(image: Image, at: int, stop: int) -> list[Object] | None:
    """Objects one after the other, from an offset on; None if there is none."""
    run: list[Object] = []
    limit = min(stop, at + LONGEST_RUN)
    while at < limit and (found := _frame(image, at)) is not None and found.at + found.size <= stop:
        run.append(found)
        at = found.end
    return run or None


def passed(image: Image, at: int, place: int) -> int:
    """How far objects lead from ``at``: past ``place``, or up to what is none."""
    while at <= place and (found := _frame(image, at)) is not None:
        at = found.end
    return at


def certainty(image: Image, run: Sequence[Object]) -> Certainty | None:
    """How sure a run is: a checksum holds, or a DATA and an ENTRY lead to each other, or neither.

    A DATA has a checksum that can be computed only if its file had no key, an ENTRY only if all of
    its fields are here.
    """
    for one in run:
        if one.kind == layout.DATA:
            if not image.work.allows(one.size):
                return None
            payload = _payload(image, one)
            if payload is not None and _hash(image, one) == _jenkins(payload):
                return "checksum"
            image.work.spend(one.size)
    found = [one for one in records(image, run) if "seqnum" in one.fields]
    if any("unchecked" not in one.fields for one in found):
        return "checksum"
    return "structure" if found else None


def has_key(image: Image, run: Sequence[Object], key: bytes) -> bool:
    """Whether the first field of a run has the hash that this key gives it."""
    for one in run:
        payload = _payload(image, one) if one.kind == layout.DATA else None
        if payload is not None:
            return _hash(image, one) == siphash24(payload, key)
    return False


def records(image: Image, run: Sequence[Object]) -> Iterator[Loose]:
    """The entries of a run, then the fields that none of them has.

    The payload of an entry is its fields in the export format, that of a field is the field.
    ``missing`` counts fields of an entry that are not here. What no checksum covers that can be
    computed is ``unchecked``.
    """
    payloads = {
        one.at: payload
        for one in run
        if one.kind == layout.DATA and (payload := _payload(image, one)) is not None
    }
    hashes = {one.at: _hash(image, one) for one in run if one.at in payloads}
    is_compact = _is_compact(image, run)
    entries = [_entry(image, one, is_compact) for one in run if one.kind == layout.ENTRY]
    base = _base(image, payloads, hashes, entries)
    used: set[int] = set()
    for entry in entries:
        if base is None:
            break
        found = [base + item for item in entry.items if base + item in payloads]
        if entry.hashes is not None:
            expected = {base + item: h for item, h in zip(entry.items, entry.hashes, strict=True)}
            found = [place for place in found if hashes[place] == expected[place]]
        # Of what is not checked, one must lead back: it says that this was its first entry.
        if not any(_number(image, place + ENTRY_OFFSET) == entry.at - base for place in found):
            found = found if entry.hashes is not None else []
        if not found:
            continue
        used.update(found)
        yield _as_record(entry, [payloads[place] for place in found])
    for place, payload in payloads.items():
        if place not in used:
            fields: dict[str, Any] = {"fields": [field_to_json(payload)]}
            if hashes[place] != _jenkins(payload):
                fields["unchecked"] = True
            yield Loose(place, _size(image, place), payload, fields)


def _as_record(entry: _Entry, payloads: Sequence[bytes]) -> Loose:
    seqnum, realtime, monotonic, boot_id, xor_hash = entry.numbers
    fields: dict[str, Any] = {
        "seqnum": str(seqnum),
        "realtime": str(realtime),
        "monotonic": str(monotonic),
        "boot_id": boot_id.hex(),
        "fields": [field_to_json(payload) for payload in payloads],
    }
    if len(payloads) < len(entry.items):
        fields["missing"] = len(entry.items) - len(payloads)
    if functools.reduce(xor, map(_jenkins, payloads), 0) != xor_hash:
        fields["unchecked"] = True
    return Loose(entry.at, entry.size, entry_body(payloads), fields)


def _frame(image: Image, at: int) -> Object | None:
    """The object at an offset, as far as its frame tells."""
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
    """Where the payload of a DATA that is not compressed begins: after 64 bytes, or 72; or 0."""
    head = image.read(at + REGULAR, min(size - REGULAR, 80))
    if NAMED.match(head):
        return REGULAR
    return COMPACT if NAMED.match(head[COMPACT - REGULAR :]) else 0


def _payload(image: Image, one: Object) -> bytes | None:
    """The field of a DATA object, if it has a name."""
    compression = one.flags & layout.OBJECT_COMPRESSED
    if not compression:
        start = _named(image, one.at, one.size)
        return image.read(one.at + start, one.size - start) if start else None
    for start in (REGULAR, COMPACT):
        if not image.work.allows(one.size):
            return None
        if not _may_unpack(image.read(one.at + start, 8), compression):
            continue  # before megabytes are read that a few bytes claim
        try:
            stored = image.read(one.at + start, one.size - start)
            plain = decompress(stored, compression, min(LARGEST_FIELD, 64 * one.size + (1 << 20)))
        except BadCompression as error:
            image.work.spend(one.size + error.spent)
            continue
        image.work.spend(len(plain) // 16)
        if NAMED.match(plain[:65]):
            return plain
    return None


def _may_unpack(head: bytes, compression: int) -> bool:
    """Whether a compressed field begins so: with its size, or as a stream or frame does."""
    if compression == layout.OBJECT_LZ4:
        return int.from_bytes(head, "little") <= LARGEST_FIELD
    return head.startswith(XZ_STREAM if compression == layout.OBJECT_XZ else ZSTD_FRAME)


def _is_compact(image: Image, run: Sequence[Object]) -> bool:
    layouts = Counter(
        _named(image, one.at, one.size)
        for one in run
        if one.kind == layout.DATA and not one.flags & layout.OBJECT_COMPRESSED
    )
    return layouts[COMPACT] > layouts[REGULAR]


def _entry(image: Image, one: Object, is_compact: bool) -> _Entry:
    body = image.read(one.at + layout.OBJECT_SIZE, one.size - layout.OBJECT_SIZE)
    numbers = layout.ENTRY_FIXED.unpack_from(body)
    rest = body[layout.ENTRY_FIXED.size :]
    if is_compact:
        items = tuple(item for (item,) in struct.iter_unpack("<I", rest[: len(rest) // 4 * 4]))
        return _Entry(one.at, one.size, numbers, items, None)
    pairs = list(struct.iter_unpack("<QQ", rest[: len(rest) // 16 * 16]))
    hashes = tuple(h for _, h in pairs)
    return _Entry(one.at, one.size, numbers, tuple(item for item, _ in pairs), hashes)


def _base(
    image: Image,
    payloads: dict[int, bytes],
    hashes: dict[int, int],
    entries: Sequence[_Entry],
) -> int | None:
    """The offset in the image where the file began, as most offsets in the objects say."""
    votes: Counter[int] = Counter()
    starts = [entry.at for entry in entries[:VOTERS]]
    for place in list(payloads)[:VOTERS]:
        first = _number(image, place + ENTRY_OFFSET)
        if first:
            votes.update(start - first for start in starts)
    by_hash = {h: place for place, h in list(hashes.items())[: 16 * VOTERS]}
    for entry in entries[:VOTERS]:
        for item, h in zip(entry.items, entry.hashes or (), strict=False):
            if h in by_hash:
                votes[by_hash[h] - item] += VOTERS
    return votes.most_common(1)[0][0] if votes else None


def _number(image: Image, at: int) -> int:
    return int.from_bytes(image.read(at, 8), "little")


def _hash(image: Image, one: Object) -> int:
    return _number(image, one.at + layout.OBJECT_SIZE)


def _size(image: Image, at: int) -> int:
    return _number(image, at + 8)


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
