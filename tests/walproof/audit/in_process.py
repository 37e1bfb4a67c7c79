"""An engine that runs everything in the process of the test, where its faults can be seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from walproof.audit import work
from walproof.audit.engine import KEPT, JobFailed
from walproof.audit.shard import OutputError
from walproof.audit.unit import Task


class InProcess:
    """Runs one task after the other in this process."""

    slots = 1

    def prepare(self) -> None:
        """See :class:`walproof.audit.engine.Engine`."""

    def run(self, tasks: Sequence[Task], tick: Callable[[], None]) -> None:
        """See :class:`walproof.audit.engine.Engine`."""
        for task in tasks:
            try:
                work.run(task)
            except OutputError as error:
                raise JobFailed(f"{error.filename}: {error.strerror}{KEPT}") from error
            tick()

    def stop(self) -> None:
        """See :class:`walproof.audit.engine.Engine`."""
