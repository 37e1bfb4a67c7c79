"""What every command that writes a file must not do: write onto the log that it reads."""

from __future__ import annotations

from pathlib import Path

import click


def must_not_overwrite(log: Path, out: Path, option: str) -> None:
    """Raise ``UsageError`` if ``out`` is the log, or a file of it, under whatever name.

    Files are told apart by device and inode, so links do not get around it.
    """
    if not out.exists():
        return
    files = [log, *log.rglob("*")] if log.is_dir() else [log]
    if any(out.samefile(file) for file in files if file.exists()):
        raise click.UsageError(f"{option} {out} would overwrite the log")
