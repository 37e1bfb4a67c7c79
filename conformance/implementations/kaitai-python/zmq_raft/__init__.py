"""A zmq-raft reader that adds the rules that no grammar can express to the generated parsers.

It implements spec/zmq-raft.md and shares no code with ``reference_impl``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .directory import directory
from .file import in_order
from .index_file import compare_terms, index_file
from .snapshot import snapshot_file
from .state import state_file

INDEX_NAME = re.compile(r"([0-9a-f]{14})\.rlog")
SNAPSHOT_NAME = re.compile(
    r"(.*\.)?snap(\.tmp-\d+-[0-9a-z]+|-\d{4}(-\d\d){2}-\d{6}-\d{3}[0-9a-z]+)?"
)


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer for one log."""
    context = request["context"]
    if path.is_dir():
        events, end, files = directory(path, context)
        return answer(events, end, files, request["profile"])
    data = path.read_bytes()
    file_type = kind_of(path.name, data, context)
    if file_type == "index":
        inside = INDEX_NAME.fullmatch(path.name)
        named = int(inside[1], 16) if inside else None
        if "first_index" in context:
            named = int(context["first_index"])
        file = index_file(data, named, context.get("entries") == "raw")
        events = compare_terms(in_order(file), None)
    else:
        file = snapshot_file(data) if file_type == "snapshot" else state_file(data)
        # A wrong header and the snapshot both begin at 0. The lost header is listed first.
        events = [*file.lost, *file.records] if file_type == "snapshot" else in_order(file)
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
    """Return the type of a file (ZMR-105)."""
    given = context.get("kind")
    if given in ("index", "snapshot", "state"):
        return str(given)
    if data[:4] == b"RLOG" or name.endswith(".rlog"):
        return "index"
    if data[:4] == b"SNAP" or SNAPSHOT_NAME.fullmatch(name):
        return "snapshot"
    return "state"


def answer(
    events: list[dict[str, Any]], end: Any, files: list[tuple[str, int]], profile: str
) -> dict[str, Any]:
    """Return the answer for some events.

    With ``strict``, everything after the first damage is lost.
    """
    damage = [e for e in events if "reason" in e and not e["reason"].startswith("torn-")]
    torn = [e for e in events if "reason" in e and e["reason"].startswith("torn-")]
    if damage and profile == "strict":
        first = damage[0]
        events = events[: events.index(first)]
        names = [name for name, _ in files]
        for name, size in files[names.index(first.get("file", "")) :]:
            start = first["from"] if name == first.get("file", "") else 0
            location = {"file": name} if name else {}
            events.append({**location, "from": start, "to": size, "reason": first["reason"]})
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
    """Return a record in the form of an answer, with 64-bit numbers as decimal text."""
    wide = {name: str(record[name]) for name in ("index", "term") if name in record}
    return record | wide


def without_index(loss: dict[str, Any]) -> dict[str, Any]:
    """Return a loss in the form of an answer, without the adapter's index."""
    return {name: value for name, value in loss.items() if name != "index"}
