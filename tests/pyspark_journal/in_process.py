"""A substitute for a Spark session that runs tasks in the process of the test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class InProcess:
    """The parts of a session that an audit needs."""

    defaultParallelism = 2

    def __init__(self) -> None:
        self.sparkContext: Any = self
        self.tasks: Sequence[Any] = []

    def parallelize(self, tasks: Sequence[Any], count: int) -> InProcess:
        self.tasks = tasks
        return self

    def map(self, work: Callable[[Any], Any]) -> InProcess:
        self.work = work
        return self

    def collect(self) -> list[Any]:
        return [self.work(task) for task in self.tasks]

    def statusTracker(self) -> InProcess:
        return self

    def getActiveStageIds(self) -> list[int]:
        return []

    def cancelAllJobs(self) -> None:
        """Do nothing: there is only one thread."""
