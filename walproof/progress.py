"""The progress bar of long-running commands, on standard error."""

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

from walproof.cli.output import is_quiet

REDRAW_SECONDS = 0.1


class ProgressBar:
    """A progress bar with a label."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task
        self._drawn = 0.0

    def advance(self, count: int = 1, text: str | None = None) -> None:
        """Advance by ``count`` and optionally change the label."""
        self._progress.update(self._task, advance=count, description=text)
        self._draw()

    def show(
        self, text: str | None = None, done: int | None = None, total: int | None = None
    ) -> None:
        """Set the label, the completed amount, or the total."""
        self._progress.update(self._task, description=text, completed=done, total=total)
        self._draw()

    def _draw(self) -> None:
        if time.monotonic() - self._drawn > REDRAW_SECONDS:
            self._drawn = time.monotonic()
            self._progress.refresh()


@contextlib.contextmanager
def progress_bar(
    text: str, total: int | None = None, in_bytes: bool = False, shows_count: bool = True
) -> Iterator[ProgressBar]:
    """Show a progress bar while the block runs, if standard error is a terminal."""
    # No thread redraws the bar (auto_refresh), because a process with threads cannot fork safely.
    console = Console(stderr=True)
    amount: tuple[ProgressColumn, ...] = (MofNCompleteColumn(),)
    if not shows_count:
        amount = ()
    if in_bytes:
        amount = (DownloadColumn(binary_units=True), TransferSpeedColumn())
    with Progress(
        TextColumn("{task.description}"), BarColumn(), *amount, TimeRemainingColumn(),
        console=console, transient=True, auto_refresh=False,
        disable=is_quiet() or not console.is_terminal,
    ) as progress:  # fmt: skip
        yield ProgressBar(progress, progress.add_task(text, total=total))
