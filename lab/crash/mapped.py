"""Find writes to mapped memory, which do not appear as system calls.

A page of a mapped file was written if a snapshot of the page differs from the recorded calls.
"""

from __future__ import annotations

import math
from collections import deque

from lab.crash.sync_snapshots import Files, Look
from lab.crash.trace import Live, Sync, Trace, Write

#: The unit in which the system writes mapped memory back.
PAGE = 4096


class Mapped:
    """Add the changed pages of mapped files to a trace.

    A paused call counts as beginning at its snapshot. strace prints the call earlier, and other
    threads may write in the meantime.
    """

    def __init__(self, trace: Trace, live: Live) -> None:
        self.trace, self.live = trace, live
        #: The files that were ever mapped for writing.
        self.files: set[int] = set()
        #: For each thread, the number of operations before the snapshot of its unfinished call.
        self.began: dict[int, int] = {}
        self.looks: deque[Look] = deque()
        self._waits: tuple[int, Look] | None = None
        #: The threads whose present calls have a snapshot.
        self._looked: set[int] = set()

    def begins(self, thread: int) -> None:
        """Record that a call of a thread begins."""
        self.began[thread] = len(self.trace.operations)
        self._looked.discard(thread)

    def ends(self, thread: int) -> None:
        """Record that the paused call of a thread has ended, so its snapshot is complete."""
        if thread in self._looked:
            return
        # strace may record times late, so the times alone are not sufficient.
        its_own = next((each.time for each in self.looks if each.thread == thread), None)
        if its_own is not None:
            self.until(its_own)

    def until(self, time: float) -> None:
        """Process all snapshots up to a time, in order."""
        while True:
            next_look = self.looks[0].time if self.looks else math.inf
            waits = math.inf if self._waits is None else self._waits[1].time
            if min(next_look, waits) > time or next_look == waits == math.inf:
                return
            if waits < next_look:
                self._waited()
                continue
            look = self.looks.popleft()
            self.compare(look.files)
            if look.thread in self.began:
                self.begins(look.thread)
                self._looked.add(look.thread)

    def waits(self, look: Look) -> None:
        """Store the snapshot that was taken while the program waited after an acknowledgement."""
        self._waits = (len(self.trace.operations), look)

    def _waited(self) -> None:
        """Insert the changes that were found while the program waited, before the acknowledgement.

        If another thread has synced since the acknowledgement, the changes stay after that sync.
        """
        assert self._waits is not None
        (at, look), self._waits = self._waits, None
        operations = self.trace.operations
        end = len(operations)
        self.compare(look.files)
        if any(isinstance(each, Sync) for each in operations[at:end]):
            return
        writes = operations[end:]
        del operations[end:]
        operations[at:at] = writes
        for thread, since in self.began.items():
            if since > at:
                self.began[thread] = since + len(writes)

    def compare(self, files: Files) -> None:
        """Add the changed pages of mapped files in a snapshot to the trace."""
        # The files may include unfinished calls of other threads. Only bytes in both are compared.
        for path, content in files.items():
            node = self.live.node(path)
            if node is None or node not in self.files:
                continue
            known = self.live.content[node]
            for at in range(0, min(len(known), len(content)), PAGE):
                page = content[at : min(at + PAGE, len(known))]
                if known[at : at + len(page)] != page:
                    write = Write(node, at, page)
                    self.live.apply(write)
                    self.trace.operations.append(write)
