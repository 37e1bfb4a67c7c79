"""Scratch copies of logs: what programs under test get, and may leave in any state.

A harness that is killed cannot remove its folders. It holds a lock on each of them, which the
system lets go of with it, and whoever makes a folder next removes those that nobody holds.
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
ENOUGH = 4 << 30
"""Bytes that must be free in memory, so that no program under test runs out of space."""
PREFIX = "walproof-scratch-"


class Held:
    """A new folder, whose lock says that its maker lives; gone when it is let go of.

    A process that is forked off holds the lock too, one that is started by ``exec`` does not.
    """

    def __init__(self, parent: Path | None = None) -> None:
        self.folder, self._lock = _locked_folder(parent or _place())

    def close(self) -> None:
        """Remove the folder with all that is in it."""
        if self._lock >= 0:
            remove(self.folder)
            os.close(self._lock)
            self._lock = -1


def _place() -> Path:
    """Where scratch copies are put: in memory where there is room, for a disk takes its time."""
    if not os.environ.get("TMPDIR"):
        with contextlib.suppress(OSError):
            if shutil.disk_usage(IN_MEMORY).free >= ENOUGH and os.access(IN_MEMORY, os.W_OK):
                return IN_MEMORY
    return Path(tempfile.gettempdir())


def _locked_folder(parent: Path) -> tuple[Path, int]:
    """A folder of our own, and the descriptor whose lock keeps it."""
    _clear_once(parent)
    while True:
        # Between these lines somebody may take it for one that nobody holds.
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
    """Remove the scratch folders below ``parent`` whose makers are gone."""
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # somebody else's, gone already, or held
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    remove(folder)
            finally:
                os.close(lock)


def in_memory_bytes() -> int:
    """Return the bytes of memory that files take; 0 where none can lie there."""
    try:
        found = os.statvfs(IN_MEMORY)
    except OSError:
        return 0
    return (found.f_blocks - found.f_bfree) * found.f_frsize


class Scratch:
    """A folder of scratch copies, gone when the run is over; below ``parent`` if that is given."""

    def __init__(self, parent: Path | None = None) -> None:
        self._held = Held(parent)
        self.folder = self._held.folder
        self.used = 0

    def place(self, name: str) -> Path:
        """Return a fresh path for a log of this name, in a new folder."""
        while True:
            self.used += 1
            parent = self.folder / str(self.used)
            # A program under test may have been here first, or removed the whole folder.
            with contextlib.suppress(FileExistsError):
                parent.mkdir(parents=True)
                return parent / name

    def clear(self, place: Path) -> None:
        """Remove one scratch copy and whatever is beside it."""
        remove(place.parent)

    def close(self) -> None:
        """Remove everything."""
        self._held.close()


def remove(folder: Path) -> None:
    """Remove a folder whatever a program made of it: nested too deep, or closed to its owner."""
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(folder)
        return
    # Both know folders deeper than a path can be long. What they cannot do stays.
    for tool in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
        with contextlib.suppress(OSError):
            subprocess.run([*tool, "--", str(folder)], check=False, capture_output=True)
