"""How far an audit has come."""

from __future__ import annotations

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.progress import Progress as RichProgress

from walproof.quantity import number


class Progress:
    """Receives what happens, and shows nothing."""

    def reading(self, logs: int, size: int) -> None:
        """``logs`` logs, ``size`` bytes, are going to be read."""

    def read(self, logs: int, size: int) -> None:
        """So much has been read so far."""

    def publishing(self) -> None:
        """Everything has been read."""


class Bar(Progress):
    """A bar on a terminal, in bytes read: those of the units that are done."""

    def __init__(self, console: Console) -> None:
        self._bar = RichProgress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(binary_units=True),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("looking for logs", total=None)
        self._logs = 0
        self.said = "nothing was read yet"
        """How far it has come, for who stops it."""

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def reading(self, logs: int, size: int) -> None:
        """See :class:`Progress`."""
        self._logs = logs
        self._bar.reset(self._task, total=size, description=self._so_far(0))

    def read(self, logs: int, size: int) -> None:
        """See :class:`Progress`."""
        self._bar.update(self._task, completed=size, description=self._so_far(logs))

    def publishing(self) -> None:
        """See :class:`Progress`."""
        self._bar.update(self._task, description="publishing")

    def _so_far(self, logs: int) -> str:
        so_far = f"{number(min(logs, self._logs))} of {number(self._logs)} logs"
        self.said = f"{so_far} were read"
        return so_far
