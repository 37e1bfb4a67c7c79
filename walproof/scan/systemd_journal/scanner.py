"""systemd journal files: the twin of ``reference_impl.systemd_journal``.

An entry refers to fields all over the file, and whether they are sound only a walk over all objects
can tell. So each part of a file inspects the whole of it, which takes a fraction of the time that
columns take, and then gives the entries and lost ranges that lie in its bytes: exact on any damage.
Parts that are read in one process one after the other share the inspection.

The work is done by kernels: walk, hashes, links, lists, columns. Python decompresses, and looks at
the header. The reference reader does three things: seals when the context has their key, the index
look-up of ``match`` in a sound file, and files whose FIELD objects have a ``=`` in their names, or
more than 65,535 names, and compressed fields as well.

Memory: the file, as it was when it was read; 64 bytes for an object at the most (256 MB for a file
of a gigabyte); and a run of records.
An entry whose fields take more than a gibibyte has null for ``fields`` and an empty payload, and is
marked as truncated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reference_impl.answer import End, Lost
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.inspection import refusal
from reference_impl.systemd_journal.loading import load
from walproof.scan.log import Log
from walproof.scan.model import WHOLE, Event, Part, Wanted
from walproof.scan.reference import ReferenceScanner
from walproof.scan.systemd_journal import parts
from walproof.scan.systemd_journal.batches import runs
from walproof.scan.systemd_journal.inspection import Inspection, Unusual, inspect
from walproof.scan.systemd_journal.pages import in_large_pages

_ASKED = frozenset({"match", "from_seqnum", "from_realtime"})


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Parts between entries, with about the same number of entries each.

    At most :data:`~walproof.scan.systemd_journal.parts.MOST`, since each repeats the
    inspection. The file is asked for its header and a few slots of its entry arrays.
    """
    return parts.divided(log, target_bytes)


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """The events of a part: records, then lost ranges, and of ``WHOLE`` the end. ``OSError``."""
    try:
        found = parts.inspected(part, lambda: _inspection(log))
    except Unusual:
        # All that is to be said of the file is said with its first part.
        for event in (
            ReferenceScanner("systemd-journal").scan(log, wanted) if not part.start else ()
        ):
            if part == WHOLE or not isinstance(event, End):
                yield event
        return
    if isinstance(found, Inspection):
        numbers = parts.within(part, found)
        if _ASKED & log.context.keys():
            from walproof.scan.systemd_journal.selection import select

            numbers = select(found, numbers, log.context)
        yield from runs(found, numbers, wanted)
        lost, end = found.lost(), found.end()
    else:
        lost, end = found
    for gap in lost:
        if part.start <= gap.start and (part.end is None or gap.start < part.end):
            yield gap
    if part == WHOLE:
        yield end


def _inspection(log: Log) -> Inspection | tuple[list[Lost], End]:
    """What there is in a file; only lost ranges and an end where there is not even a header."""
    raw = load(log.local(), in_large_pages)
    if len(raw) >= layout.HEADER_MIN:
        if (reason := refusal(raw)) is not None:
            return [], End("refused", reason, None)
        header = layout.parse_header(raw[: layout.HEADER_FULL])
        if header.header_size <= len(raw):
            return inspect(raw, header, log.context)
    elif raw and raw[:8] != layout.SIGNATURE[: len(raw)]:
        return [], End("refused", "not-a-journal", None)
    lost = [Lost(0, len(raw), "torn-header", torn=True)] if raw else []  # SDJ-050
    return lost, End("torn", "torn-header", 0)
