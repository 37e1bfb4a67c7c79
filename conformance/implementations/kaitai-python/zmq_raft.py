"""zmq-raft on the generated parsers: the rules of spec/zmq-raft.md that a grammar cannot state.

Shares no code with ``reference_impl``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from kaitaistruct import BytesIO, KaitaiStream

from conformance.adapterkit import record
from conformance.kaitai.compile import compiled

Rlog = compiled("zmq_raft_rlog").ZmqRaftRlog
Snapshot = compiled("zmq_raft_snapshot").ZmqRaftSnapshot
State = compiled("zmq_raft_state").ZmqRaftState

LIMIT = 0x3FFFFFFF
INDEX_NAME = re.compile(r"([0-9a-f]{14})\.rlog")
INDEX_PATH = re.compile(r"([0-9a-f]{5})/([0-9a-f]{2})/([0-9a-f]{2})/([0-9a-f]{14})\.rlog")


@dataclass
class File:
    """What one file gave: entries, snapshot or updates, what of it is lost, and where it ends."""

    size: int
    records: list[dict[str, Any]] = field(default_factory=list)
    lost: list[dict[str, Any]] = field(default_factory=list)
    end: int | None = None
    refused: str | None = None
    first: int = 0
    committed: int = 0
    capacity: int = 0
    has_layout: bool = False

    def lose(self, start: int, end: int, reason: str) -> File:
        """Report ``[start, end)`` as lost."""
        self.lost.append({"from": start, "to": end, "reason": reason})
        return self


def chunk_sizes(parsed: Any) -> int:
    """Bytes of all chunks that the parser found."""
    return sum(8 + len(chunk.data) + len(chunk.padding) for chunk in parsed.chunks)


def index_file(data: bytes, named: int | None, raw: bool) -> File:
    """An index file by itself; terms are compared later, over all files."""
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
    if head.len_body != 16 + 4 * head.capacity:
        return file.lose(0, len(data), "bad-header")
    if named is not None and named != head.first_index:
        return file.lose(0, len(data), "index-mismatch")
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


def cut_entries(file: File, data: bytes, base: int, ends: list[int], raw: bool) -> None:
    """ZMR-046 to ZMR-049 and ZMR-052: the entries between the offsets that are relied on."""
    there = min(len(data) - base, LIMIT)
    sound = [-1]
    for number, end in enumerate(ends):
        if end <= there and (sound[-1] < 0 or end > ends[sound[-1]]):
            sound.append(number)
        elif end <= there:
            sound.pop()
    place = {-1: base} | {number: base + ends[number] for number in sound[1:]}
    for before, number in pairwise(sound):
        start, end = place[before], place[number]
        if number != before + 1:
            file.lose(start, end, "bad-offset")
        else:
            one_entry(file, data[start:end], start, file.first + number, raw)
    rest = ends[sound[-1] + 1 :]
    file.end = place[sound[-1]] if sound[-1] + 1 < file.capacity else None
    if rest:
        rises = all(a < b for a, b in pairwise(rest))
        torn = rises and rest[0] > there and rest[-1] <= LIMIT
        file.lose(place[sound[-1]], len(data), "torn-entry" if torn else "bad-offset")
    if any(gap["reason"] == "bad-offset" for gap in file.lost):
        file.end = None


def one_entry(file: File, content: bytes, at: int, index: int, raw: bool) -> None:
    """One entry, or why it is not one. ``index`` and ``term`` are the adapter's own notes."""
    if raw:
        file.records.append({**record(content, at, len(content)), "index": index})
        return
    entry = Rlog.Entry(KaitaiStream(BytesIO(content)))
    if not hasattr(entry, "header"):
        reason = "short-entry"
    elif not any(content):
        reason = "zero-entry"
    elif entry.header.term > 2**53 - 1:
        reason = "bad-term"
    else:
        known = {"index": index, "term": entry.header.term}
        file.records.append({**record(entry.data, at, len(content)), **known})
        return
    file.lost.append({"from": at, "to": at + len(content), "reason": reason, "index": index})


def snapshot_file(data: bytes) -> File:
    """A snapshot: one record or none."""
    file = File(len(data))
    if not b"SNAP".startswith(data[:4]):
        file.refused = "bad-token"
        return file
    parsed = Snapshot.from_bytes(data)
    if not parsed.has_header:
        return file.lose(0, len(data), "torn-header")
    if parsed.header.version != 1:
        file.refused = "unsupported-version"
        return file
    if parsed.header.len_body != 28:
        return file.lose(0, len(data), "bad-header")
    if not (hasattr(parsed, "chunks") and parsed.chunks[-1].is_marker):
        return file.lose(0, len(data), "torn-header")
    at = len(data) - len(parsed.data)
    if len(parsed.data) == parsed.header.len_data:
        file.records.append(record(parsed.data, 0, len(data)))
        file.first, file.capacity = parsed.header.index, parsed.header.term
        return file
    torn = len(parsed.data) < parsed.header.len_data or parsed.header.len_data == 0
    return file.lose(at, len(data), "torn-snapshot" if torn else "size-mismatch")


def state_file(data: bytes) -> File:
    """A state file: updates up to the first that cannot be one."""
    file = File(len(data), end=len(data))
    at = 0
    for update in State.from_bytes(data).updates:
        reason = None
        size = 0
        if not update.is_map:
            zeros = not data[at:].strip(b"\0")
            reason = "torn-update" if zeros else "not-a-map"
        else:
            size, reason = measure(update, 0)
            if reason is None and not all(
                is_text(key) for key in getattr(update, "elements", [])[::2]
            ):
                reason = "bad-key"
        if reason:
            file.end = at if reason == "torn-update" else None
            return file.lose(at, len(data), reason)
        file.records.append(record(data[at : at + size], at, size))
        at += size
    return file


def measure(value: Any, depth: int) -> tuple[int, str | None]:
    """The length of a value with everything in it, or the first thing that is wrong with it."""
    if value.first == 0xC1:
        return 0, "bad-type"
    if value.num_elements and depth == 64:
        return 0, "too-deep"
    if not value.has_len:
        return 0, "torn-update"
    size = 1 + value.len_width + value.number_width + bool(value.is_ext)
    if value.number_width and not hasattr(value, "number"):
        return 0, "torn-update"
    if value.is_str or value.is_bin or value.is_ext:
        if len(value.data) < value.len_data:
            return 0, "torn-update"
        size += len(value.data)
    inner = getattr(value, "elements", ())
    for element in inner:
        more, reason = measure(element, depth + 1)
        if reason:
            return 0, reason
        size += more
    return size, "torn-update" if len(inner) < value.num_elements else None


def is_text(value: Any) -> bool:
    """Whether a value is a string of UTF-8."""
    try:
        return bool(value.is_str) and value.data.decode() is not None
    except UnicodeDecodeError:
        return False


def compare_terms(events: list[dict[str, Any]], before: int | None) -> list[dict[str, Any]]:
    """ZMR-050 over records and losses in log order: which entries are lost after all."""
    falling: set[int] = set()
    for number, event in enumerate(events):
        if "term" not in event:
            before = None
            continue
        if before is not None and event["term"] < before:
            falling.add(number)
            if number and "term" in events[number - 1]:
                falling.add(number - 1)
        before = event["term"]
    return [
        event if number not in falling else as_lost(event, "decreasing-term")
        for number, event in enumerate(events)
    ]


def as_lost(event: dict[str, Any], reason: str) -> dict[str, Any]:
    """The loss that a record turns into."""
    place = {"file": event["file"]} if "file" in event else {}
    return {**place, "from": event["at"], "to": event["at"] + event["size"], "reason": reason}


def in_order(file: File) -> list[dict[str, Any]]:
    """Records and losses of a file by offset."""
    return sorted([*file.records, *file.lost], key=lambda event: event.get("at", event.get("from")))


def directory(root: Path, raw: bool) -> tuple[list[dict[str, Any]], Any, list[tuple[str, int]]]:
    """Events in log order, the end, and the files with their sizes."""
    log, snap = root / "log", root / "snap"
    if not log.is_dir() and not snap.is_file():
        log, snap = root, None  # type: ignore[assignment]
    found = {
        path: INDEX_PATH.fullmatch(path.relative_to(log).as_posix())
        for path in (log.glob("*/*/*/*") if log.is_dir() else ())
        if path.is_file()
    }
    paths = sorted((path for path, fits in found.items() if fits), key=lambda path: path.name)
    covered, upcoming, before = (-1, None, None) if snap is None else (0, 1, None)
    events: list[dict[str, Any]] = []
    sizes: list[tuple[str, int]] = []
    if snap is not None and snap.is_file():
        name = snap.relative_to(root).as_posix()
        file = snapshot_file(snap.read_bytes())
        sizes.append((name, file.size))
        if file.refused:
            file.lose(0, file.size, file.refused)
        if file.records:
            covered, upcoming, before = file.first, file.first + 1, file.capacity
            if not file.first and not file.records[0]["payload"]:
                file.records = []
        else:
            covered, upcoming = -1, None
            if paths and file.lost[0]["reason"].startswith("torn-"):
                file.lost[0]["reason"] = "missing-data"
        events += [{**event, "file": name} for event in in_order(file)]
    files = []
    for path in paths:
        index = int(path.name[:14], 16)
        file = index_file(path.read_bytes(), index, raw)
        fits = found[path]
        if fits and "".join(fits.groups()[:3]) != path.name[:9]:
            file = File(file.size).lose(0, file.size, "misplaced-file")
        if file.refused:
            file.lose(0, file.size, file.refused)
        name = path.relative_to(root).as_posix()
        sizes.append((name, file.size))
        files.append((name, index, file))
    spare = []
    while len(files) > 1 and files[-1][2].has_layout and not files[-1][2].committed:
        spare.insert(0, files.pop())
    end = None
    entries: list[dict[str, Any]] = []
    for number, (name, index, file) in enumerate(files):
        is_last = number + 1 == len(files)
        limit = None if is_last else files[number + 1][1]
        end = file.end if is_last else None
        torn = next((gap for gap in file.lost if gap["reason"].startswith("torn-")), None)
        if torn and not is_last:
            torn["reason"] = "missing-data"
        if not file.has_layout:
            entries += [{**gap, "file": name} for gap in file.lost]
            upcoming = None
            continue
        if upcoming is not None and index > upcoming:
            reason = "missing-entries" if number else "snapshot-gap"
            entries.append({"from": 0, "to": 0, "reason": reason, "file": name})
        for event in in_order(file):
            known = event.get("index")
            if known is not None and known <= covered:
                continue
            if "at" in event and limit is not None and known >= limit:
                event = as_lost(event, "overlapping-files")
            entries.append({**event, "file": name})
        following = index + file.committed
        if torn and is_last:
            following = index + sum("index" in event for event in in_order(file))
        following = following if limit is None else min(following, limit)
        upcoming = max(following, covered + 1)
        end = end if upcoming == following else None
    place = {"file": files[-1][0], "at": end} if files and end is not None else None
    if place is None and spare and spare[0][1] == upcoming:
        place = {"file": spare[0][0], "at": spare[0][2].end}
    return events + compare_terms(entries, before), place, sizes


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """The answer for one log."""
    context = request["context"]
    raw = context.get("entries") == "raw"
    if path.is_dir():
        events, end, files = directory(path, raw)
        return answer(events, end, files, request["profile"])
    data = path.read_bytes()
    name = path.name
    if data[:4] == b"RLOG" or name.endswith(".rlog"):
        told = INDEX_NAME.fullmatch(name)
        named = int(told[1], 16) if told else context.get("first_index")
        file = index_file(data, None if named is None else int(named), raw)
        events = compare_terms(in_order(file), None)
    elif data[:4] == b"SNAP" or re.fullmatch(r"(.*\.)?snap", name):
        file = snapshot_file(data)
        events = in_order(file)
    else:
        file = state_file(data)
        events = in_order(file)
    if file.refused:
        return {
            "verdict": "refused",
            "reason": file.refused,
            "records": [],
            "lost": [],
            "end": None,
        }
    return answer(events, file.end, [("", len(data))], request["profile"])


def answer(
    events: list[dict[str, Any]], end: Any, files: list[tuple[str, int]], profile: str
) -> dict[str, Any]:
    """Verdict and reason; with ``strict`` only what comes before the first damage."""
    damage = [e for e in events if "reason" in e and not e["reason"].startswith("torn-")]
    torn = [e for e in events if "reason" in e and e["reason"].startswith("torn-")]
    if damage and profile == "strict":
        first = damage[0]
        events = events[: events.index(first)]
        names = [name for name, _ in files]
        for name, size in files[names.index(first.get("file", "")) :]:
            start = first["from"] if name == first.get("file", "") else 0
            place = {"file": name} if name else {}
            events.append({**place, "from": start, "to": size, "reason": first["reason"]})
        end = None
    lost = [e for e in events if "reason" in e]
    order = [name for name, _ in files]
    lost.sort(key=lambda gap: (order.index(gap.get("file", "")), gap["from"]))
    return {
        "verdict": "damaged" if damage else "torn" if torn else "intact",
        "reason": next((e["reason"] for e in damage + torn), None),
        "records": [without_notes(e) for e in events if "reason" not in e],
        "lost": [without_notes(e) for e in lost],
        "end": end,
    }


def without_notes(event: dict[str, Any]) -> dict[str, Any]:
    """A record or loss as it stands in an answer."""
    return {name: value for name, value in event.items() if name not in ("index", "term")}
