"""Find how far a growing log can be read: to its last whole record, or to a limit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, cast

from pyspark_journal.options import Options
from pyspark_journal.positions import Position, order, with_mark
from reference_impl.answer import End
from walproof.lake.discovery import FoundLog
from walproof.lake.file_tree import Tree
from walproof.lake.opening import opened
from walproof.scan import part_from
from walproof.scan.model import Event, Records, Wanted

NOTHING = Wanted(payload=False, columns=frozenset())
Place = tuple[int, int]


@dataclass(frozen=True)
class Reached:
    """A position, and the number of bytes since the previous position.

    ``is_all`` is true if the log has no more records for now, and no limit was reached.
    """

    position: Position
    size: int
    is_all: bool = True


def advance(
    listed: FoundLog,
    before: Position,
    tree: Tree,
    options: Options,
    limit: int | None = None,
    bound: Place | None = None,
    one_at_least: bool = True,
) -> Reached:
    """Return the position up to which a log can be read now.

    The number of bytes since the previous position is at most ``limit``. If ``one_at_least`` is
    true, the first record may exceed the limit. ``bound`` is the last permitted position. A torn
    tail is left for later. Damage at the end is included once the log has stopped growing. Raises
    ``OSError``, and ``UnknownFormat`` (a ``ValueError``).
    """
    with opened(listed, options) as log:
        format_id = log.format
        before = replace(before, format=format_id, path=listed.path, fault=None)
        scan = cast(Any, log.scan(NOTHING, part_from(format_id, before.at)))
        with closing(scan) as events:
            walk = _Walk(before, limit, bound, one_at_least)
            walk.through(events)
    is_quiet = time.time() - listed.modified >= options.quiet
    file, at = walk.last
    if is_quiet and walk.refused:
        return Reached(replace(before, at=max(1, listed.size)), listed.size)
    if is_quiet and walk.damage is not None and not walk.is_limited:
        file, at = walk.damage
    if (order(format_id, file), at) <= before.order_key:
        return Reached(before, 0, not walk.is_limited)
    position = with_mark(replace(before, file=file, at=at), tree)
    return Reached(position, walk.size, not walk.is_limited)


class _Walk:
    """Reads events to find the last position without an open record."""

    def __init__(
        self, before: Position, limit: int | None, bound: Place | None, one_at_least: bool
    ) -> None:
        self.before = before
        self.limit = limit
        self.bound = bound
        self.one_at_least = one_at_least
        self.last: tuple[str | None, int] = (before.file, before.at)
        self.damage: tuple[str | None, int] | None = None
        self.size = 0
        self.is_limited = self.refused = False

    def through(self, events: Iterator[Event]) -> None:
        for event in events:
            if isinstance(event, End):
                self.refused = event.verdict == "refused"
            elif isinstance(event, Records):
                self._records(event)
                if self.is_limited:
                    return
            elif not event.torn:
                self._damage(event.file, event.start, event.end)

    def _records(self, run: Records) -> None:
        number = order(self.before.format, run.file)
        selected = run.at >= 0
        if number == self.before.order_key[0]:
            selected &= run.at >= self.before.at
        elif number < self.before.order_key[0]:
            return
        if self.bound is not None and number >= self.bound[0]:
            inside = run.at < (self.bound[1] if number == self.bound[0] else 0)
            self.is_limited = self.is_limited or not inside.all()
            selected &= inside
        ends, sizes = (run.at + run.size)[selected], run.size[selected]
        if not len(ends):
            return
        many = len(ends)
        if self.limit is not None:
            reached = self.size + sizes.cumsum()
            many = int((reached <= self.limit).sum())
            if self.size == 0 and self.one_at_least:
                many = max(1, many)
            self.is_limited = self.is_limited or many < len(ends)
        if many:
            self.last = (run.file, int(ends[many - 1]))
            self.size += int(sizes[:many].sum())
            self.damage = None

    def _damage(self, file: str | None, start: int, end: int) -> None:
        """Note damage after the last record; a later record makes it part of the log."""
        number = order(self.before.format, file)
        if (number, start) < (order(self.before.format, self.last[0]), self.last[1]):
            return
        if self.bound is not None and (number, start) >= self.bound:
            return
        if self.damage is None or (number, end) > (
            order(self.before.format, self.damage[0]),
            self.damage[1],
        ):
            # An empty range must be passed as well.
            self.damage = (file, max(end, start + 1))
