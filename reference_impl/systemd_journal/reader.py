"""The reader of journal files, which recognises and inspects them and reports the answer.

See spec/systemd-journal.md, "Reading".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from operator import itemgetter
from pathlib import Path
from typing import Any

from reference_impl.answer import End, Event, Lost, ReasonCode, Verdict
from reference_impl.systemd_journal import layout, query
from reference_impl.systemd_journal.inspection import Inspection, inspect, refusal
from reference_impl.systemd_journal.layout import parse_header
from reference_impl.systemd_journal.loading import loaded
from reference_impl.systemd_journal.objects import Fault, HashFunction, hash_of
from reference_impl.systemd_journal.walk import Walk


def recognise(path: Path) -> bool:
    """Return whether a file begins with the signature of a journal file."""
    if path.is_dir():
        return False
    with path.open("rb") as log:
        return log.read(len(layout.SIGNATURE)) == layout.SIGNATURE


def read(path: Path, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
    """Read a journal file. Raises ``OSError``, and ``ValueError`` for an unknown profile."""
    with loaded(path) as data:
        yield from read_data(data, profile, context)


def read_data(data: Any, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
    """Read a journal file from arbitrary bytes. Raises ``ValueError`` for an unknown profile."""
    yield from events_of(examine(data, profile, context))


def events_of(examination: Examination) -> Iterator[Event]:
    """Yield the records and lost ranges of an examined file, then the end."""
    if examination.inspection is not None:
        for at in examination.entries:
            yield examination.inspection.record(at)
    yield from examination.lost
    yield examination.end


@dataclass(frozen=True)
class Examination:
    """The result of reading a journal file in one profile."""

    #: The result of the checks, or None if the file is refused or its header is incomplete.
    inspection: Inspection | None
    #: The offsets of the entries to return, in file order.
    entries: Sequence[int]
    lost: Sequence[Lost]
    end: End


def examine(
    data: Any, profile: str, context: Mapping[str, Any], hash_function: HashFunction = hash_of
) -> Examination:
    """Read a journal file, and select entries as the context specifies.

    Raises ``ValueError`` for an unknown profile, and
    :class:`~reference_impl.systemd_journal.sealing.BadKey` (SDJ-070).
    """
    if profile not in ("recover", "strict"):
        raise ValueError(f"unknown profile {profile!r}: expected 'recover' or 'strict'")
    size = len(data)
    if size < layout.HEADER_MIN:
        if bytes(data[:8]) != layout.SIGNATURE[:size]:
            return Examination(None, (), (), End("refused", "not-a-journal", None))
        return _torn_header(size)  # SDJ-050
    if (reason := refusal(data)) is not None:
        return Examination(None, (), (), End("refused", reason, None))
    if parse_header(data).header_size > size:
        return _torn_header(size)
    inspection = inspect(data, context, hash_function=hash_function)
    torn_from = tail_of_crash(inspection)
    parts = disjoint(inspection, torn_from)
    lost = [gap for _, gap in parts]
    unlinked = {
        f.start
        for f in inspection.faults
        if f.rule == "SDJ-046" and _is_torn(inspection, f, torn_from)
    }
    damage = [(number, gap) for number, gap in parts if not gap.torn]
    verdict: Verdict = "damaged" if damage else "intact" if torn_from is None else "torn"
    is_cut = inspection.walk.cut is not None
    reason = None if torn_from is None else torn_reason(inspection, is_cut)
    if damage:
        _, first_found = min(damage, key=itemgetter(0))
        reason = first_found.reason
    selected = set(query.select(inspection, context)) - unlinked
    if profile == "strict" and damage:
        entries = []
        start = damage[0][1].start
        for at in inspection.entries:
            if at + inspection.view.object_size(at) > start:
                break
            if inspection.is_missing_fields(at) or at in unlinked:
                start = at
                break
            if at in selected:
                entries.append(at)
        lost = [Lost(start, size, reason or "")]  # SDJ-056
        return Examination(inspection, entries, lost, End("damaged", reason, None))
    return Examination(
        inspection,
        [at for at in inspection.entries if at in selected],
        lost,
        End(verdict, reason, append_offset(inspection.walk) if verdict == "intact" else None),
    )


def append_offset(walk: Walk) -> int | None:
    """Return the offset at which writers may continue an intact file, or None (SDJ-055)."""
    header = walk.view.header
    if header.state != layout.OFFLINE or header.compatible_flags & ~layout.COMPATIBLE_KNOWN:
        return None
    if not header.data_hash_table_size or not header.field_hash_table_size:
        return None
    if header.sealed and walk.view.data[walk.last] != layout.TAG:
        return None
    return walk.end


def _torn_header(size: int) -> Examination:
    lost = [Lost(0, size, "torn-header", torn=True)] if size else []
    return Examination(None, (), lost, End("torn", "torn-header", 0))


def tail_of_crash(inspection: Inspection) -> int | None:
    """Return the offset after which a crash or a truncation may explain faults, or None.

    A file that is shorter than its header states was truncated (SDJ-051). An online file may have
    an unfinished append after its last complete entry (SDJ-052).
    """
    header, walk = inspection.view.header, inspection.walk
    if walk.cut is not None and header.header_size + header.arena_size > inspection.view.size:
        return walk.cut
    if header.state == layout.ONLINE and inspection.faults:
        return inspection.entries[-1] if inspection.entries else header.header_size
    return None


def _is_torn(inspection: Inspection, fault: Fault, torn_from: int | None) -> bool:
    if torn_from is None:
        return False
    if fault.reason in ("bad-index", "bad-chain"):
        # Pages are written and copied in any order, so older pages may lack links to later objects.
        torn_from = min(torn_from, inspection.links.grown_from)
    # Writers update counts, head and tail last, so a crash may leave any of them out of date.
    # Fields that are set when a file is created are never out of date.
    newest = max(fault.start, fault.target, fault.newest)
    return newest >= torn_from or fault.rule in ("SDJ-049", "SDJ-097")


def torn_reason(inspection: Inspection, is_cut: bool) -> str:
    """Return the reason code for a torn range, after a truncation or an append.

    ``is_cut`` is true if the range begins where the walk was cut off. In a truncated file, SDJ-051
    then decides the code, otherwise SDJ-052.
    """
    header = inspection.view.header
    if header.header_size + header.arena_size <= inspection.view.size:
        return "torn-append"
    return ReasonCode("torn-file", "SDJ-051" if is_cut else "SDJ-052")


def disjoint(inspection: Inspection, torn_from: int | None) -> list[tuple[int, Lost]]:
    """Return disjoint lost ranges in file order, each with the index of its fault.

    If several faults cover a range, the one that was detected first counts (SDJ-054).
    """
    lost: list[tuple[int, Lost]] = []
    ranges = [(fault.start, min(fault.end, inspection.view.size)) for fault in inspection.faults]
    for number, start, end in _owned(ranges):
        fault = inspection.faults[number]
        torn = _is_torn(inspection, fault, torn_from)
        reason: str = ReasonCode(fault.reason, fault.rule)
        if torn:
            reason = torn_reason(inspection, fault.start == inspection.walk.cut)
        lost.append((number, Lost(start, end, reason, torn=torn)))
    return lost


def _owned(ranges: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Divide overlapping ranges into disjoint parts (SDJ-057).

    For each part, yield the index of the first range that contains it, its start and its end.
    """
    by_start = sorted(range(len(ranges)), key=lambda number: ranges[number])
    offsets = sorted({offset for pair in ranges for offset in pair})
    open_ranges: list[int] = []
    opened, owner, since = 0, -1, 0
    for at in offsets:
        while opened < len(by_start) and ranges[by_start[opened]][0] <= at:
            heappush(open_ranges, by_start[opened])
            opened += 1
        while open_ranges and ranges[open_ranges[0]][1] <= at:
            heappop(open_ranges)
        first = open_ranges[0] if open_ranges else -1
        if first != owner:
            if owner >= 0:
                yield owner, since, at
            owner, since = first, at
