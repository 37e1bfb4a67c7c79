"""Find changed pages of mapped memory: writes that no system call shows.

A page has changed if a snapshot of the files differs from what the recorded calls explain.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping

from lab.crash.sync_snapshots import PAGE, Look, Pages
from lab.crash.trace import Live, Sync, Trace, Write


class Mapped:
    """Add changed pages to a trace. :attr:`files` are those that were ever mapped for writing.

    A snapshot is placed in the trace by its time. strace reports a call before the snapshot is
    taken, and the snapshot includes what other threads did in between. Therefore a paused call
    begins at its snapshot: for every call that has not ended, :attr:`began` has the number of
    operations before the snapshot, by thread.
    """

    def __init__(self, trace: Trace, live: Live) -> None:
        self.trace, self.live = trace, live
        self.files: set[int] = set()
        self.began: dict[int, int] = {}
        self.looks: deque[Look] = deque()
        self._waits: tuple[int, Look] | None = None
        self._looked: set[int] = set()
        """The threads before whose present calls somebody has looked."""

    def begins(self, thread: int) -> None:
        """A call of a thread begins."""
        self.began[thread] = len(self.trace.operations)
        self._looked.discard(thread)

    def ends(self, thread: int) -> None:
        """Note that a paused call of a thread has ended: the snapshot before it is complete.

        The times of strace do not always show this, because strace may record them late.
        """
        if thread in self._looked:
            return
        its_own = next((each.time for each in self.looks if each.thread == thread), None)
        if its_own is not None:
            self.until(its_own)

    def until(self, time: float) -> None:
        """Take all looks until then, in order."""
        while True:
            next_look = self.looks[0].time if self.looks else math.inf
            waits = math.inf if self._waits is None else self._waits[1].time
            if min(next_look, waits) > time or next_look == waits == math.inf:
                return
            if waits < next_look:
                self._waited()
                continue
            look = self.looks.popleft()
            self.seen(look.seen)
            if look.thread in self.began:
                self.begins(look.thread)
                self._looked.add(look.thread)

    def waits(self, look: Look) -> None:
        """Records are about to be called safe; the program then waited for this look."""
        self._waits = (len(self.trace.operations), look)

    def _waited(self) -> None:
        """Process a snapshot of a program that was waiting after it had acknowledged records.

        Changes are assumed to have been written before that, unless a sync of another thread has
        ended since and may have written them.
        """
        assert self._waits is not None
        (at, look), self._waits = self._waits, None
        operations = self.trace.operations
        end = len(operations)
        self.seen(look.seen)
        if any(isinstance(each, Sync) for each in operations[at:end]):
            return
        writes = operations[end:]
        del operations[end:]
        operations[at:at] = writes
        for thread, since in self.began.items():
            if since > at:
                self.began[thread] = since + len(writes)

    def seen(self, seen: Mapping[str, Pages]) -> None:
        """Compare the files at this moment with the trace.

        The files may be ahead of the trace by calls of other threads that have not returned. Only
        the bytes that both contain are compared, and only in files that were mapped.
        """
        for path, pages in seen.items():
            if (node := self.live.node(path)) in self.files:
                assert node is not None
                writes = self._changed(node, pages)
                for each in writes:
                    self.live.apply(each)
                self.trace.operations += writes

    def _changed(self, node: int, pages: Pages) -> list[Write]:
        known = self.live.content[node]
        return [
            Write(node, at, page[: len(known) - at])
            for at, page in zip(range(0, len(known), PAGE), pages, strict=False)
            if known[at : at + len(page)] != page[: len(known) - at]
        ]
