"""zmq-raft on the generated parsers: the rules of spec/zmq-raft.md that a grammar cannot state.

Shares no code with ``reference_impl``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import message_pack
from kaitaistruct import BytesIO, KaitaiStream

from conformance.adapterkit import record
from conformance.kaitai.compile import compiled

Rlog = compiled("zmq_raft_rlog").ZmqRaftRlog
Snapshot = compiled("zmq_raft_snapshot").ZmqRaftSnapshot
State = compiled("zmq_raft_state").ZmqRaftState

LIMIT = 0x3FFFFFFF
INDEX_NAME = re.compile(r"([0-9a-f]{14})\.rlog")
PLACE = re.compile(
    r"(?P<folders>([0-9a-f]{5}/([0-9a-f]{2}/([0-9a-f]{2}/)?)?)?)(?P<name>[0-9a-f]{14})\.rlog"
)
SNAPSHOT_NAME = re.compile(
    r"(.*\.)?snap(\.tmp-\d+-[0-9a-z]+|-\d{4}(-\d\d){2}-\d{6}-\d{3}[0-9a-z]+)?"
)


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
    whole: int = 0
    """Entries up to the last end that is relied on."""
    capacity: int = 0
    has_layout: bool = False

    def lose(self, start: int, end: int, reason: str, index: int | None = None) -> File:
        """Report ``[start, end)`` as lost, up to the entry of this index."""
        known = {} if index is None else {"index": index}
        self.lost.append({"from": start, "to": end, "reason": reason, **known})
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
            file.lose(start, end, "bad-offset", file.first + number)
        else:
            one_entry(file, data[start:end], start, file.first + number, raw)
    file.whole = sound[-1] + 1
    rest = ends[file.whole :]
    file.end = place[sound[-1]] if sound[-1] + 1 < file.capacity else None
    if rest:
        rises = all(a < b for a, b in pairwise(rest))
        torn = rises and rest[0] > there and rest[-1] <= LIMIT
        last = file.first + len(ends) - 1
        file.lose(place[sound[-1]], len(data), "torn-entry" if torn else "bad-offset", last)
    if any(gap["reason"] == "bad-offset" for gap in file.lost):
        file.end = None


def one_entry(file: File, content: bytes, at: int, index: int, raw: bool) -> None:
    """One entry, or why it is not one."""
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
        known = {
            "index": index,
            "term": entry.header.term,
            "entry_type": getattr(entry.header.type, "value", entry.header.type),
            "request_id": entry.header.request_id.hex(),
        }
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
    if parsed.header.len_body != 28 or max(parsed.header.index, parsed.header.term) >= 2**53:
        return file.lose(0, len(data), "bad-header")
    if not (hasattr(parsed, "chunks") and parsed.chunks[-1].is_marker):
        return file.lose(0, len(data), "torn-header")
    at = len(data) - len(parsed.data)
    if len(parsed.data) == parsed.header.len_data:
        file.first, file.capacity = parsed.header.index, parsed.header.term
        known = {"index": file.first, "term": file.capacity}
        file.records.append({**record(parsed.data, 0, len(data)), **known})
        return file
    torn = len(parsed.data) < parsed.header.len_data or parsed.header.len_data == 0
    return file.lose(at, len(data), "torn-snapshot" if torn else "size-mismatch")


def state_file(data: bytes) -> File:
    """A state file; its last record has the state too (ZMR-072)."""
    file = updates(data)
    state: dict[str, Any] = {}
    for one in file.records:
        state |= one["update"]
    if file.records:
        file.records[-1]["state"] = state
    return file


def updates(data: bytes) -> File:
    """The updates of a state file, up to the first that cannot be one."""
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
            if reason == "bad-key" and not data[at + size :].strip(b"\0"):
                reason = "torn-update"
        if reason:
            file.end = at if reason == "torn-update" else None
            return file.lose(at, len(data), reason)
        changes = message_pack.map_to_json(update)
        file.records.append({**record(data[at : at + size], at, size), "update": changes})
        at += size
    return file


def measure(value: Any, depth: int) -> tuple[int, str | None]:
    """The length of a value with everything in it, or the first thing that is wrong with it.

    For ``bad-key`` the length is that of what stands in front of the key.
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
    """Whether a string is one of UTF-8."""
    try:
        return value.data.decode() is not None
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
    return sorted([*file.records, *file.lost], key=start_of)


def start_of(event: dict[str, Any]) -> int:
    """Where a record or a loss begins."""
    return int(event["at"] if "at" in event else event["from"])


@dataclass
class Member:
    """One index file of a directory: its name in the answer, and the index in it."""

    name: str
    index: int
    file: File

    @property
    def is_spare(self) -> bool:
        """Whether it holds nothing: no entry is committed, or it was never finished."""
        if self.file.has_layout:
            return not self.file.committed
        return any(gap["reason"] == "torn-header" for gap in self.file.lost)


def members(root: Path, log: Path, raw: bool) -> list[Member]:
    """The index files of a directory in the order of their names, those out of place too."""
    found = []
    for path in log.rglob("*.rlog") if log.is_dir() else ():
        place = PLACE.fullmatch(path.relative_to(log).as_posix())
        if not place or not path.is_file():
            continue
        data = path.read_bytes()
        name = place["name"]
        if place["folders"] != f"{name[:5]}/{name[5:7]}/{name[7:9]}/":
            file = File(len(data)).lose(0, len(data), "misplaced-file")
        else:
            file = index_file(data, int(name, 16), raw)
        if file.refused:
            file.lose(0, file.size, file.refused)
        found.append(Member(path.relative_to(root).as_posix(), int(name, 16), file))
    return sorted(found, key=lambda one: (one.index, one.name))


def directory(
    root: Path, context: dict[str, Any]
) -> tuple[list[dict[str, Any]], Any, list[tuple[str, int]]]:
    """Events in log order, the end, and the files with their sizes."""
    raw = context.get("entries") == "raw"
    log = root / context.get("log", "log")
    snap: Path | None = root / context.get("snapshot_file", "snap")
    if not log.is_dir() and snap and not snap.is_file():
        log, snap = root, None
    files = members(root, log, raw)
    sizes = [(one.name, one.file.size) for one in files]
    covered, before = -1 if snap is None else 0, None
    upcoming: int | None = None if snap is None else 1
    events: list[dict[str, Any]] = []
    if snap is not None and snap.is_file():
        name = snap.relative_to(root).as_posix()
        file = snapshot_file(snap.read_bytes())
        sizes.insert(0, (name, file.size))
        if file.refused:
            file.lose(0, file.size, file.refused)
        if file.records:
            covered, upcoming, before = file.first, file.first + 1, file.capacity
            if not file.first and not file.records[0]["payload"]:
                file.records = []
        else:
            covered, upcoming = -1, None
            if files and file.lost[0]["reason"].startswith("torn-"):
                file.lost[0]["reason"] = "missing-data"
        events += [{**event, "file": name} for event in in_order(file)]
    spare: list[Member] = []
    while len(files) > 1 and files[-1].is_spare:
        spare.insert(0, files.pop())
    end: tuple[str, int] | None = None
    entries: list[dict[str, Any]] = []
    for number, one in enumerate(files):
        limit = next((more.index for more in files[number + 1 :] if more.file.committed), None)
        found, upcoming, end = read_member(one, files, limit, covered, upcoming)
        entries += found
    for one in spare:
        if end is None and one.index == upcoming and one.file.end is not None:
            end = (one.name, one.file.end)
        entries += [{**gap, "file": one.name} for gap in one.file.lost]
    place = end and {"file": end[0], "at": end[1]}
    return events + compare_terms(entries, before), place, sizes


def read_member(
    one: Member, files: list[Member], limit: int | None, covered: int, upcoming: int | None
) -> tuple[list[dict[str, Any]], int | None, tuple[str, int] | None]:
    """What one file of a directory gives, which index comes next, and where it goes."""
    file = one.file
    is_last = one is files[-1]
    torn = next((gap for gap in file.lost if gap["reason"].startswith("torn-")), None)
    if torn and not is_last:
        torn["reason"] = "missing-data"
    if not file.has_layout:
        found = [{**gap, "file": one.name} for gap in file.lost]
        if not (torn and is_last):
            return found, None, None
        upcoming = one.index if upcoming is None else upcoming
        return found, upcoming, (one.name, 0) if upcoming == one.index else None
    found = []
    if upcoming is not None and one.index > upcoming:
        reason = "snapshot-gap" if one is files[0] else "missing-entries"
        found.append({"from": 0, "to": 0, "reason": reason, "file": one.name})
    for event in in_order(file):
        if event["index"] <= covered:
            continue
        if "at" in event and limit is not None and event["index"] >= limit:
            event = as_lost(event, "overlapping-files")
        found.append({**event, "file": one.name})
    following = one.index + (file.whole if torn and is_last else file.committed)
    following = following if limit is None else min(following, limit)
    upcoming = max(following, covered + 1, upcoming or 0)
    fits = upcoming == following and file.end is not None
    return found, upcoming, (one.name, file.end or 0) if fits else None


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """The answer for one log."""
    context = request["context"]
    if path.is_dir():
        events, end, files = directory(path, context)
        return answer(events, end, files, request["profile"])
    data = path.read_bytes()
    kind = kind_of(path.name, data, context)
    if kind == "index":
        inside = INDEX_NAME.fullmatch(path.name)
        named = int(inside[1], 16) if inside else None
        if "first_index" in context:
            named = int(context["first_index"])
        file = index_file(data, named, context.get("entries") == "raw")
        events = compare_terms(in_order(file), None)
    else:
        file = snapshot_file(data) if kind == "snapshot" else state_file(data)
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


def kind_of(name: str, data: bytes, context: dict[str, Any]) -> str:
    """ZMR-105, for a file."""
    told = context.get("kind")
    if told in ("index", "snapshot", "state"):
        return str(told)
    if data[:4] == b"RLOG" or name.endswith(".rlog"):
        return "index"
    if data[:4] == b"SNAP" or SNAPSHOT_NAME.fullmatch(name):
        return "snapshot"
    return "state"


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
        "records": [as_answered(e) for e in events if "reason" not in e],
        "lost": [without_index(e) for e in lost],
        "end": end,
    }


def as_answered(record: dict[str, Any]) -> dict[str, Any]:
    """A record as it stands in an answer: numbers of 64 bits are decimal text."""
    wide = {name: str(record[name]) for name in ("index", "term") if name in record}
    return record | wide


def without_index(loss: dict[str, Any]) -> dict[str, Any]:
    """A loss as it stands in an answer, without the index, which is a note of the adapter."""
    return {name: value for name, value in loss.items() if name != "index"}
