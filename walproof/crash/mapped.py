"""Pages of mapped memory that changed: operations that no system call shows.

They are what the files held, whenever somebody looked, and the calls until then do not explain.
"""

from __future__ import annotations

from collections.abc import Mapping

from walproof.crash.stops import PAGE, Pages
from walproof.crash.strace_words import NotUnderstood
from walproof.crash.trace import Live, Operation, Sync, Trace, Write


class Mapped:
    """Adds such pages to a trace. :attr:`files` are those that were ever mapped to be written."""

    def __init__(self, trace: Trace, live: Live) -> None:
        self.trace, self.live = trace, live
        self.files: set[int] = set()
        self._window = 0

    def before_a_call(self, seen: Mapping[str, Pages]) -> None:
        """What the files held when a call began, which is about to be added.

        A file may be ahead of the trace by calls of other threads that have not ended: only what
        both have is compared, and only of files that were mapped.
        """
        for path, pages in seen.items():
            if (node := self.live.node(path)) in self.files:
                assert node is not None
                self._add(self._changed(node, pages))

    def acknowledged(self, seen: Mapping[str, Pages], stopped: bool) -> None:
        """What the files held when records had been called safe and the program waited.

        Where its calls were ``stopped``, what has changed came after the last of them; else it is
        taken to have come before the last sync, which assumes least of what other syncs cover.
        Raises :class:`NotUnderstood` if the calls do not explain the rest.
        """
        for path, pages in seen.items():
            node = self.live.node(path)
            if node is None:
                continue
            changed = self._changed(node, pages)
            size = sum(map(len, pages))
            if size == len(self.live.content[node]) and not changed:
                continue
            if node not in self.files or size != len(self.live.content[node]):
                raise NotUnderstood(f"{path} is not as its system calls left it")
            if stopped:
                self._add(changed)
            else:
                self._insert(node, changed)

    def waits(self) -> None:
        """The program has called records safe: what comes next is compared with this moment."""
        self._window = len(self.trace.operations)

    def _changed(self, node: int, pages: Pages) -> list[Write]:
        known = self.live.content[node]
        return [
            Write(node, at, page[: len(known) - at])
            for at, page in zip(range(0, len(known), PAGE), pages, strict=False)
            if known[at : at + len(page)] != page[: len(known) - at]
        ]

    def _add(self, writes: list[Write]) -> None:
        for one in writes:
            self.live.apply(one)
        self.trace.operations += writes

    def _insert(self, node: int, writes: list[Write]) -> None:
        operations = self.trace.operations
        syncs = [
            index
            for index in range(self._window, len(operations))
            if isinstance(one := operations[index], Sync) and one.node in (node, None)
        ]
        at = syncs[-1] if syncs else len(operations)
        for one in writes:
            self.live.apply(one)
        operations[at:at] = list[Operation](writes)
        for index in range(at + len(writes), len(operations)):
            if isinstance(one := operations[index], Sync) and one.since >= at:
                operations[index] = Sync(one.node, one.since + len(writes))
