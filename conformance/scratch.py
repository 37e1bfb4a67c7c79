"""Create scratch copies of logs. Programs under test may leave the copies in any state.

Each run of the harness locks its directories. The next run removes all directories that are not
locked.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

IN_MEMORY = Path("/dev/shm")
# Scratch copies are in memory only if at least this many bytes are free there. Otherwise, a program
# under test could run out of space.
ENOUGH = 4 << 30
PREFIX = "walproof-scratch-"


def _scratch_parent() -> Path:
    if not os.environ.get("TMPDIR"):
        with contextlib.suppress(OSError):
            if shutil.disk_usage(IN_MEMORY).free >= ENOUGH and os.access(IN_MEMORY, os.W_OK):
                return IN_MEMORY
    return Path(tempfile.gettempdir())


def _locked_folder(parent: Path) -> tuple[Path, int]:
    _clear_once(parent)
    while True:
        # Another process may remove the directory before it is locked. Then create another one.
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            return folder, lock
        os.close(lock)


@functools.cache
def _clear_once(parent: Path) -> None:
    clear_abandoned(parent)


def clear_abandoned(parent: Path) -> None:
    """Remove the scratch directories below ``parent`` if their creators are no longer running."""
    for folder in parent.glob(f"{PREFIX}*"):
        # A directory may be locked, removed, or owned by another user.
        with contextlib.suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    remove(folder)
            finally:
                os.close(lock)


def in_memory_bytes() -> int:
    """Return the bytes of memory that files use. The result is 0 if no files can be in memory."""
    try:
        status = os.statvfs(IN_MEMORY)
    except OSError:
        return 0
    return (status.f_blocks - status.f_bfree) * status.f_frsize


class Scratch:
    """A new directory for scratch copies, below ``parent`` if given, until :meth:`close`.

    A lock on the directory shows that its creator is running.
    """

    def __init__(self, parent: Path | None = None) -> None:
        self.folder, self._lock = _locked_folder(parent or _scratch_parent())
        self._used_count = 0

    def new_path(self, name: str) -> Path:
        """Return a new path for a log of this name, in a new directory."""
        while True:
            self._used_count += 1
            parent = self.folder / str(self._used_count)
            # A program under test may have created this directory or removed ``self.folder``.
            with contextlib.suppress(FileExistsError):
                parent.mkdir(parents=True)
                return parent / name

    def clear(self, path: Path) -> None:
        """Remove one scratch copy and all files next to it."""
        remove(path.parent)

    def close(self) -> None:
        """Remove the directory with all scratch copies."""
        if self._lock >= 0:
            remove(self.folder)
            os.close(self._lock)
            self._lock = -1


def remove(folder: Path) -> None:
    """Remove a directory that a program may have nested too deep or made unreadable."""
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(folder)
        return
    # ``chmod`` and ``rm`` handle paths that exceed the maximum length. Their errors are ignored.
    for tool in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
        with contextlib.suppress(OSError):
            subprocess.run([*tool, "--", str(folder)], check=False, capture_output=True)
