"""Index files (ZMR-010 to ZMR-052), and the order of terms."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from kaitaistruct import BytesIO, KaitaiStream

from conformance.adapterkit import record
from conformance.kaitai.compile import compiled

from .file import File

Rlog = compiled("zmq_raft_rlog").ZmqRaftRlog

LIMIT = 0x3FFFFFFF


def index_file(data: bytes, named: int | None, raw: bool) -> File:
    """Read an index file. Terms are compared later, over all files."""
    file = File(len(data))
    if not b"RLOG".startswith(data[:4]):
        file.refused = "bad-token"
        return file
    parsed = Rlog.from_bytes(data)
    if not parsed.has_header:
        file.end = 0
        return file.lose(0, len(data), "torn-header")
    head = parsed.header
    file.first, file.capacity = head.first_index, head.capacity
    if head.version != 1:
        file.refused = "unsupported-version"
        return file
    wrong = None
    if head.len_body != 16 + 4 * head.capacity:
        stored = {4: head.capacity, 12: (head.len_body - 16) / 4}
        proven = {at: count for at, count in stored.items() if proves(data, count)}
        if len(proven) != 1:
            return file.lose(0, len(data), "bad-header")
        ((wrong, file.capacity),) = proven.items()
        parsed = with_capacity(data, file.capacity)
        head = parsed.header
    if named is not None and named != head.first_index:
        return file.lose(0, len(data), "index-mismatch")
    if wrong is not None:
        file.lose(wrong, wrong + 4, "bad-header")
    table_end = 24 + 4 * head.capacity
    is_cut = len(data) < table_end
    marked = not is_cut and hasattr(parsed, "chunks") and parsed.chunks[-1].is_marker
    if not marked:
        if any(data[24:28] if head.capacity else b""):
            return file.lose(24 if is_cut else table_end, len(data), "missing-marker")
        file.end = 0
        return file.lose(0, len(data), "torn-header")
    file.has_layout = True
    ends = list(parsed.offsets)
    ends = ends[: ends.index(0)] if 0 in ends else ends
    file.committed = len(ends)
    cut_entries(file, data, table_end + chunk_sizes(parsed), ends, raw)
    return file


def with_capacity(data: bytes, capacity: float) -> Any:
    """Parse a file as if its header had this capacity."""
    return Rlog.from_bytes(data[:12] + int(capacity).to_bytes(4, "little") + data[16:])


def proves(data: bytes, capacity: float) -> bool:
    """Return whether META follows a table of this capacity, and leads to the marker (ZMR-042)."""
    if capacity <= 0 or capacity != int(capacity) or 24 + 4 * capacity > len(data):
        return False
    chunks = getattr(with_capacity(data, capacity), "chunks", [])
    leads = bool(chunks) and chunks[-1].is_marker
    return leads and data.startswith(b"META", 24 + 4 * int(capacity)) and any(data[24:28])


def cut_entries(file: File, data: bytes, base: int, ends: list[int], raw: bool) -> None:
    """Read the entries between the trusted offsets (ZMR-046 to ZMR-049 and ZMR-052)."""
    available = min(len(data) - base, LIMIT)
    sound = [-1]
    for number, end in enumerate(ends):
        if end <= available and (sound[-1] < 0 or end > ends[sound[-1]]):
            sound.append(number)
        elif end <= available:
            sound.pop()
    offsets = {-1: base} | {number: base + ends[number] for number in sound[1:]}
    for before, number in pairwise(sound):
        start, end = offsets[before], offsets[number]
        if number != before + 1:
            file.lose(start, end, "bad-offset", file.first + number)
        else:
            one_entry(file, data[start:end], start, file.first + number, raw)
    file.whole = sound[-1] + 1
    rest = ends[file.whole :]
    file.end = offsets[sound[-1]] if sound[-1] + 1 < file.capacity else None
    if rest:
        rises = all(a < b for a, b in pairwise(rest))
        torn = rises and rest[0] > available and rest[-1] <= LIMIT
        last = file.first + len(ends) - 1
        file.lose(offsets[sound[-1]], len(data), "torn-entry" if torn else "bad-offset", last)
    if any(gap["reason"] in ("bad-offset", "bad-header") for gap in file.lost):
        file.end = None


def one_entry(file: File, content: bytes, at: int, index: int, raw: bool) -> None:
    """Add one entry, or the reason why it is lost."""
    if raw:
        file.records.append({**record(content, at, len(content)), "index": index})
        return
    entry = Rlog.Entry(KaitaiStream(BytesIO(content)))
    if not hasattr(entry, "header"):
        reason = "short-entry"
    elif not any(content):
        reason = "zero-entry"
    elif not 1 <= entry.header.term <= 2**53 - 1:
        reason = "bad-term"
    else:
        known = {
            "index": index,
            "term": entry.header.term,
            "entry_type": getattr(entry.header.type, "value", entry.header.type),
            "request_id": entry.header.request_id.hex(),
        }
        file.records.append({**record(entry.data, at, len(content)), **known})
        return
    file.lost.append({"from": at, "to": at + len(content), "reason": reason, "index": index})


def chunk_sizes(parsed: Any) -> int:
    """Return the total size of all chunks that the parser found, in bytes."""
    return sum(8 + len(chunk.data) + len(chunk.padding) for chunk in parsed.chunks)


def compare_terms(events: list[dict[str, Any]], before: int | None) -> list[dict[str, Any]]:
    """Apply ZMR-050 to records and losses in log order. ``before`` is the term of the snapshot."""
    falling: set[int] = set()
    # A run lists the number and the term of each event. The snapshot has the number None.
    run: list[tuple[int | None, int]] = [] if before is None else [(None, before)]
    for number, event in enumerate(events):
        if "term" not in event:
            run = []
            continue
        term = event["term"]
        if run and term < run[-1][1]:
            first, first_term = run[-1]
            kept = (old for at, old in reversed(run[:-1]) if at not in falling)
            earlier = next(kept, None)
            later = events[number + 1].get("term") if number + 1 < len(events) else None
            lost = {first, number}
            if first is None:
                lost = {number}
            elif later is not None and later < first_term:
                if earlier is None or earlier <= term:
                    lost = {first}
            elif later is not None and earlier is not None and earlier > term:
                lost = {number}
            falling.update(at for at in lost if at is not None)
        run.append((number, term))
    return [
        event if number not in falling else as_lost(event, "decreasing-term")
        for number, event in enumerate(events)
    ]


def as_lost(event: dict[str, Any], reason: str) -> dict[str, Any]:
    """Return a record as a loss."""
    location = {"file": event["file"]} if "file" in event else {}
    return {**location, "from": event["at"], "to": event["at"] + event["size"], "reason": reason}
