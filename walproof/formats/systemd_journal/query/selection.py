"""Select entries of several journal files by a query, in output order."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from reference_impl.answer import End, Lost
from walproof.formats.systemd_journal.query.filters import BadFilter, Cursor, Filter
from walproof.formats.systemd_journal.query.journal_file import JournalEntry
from walproof.formats.systemd_journal.system_folder import boot_times, merge_files
from walproof.formats.systemd_journal.system_folder.merge import comes_before, is_the_same

#: The display name of each file, and its path.
Paths = Sequence[tuple[str, Path]]
_BOOT = re.compile(
    r"(?P<id>[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?(?P<offset>[+-]?\d{1,9})?"
)


@dataclass(frozen=True)
class Query:
    """The entries to select. Times are in microseconds since 1970 and are inclusive."""

    filter: Filter = field(default_factory=Filter)
    since: int | None = None
    until: int | None = None
    #: Boot id or boot number: 0 is the last boot, -1 the boot before it, and 1 the first boot.
    boot: str | None = None
    #: Number of entries to show: the last entries, or the first ones if ``are_oldest`` is true.
    lines: int | None = None
    are_oldest: bool = False
    is_reverse: bool = False
    #: Cursor after which entries are selected, in the direction of reading.
    after: Cursor | None = None


@dataclass
class Rest:
    """The lost ranges and the combined ``End`` of all files, complete after the last entry."""

    lost: list[Lost] = field(default_factory=list)
    end: End = field(default_factory=lambda: End("intact", None, None))


def select(paths: Paths, query: Query, rest: Rest) -> Iterator[JournalEntry]:
    """Yield the entries that a query selects. ``rest`` is complete after the last entry.

    Raises ``OSError``, and :class:`BadFilter` if the boot does not exist.
    """
    boot = None if query.boot is None else find_boot(paths, query.boot)
    entries: Iterator[JournalEntry]
    entries = (each for each in _all(paths, rest) if _is_selected(each, query, boot))
    if query.is_reverse:
        entries = iter(list(entries)[::-1])
    if query.after is not None:
        entries = _after(paths, entries, query.after, query.is_reverse)
    if query.lines is None:
        yield from entries
    elif query.is_reverse or query.are_oldest or query.after is not None:
        yield from islice(entries, query.lines)
        for _ in entries:  # the lost ranges are complete only at the end
            pass
    else:
        yield from deque(entries, query.lines)


def _all(paths: Paths, rest: Rest) -> Iterator[JournalEntry]:
    for event in merge_files(paths):
        if isinstance(event, JournalEntry):
            yield event
        elif isinstance(event, Lost):
            rest.lost.append(event)
        else:
            rest.end = event


def _is_selected(entry: JournalEntry, query: Query, boot: bytes | None) -> bool:
    if query.since is not None and entry.realtime < query.since:
        return False
    if query.until is not None and entry.realtime > query.until:
        return False
    return (boot is None or entry.boot() == boot) and query.filter.selects(entry)


def _after(
    paths: Paths, entries: Iterator[JournalEntry], cursor: Cursor, is_reverse: bool
) -> Iterator[JournalEntry]:
    """Yield the entries after a cursor, in the direction of reading.

    The entry of the cursor itself may be missing.
    """
    boots = boot_times(paths)
    for entry in entries:
        if is_the_same(entry, cursor):
            continue
        if comes_before(entry, cursor, boots) == is_reverse:
            yield entry


def find_boot(paths: Paths, text: str) -> bytes:
    """Return the id of the boot with an id, a number, or both. Raises :class:`BadFilter`.

    With both, the number counts from the boot with this id.
    """
    match = _BOOT.fullmatch(text)
    if match is None or not text:
        raise BadFilter(f"expected 0, -1, 1 or the id of a boot, found {text!r}")
    wanted = match["id"].replace("-", "").encode() if match["id"] else None
    if wanted is not None and not match["offset"]:
        return wanted
    boots = list(dict.fromkeys(entry.boot() for entry in _all(paths, Rest())))
    number = int(match["offset"])
    if wanted is not None:
        if wanted not in boots:
            raise BadFilter(f"no entry of boot {wanted.decode()}")
        place = boots.index(wanted) + number
    else:
        place = number - 1 if number > 0 else len(boots) - 1 + number
    if not 0 <= place < len(boots):
        raise BadFilter(f"no boot {number}: there are entries of {len(boots)}")
    return boots[place]
