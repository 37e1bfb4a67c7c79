"""Prove fields that have a wrong hash, and find the right hash key (SDJ-105, SDJ-106)."""

from __future__ import annotations

from dataclasses import replace

from .faults import KEY, OBJECTS, Fault, Found
from .hashes import siphash
from .payloads import is_name
from .walk import DATA, ENTRY, FIELD, Journal


def has_wrong_flag(journal: Journal) -> bool:
    """Return whether a hash is correct with the keyed flag inverted (SDJ-106)."""
    return any(
        journal.inverse_hash(item.payload) == item.body.hash
        for item in journal.objects.values()
        if item.type in (DATA, FIELD) and item.payload
    )


def right_file_id(journal: Journal) -> bytes | None:
    """Return ``file_id`` with the inverted bit that makes the hash of a FIELD correct (SDJ-106)."""
    fields = [
        item for item in journal.objects.values() if item.type == FIELD and is_name(item.payload)
    ]
    file_id = int.from_bytes(journal.header.file_id, "little")
    for field in fields[:16] if journal.is_keyed else ():
        for bit in range(128):
            other = (file_id ^ 1 << bit).to_bytes(16, "little")
            if siphash(other, field.payload) == field.body.hash:
                return other
    return None


def prove(journal: Journal, is_key_doubtful: bool = False) -> None:
    """Restore each object with a wrong hash if other bytes of the file prove its payload."""
    by_hash, by_xor = proven(journal)
    if is_key_doubtful and by_xor and not by_hash:  # SDJ-106
        journal.blame(Fault(KEY, "bad-header", 24, 40))
        fields = {
            item.at
            for item in journal.objects.values()
            if item.type == FIELD and item.has_wrong_hash
        }
        restore(journal, by_xor | fields, is_fault=False)
    else:
        restore(journal, by_hash | by_xor, is_fault=True)


def proven(journal: Journal) -> tuple[set[int], set[int]]:
    """Return the DATA that a stored hash proves, and those that ``xor_hash`` proves (SDJ-105).

    The stored hash is in an item, or in the DATA object itself with exactly one wrong bit.
    """
    hashes = {
        data.at: journal.hash(data.payload)
        for data in journal.objects.values()
        if data.type == DATA and data.has_wrong_hash
    }
    by_hash = {
        at
        for at, right in hashes.items()
        if (right ^ journal.objects[at].body.hash).bit_count() == 1
    }
    by_xor: set[int] = set()
    for entry in journal.sound(ENTRY):
        items = entry.body.items
        targets = [journal.objects.get(item.ofs_data) for item in items]
        suspects = [
            (item, data)
            for item, data in zip(items, targets, strict=True)
            if data is not None and data.at in hashes
        ]
        for item, data in suspects if not journal.is_compact else ():
            if item.hash == hashes[data.at]:
                by_hash.add(data.at)
        if suspects and is_xor_right(journal, entry, targets):
            links = [item.ofs_data for item in items]
            by_xor.update(data.at for _, data in suspects if links.count(data.at) == 1)
    return by_hash, by_xor


def is_xor_right(journal: Journal, entry: Found, targets: list[Found | None]) -> bool:
    """Return whether ``xor_hash`` of an entry matches the payloads of its items."""
    hashes = 0
    for data in targets:
        if data is None or not journal.is_provable(data):
            return False
        hashes ^= journal.jenkins_of(data)
    return bool(hashes == entry.body.xor_hash)


def restore(journal: Journal, places: set[int], is_fault: bool) -> None:
    """Mark objects with a wrong hash as present. Only the hash and the bytes after it stay lost."""
    faults, gaps = [], []
    for fault in journal.faults:
        if fault.step != OBJECTS or fault.code != "hash-mismatch" or fault.start not in places:
            faults.append(fault)
            continue
        item = journal.objects[fault.start]
        if is_fault:
            faults.append(Fault(OBJECTS, "hash-mismatch", item.at + 16, item.at + 24))
        if fault.stop > item.end:
            faults.append(Fault(OBJECTS, "bad-object", item.end, fault.stop))
    for start, stop in journal.gaps:
        if start not in places:
            gaps.append((start, stop))
        elif stop > journal.objects[start].end:
            gaps.append((journal.objects[start].end, stop))
    journal.faults, journal.gaps = faults, gaps
    for at in places:
        journal.objects[at] = replace(journal.objects[at], is_wrong=False)
