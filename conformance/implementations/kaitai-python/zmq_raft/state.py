"""State files (ZMR-070 to ZMR-080)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.adapterkit import record
from conformance.kaitai.compile import compiled

from . import message_pack
from .file import File

State = compiled("zmq_raft_state").ZmqRaftState
MOST_VALUES = 16_384
Changes = dict[str, tuple[Any, int]]


def state_file(data: bytes) -> File:
    """Read a state file. The last record also contains the state (ZMR-072)."""
    file = File(len(data), end=len(data))
    merged: dict[str, tuple[Any, int]] = {}
    total: float = 1  # the map itself
    for update, changes in updates(data, file):
        file.records.append(update)
        for key, (value, values) in (changes or {}).items():
            total += 1 + values - (1 + merged[key][1] if key in merged else 0)
            merged[key] = value, values
        # Once the limit is exceeded, it stays exceeded for all later updates (ZMR-106).
        if changes is None or total > MOST_VALUES:
            total = float("inf")
            merged.clear()
    later = after_fault(data, file) if file.lost and file.end is None else []
    if file.records and total <= MOST_VALUES:
        file.records[-1]["state"] = {key: value for key, (value, _) in merged.items()}
    file.records += later
    return file


def after_fault(data: bytes, file: File) -> list[dict[str, Any]]:
    """Return the updates after the only faulty update, and shorten the lost range (ZMR-107)."""
    at = file.lost[0]["from"]
    size = extent(State.from_bytes(data[at:]).updates[0], 0)
    if size is None:
        return []
    rest = File(len(data))
    later = [update for update, _ in updates(data[at + size :], rest)]
    if rest.lost:
        return []
    file.lost[0]["to"] = at + size
    for update in later:
        update["at"] += at + size
    return later


def extent(value: Any, depth: int) -> int | None:
    """Return the length of a MessagePack value of at most 64 levels, or None (ZMR-107)."""
    if value.first == 0xC1:
        return 1
    is_nested = value.is_map or value.is_array
    if not value.has_len or (is_nested and depth == 64):
        return None
    if value.number_width and not hasattr(value, "number"):
        return None
    size = 1 + value.len_width + value.number_width + bool(value.is_ext)
    if value.is_str or value.is_bin or value.is_ext:
        if len(value.data) < value.len_data:
            return None
        size += len(value.data)
    inner = getattr(value, "elements", ())
    sizes = [extent(element, depth + 1) for element in inner]
    if None in sizes or (is_nested and len(inner) < value.num_elements):
        return None
    return size + sum(each for each in sizes if each is not None)


def updates(data: bytes, file: File) -> Iterator[tuple[dict[str, Any], Changes | None]]:
    """Yield the updates of a state file up to the first invalid one.

    For each update, the function yields the record and its changes. The changes are None if the
    update has too many values (ZMR-106). The first invalid update is added to ``file`` as lost.
    """
    at = 0
    for update in State.from_bytes(data).updates:
        reason = None
        size = 0
        if not update.is_map:
            zeros = not data[at:].strip(b"\0")
            reason = "torn-update" if zeros else "not-a-map"
        else:
            size, reason = measure(update, 0)
            if reason == "bad-key" and not data[at + size :].strip(b"\0"):
                reason = "torn-update"
        if reason:
            file.end = at if reason == "torn-update" else None
            file.lose(at, len(data), reason)
            return
        found_record = record(data[at : at + size], at, size)
        at += size
        if count(update) > MOST_VALUES:
            yield found_record, None
            continue
        changes = message_pack.map_to_json(update)
        inner = getattr(update, "elements", [])
        counts = {key.data.decode(): count(value) for key, value in pairs(inner)}
        yield (
            {**found_record, "update": changes},
            {key: (changes[key], counts[key]) for key in changes},
        )


def pairs(elements: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the keys of a map with their values."""
    return zip(elements[::2], elements[1::2], strict=True)


def count(value: Any) -> int:
    """Return the number of values in a value, including the value and keys (ZMR-106)."""
    return 1 + sum(map(count, getattr(value, "elements", ())))


def measure(value: Any, depth: int) -> tuple[int, str | None]:
    """Return the length of a value with its nested values, and its first fault or None.

    If the fault is ``bad-key``, the length is the number of bytes before the invalid key.
    """
    if value.first == 0xC1:
        return 0, "bad-type"
    if not value.has_len:
        return 0, "torn-update"
    if (value.is_map or value.is_array) and depth == 64:
        return 0, "too-deep"
    size = 1 + value.len_width + value.number_width + bool(value.is_ext)
    if value.number_width and not hasattr(value, "number"):
        return 0, "torn-update"
    if value.is_str or value.is_bin or value.is_ext:
        if len(value.data) < value.len_data:
            return 0, "torn-update"
        size += len(value.data)
    inner = getattr(value, "elements", ())
    for number, element in enumerate(inner):
        is_key = depth == 0 and number % 2 == 0
        if is_key and not element.is_str:
            return size, "bad-key"
        more, reason = measure(element, depth + 1)
        if reason:
            return 0, reason
        if is_key and not is_text(element):
            return size, "bad-key"
        size += more
    return size, "torn-update" if len(inner) < value.num_elements else None


def is_text(value: Any) -> bool:
    """Return whether a string is UTF-8."""
    try:
        return value.data.decode() is not None
    except UnicodeDecodeError:
        return False
