"""Log directories (ZMR-090 to ZMR-098)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .file import File, in_order
from .index_file import as_lost, compare_terms, index_file
from .snapshot import snapshot_file

PLACE = re.compile(
    r"(?P<folders>([0-9a-f]{5}/([0-9a-f]{2}/([0-9a-f]{2}/)?)?)?)(?P<name>[0-9a-f]{14})\.rlog"
)


@dataclass
class Member:
    """One index file of a directory: its name in the answer, and its index."""

    name: str
    index: int
    file: File

    @property
    def is_spare(self) -> bool:
        """Return whether the file has no committed entry, or has an unfinished header."""
        if self.file.has_layout:
            return not self.file.committed
        return any(gap["reason"] == "torn-header" for gap in self.file.lost)


def members(root: Path, log: Path, raw: bool) -> list[Member]:
    """Return the index files of a directory by name, including misplaced ones."""
    listed = []
    for path in log.rglob("*.rlog") if log.is_dir() else ():
        match = PLACE.fullmatch(path.relative_to(log).as_posix())
        if not match or not path.is_file():
            continue
        data = path.read_bytes()
        name = match["name"]
        if match["folders"] != f"{name[:5]}/{name[5:7]}/{name[7:9]}/":
            file = File(len(data)).lose(0, len(data), "misplaced-file")
        else:
            file = index_file(data, int(name, 16), raw)
        if file.refused:
            file.lose(0, file.size, file.refused)
        listed.append(Member(path.relative_to(root).as_posix(), int(name, 16), file))
    return sorted(listed, key=lambda member: (member.index, member.name))


def directory(
    root: Path, context: dict[str, Any]
) -> tuple[list[dict[str, Any]], Any, list[tuple[str, int]]]:
    """Return events in log order, the end, and the files with their sizes."""
    raw = context.get("entries") == "raw"
    log = root / context.get("log", "log")
    snap: Path | None = root / context.get("snapshot_file", "snap")
    if not log.is_dir() and snap and not snap.is_file():
        log, snap = root, None
    files = members(root, log, raw)
    sizes = [(member.name, member.file.size) for member in files]
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
        events += [{**event, "file": name} for event in [*file.lost, *file.records]]
    spare: list[Member] = []
    while len(files) > 1 and files[-1].is_spare:
        spare.insert(0, files.pop())
    end: tuple[str, int] | None = None
    entries: list[dict[str, Any]] = []
    highest = 0  # the next index must not be lower (ZMR-094)
    for number, member in enumerate(files):
        limit = next((more.index for more in files[number + 1 :] if more.file.committed), None)
        highest = max(highest, upcoming or 0)
        given, upcoming, end = read_member(member, files, limit, covered, upcoming, highest)
        entries += given
    for member in spare:
        if end is None and member.index == upcoming and member.file.end is not None:
            end = (member.name, member.file.end)
        entries += [{**gap, "file": member.name} for gap in member.file.lost]
    position = end and {"file": end[0], "at": end[1]}
    return events + compare_terms(entries, before), position, sizes


def read_member(
    member: Member,
    files: list[Member],
    limit: int | None,
    covered: int,
    upcoming: int | None,
    highest: int,
) -> tuple[list[dict[str, Any]], int | None, tuple[str, int] | None]:
    """Return the events of one file, the next index, and the position for the next entry."""
    file = member.file
    is_last = member is files[-1]
    torn = next((gap for gap in file.lost if gap["reason"].startswith("torn-")), None)
    if torn and not is_last:
        torn["reason"] = "missing-data"
    if not file.has_layout:
        events = [{**gap, "file": member.name} for gap in file.lost]
        if not (torn and is_last):
            return events, None, None
        upcoming = member.index if upcoming is None else upcoming
        return events, upcoming, (member.name, 0) if upcoming == member.index else None
    events = []
    if upcoming is not None and member.index > upcoming:
        reason = "snapshot-gap" if member is files[0] else "missing-entries"
        events.append({"from": 0, "to": 0, "reason": reason, "file": member.name})
    for event in in_order(file):
        if event.get("index", covered + 1) <= covered:  # a wrong header has no index
            continue
        if "at" in event and limit is not None and event["index"] >= limit:
            event = as_lost(event, "overlapping-files")
        events.append({**event, "file": member.name})
    following = member.index + (file.whole if torn and is_last else file.committed)
    following = following if limit is None else min(following, limit)
    upcoming = max(following, covered + 1, highest)
    fits = upcoming == following and file.end is not None
    return events, upcoming, (member.name, file.end or 0) if fits else None
