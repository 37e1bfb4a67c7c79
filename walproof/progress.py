"""The progress display of commands that take long: one bar on standard error."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

REDRAW_SECONDS = 0.1


class ProgressBar:
    """A bar with a text, and how much is done of how much."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task
        self._drawn = 0.0

    def advance(self, count: int = 1, text: str | None = None) -> None:
        """Show that ``count`` more are done, and another text."""
        self._progress.update(self._task, advance=count, description=text)
        self._draw()

    def show(
        self, text: str | None = None, done: int | None = None, total: int | None = None
    ) -> None:
        """Show another text, how many are done, or out of how many."""
        self._progress.update(self._task, description=text, completed=done, total=total)
        self._draw()

    def _draw(self) -> None:
        if time.monotonic() - self._drawn > REDRAW_SECONDS:
            self._drawn = time.monotonic()
            self._progress.refresh()


@contextlib.contextmanager
def progress_bar(
    text: str, total: int | None = None, in_bytes: bool = False
) -> Iterator[ProgressBar]:
    """Show a bar as long as the block runs; nothing where standard error is no terminal.

    It is drawn when it changes, and not by a thread: a process with threads cannot fork safely.
    """
    console = Console(stderr=True)
    amount: tuple[ProgressColumn, ...] = (MofNCompleteColumn(),)
    if in_bytes:
        amount = (DownloadColumn(binary_units=True), TransferSpeedColumn())
    with Progress(
        TextColumn("{task.description}"), BarColumn(), *amount, TimeRemainingColumn(),
        console=console, transient=True, auto_refresh=False, disable=not console.is_terminal,
    ) as progress:  # fmt: skip
        yield ProgressBar(progress, progress.add_task(text, total=total))
