"""Find how far a growing log can be read: to its last whole record, or to a limit."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from typing import Any, cast

from pyspark_journal.options import Options
from pyspark_journal.positions import Position, order, with_checksums
from reference_impl.answer import End, Lost
from walproof.lake.discovery import FoundLog
from walproof.lake.file_tree import Tree
from walproof.lake.opening import opened
from walproof.scan import part_from
from walproof.scan.model import Wanted

NOTHING = Wanted(payload=False, columns=frozenset())


def advance(
    found: FoundLog,
    before: Position,
    tree: Tree,
    options: Options,
    limit: int | None = None,
    one_at_least: bool = True,
) -> tuple[Position, int, bool]:
    """Return the position up to which a log can be read now, and the bytes of records up to it.

    The third value is false if more records exist, because ``limit`` was reached. If
    ``one_at_least`` is true, the first record may exceed the limit. A torn tail is left for later.
    Damage at the end is included once the log has stopped growing. Raises ``OSError``, and
    ``UnknownFormat`` (a ``ValueError``).
    """
    size = 0
    is_all, is_refused = True, False
    # Places are the number of a file, an offset in it, and its name.
    damage: tuple[int, int, str | None] | None = None
    with opened(found, options) as log:
        format_id = log.format
        before = replace(before, format=format_id, path=found.path, fault=None)
        place = (*before.order_key, before.file)
        with closing(cast(Any, log.scan(NOTHING, part_from(format_id, before.at)))) as events:
            for event in events:
                if isinstance(event, End):
                    is_refused = event.verdict == "refused"
                    continue
                number = order(format_id, event.file)
                if isinstance(event, Lost):
                    if not event.torn and (number, event.start) >= place[:2]:
                        # An empty range must be passed as well.
                        end = (number, max(event.end, event.start + 1), event.file)
                        damage = end if damage is None else max(damage, end)
                    continue
                if number < before.order_key[0]:
                    continue
                is_new = event.at >= (before.at if number == before.order_key[0] else 0)
                sizes = event.size[is_new]
                ends, count = event.at[is_new] + sizes, len(sizes)
                if limit is not None:
                    fitting = int((size + sizes.cumsum() <= limit).sum())
                    if size == 0 and one_at_least:
                        fitting = max(1, fitting)
                    is_all, count = fitting >= count, min(fitting, count)
                if count:
                    place = (number, int(ends[count - 1]), event.file)
                    size += int(sizes[:count].sum())
                    damage = None
                if not is_all:
                    break
    is_quiet = time.time() - found.modified >= options.quiet
    if is_quiet and is_refused:
        return replace(before, at=max(1, found.size)), found.size, True
    if is_quiet and damage is not None and is_all:
        place = damage
    if place[:2] <= before.order_key:
        return before, 0, is_all
    position = replace(before, at=place[1], file=place[2])
    return with_checksums(position, found, tree), size, is_all
