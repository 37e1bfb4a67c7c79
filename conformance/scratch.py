"""Scratch copies of logs: what programs under test get, and may leave in any state."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

IN_MEMORY = Path("/dev/shm")
ENOUGH = 4 << 30
"""Bytes that must be free in memory, so that no program under test runs out of space."""


def new_folder() -> Path:
    """A folder for scratch copies: in memory where there is room, for a disk takes its time."""
    parent = None if os.environ.get("TMPDIR") else IN_MEMORY
    with contextlib.suppress(OSError):
        if parent is not None and shutil.disk_usage(parent).free >= ENOUGH:
            return Path(tempfile.mkdtemp(prefix="walproof-", dir=parent))
    return Path(tempfile.mkdtemp(prefix="walproof-"))


def in_memory_bytes() -> int:
    """Bytes of memory that files take; 0 where none can lie there."""
    try:
        found = os.statvfs(IN_MEMORY)
    except OSError:
        return 0
    return (found.f_blocks - found.f_bfree) * found.f_frsize


@dataclass
class Scratch:
    """A folder of scratch copies, gone when the run is over."""

    folder: Path = field(default_factory=new_folder)
    used: int = 0

    def place(self, name: str) -> Path:
        """A fresh place for a log of this name."""
        self.used += 1
        parent = f"{self.folder}/{self.used}"
        try:
            os.mkdir(parent)  # noqa: PTH102 - this is done for every request
        except FileNotFoundError:  # a program under test removed what it was not given
            os.makedirs(parent)  # noqa: PTH103
        return Path(parent, name)

    def clear(self, place: Path) -> None:
        """Remove one scratch copy and whatever was written beside it, if that is still there."""
        parent = os.path.dirname(place)  # noqa: PTH120
        try:  # mostly a file, and alone
            os.unlink(place)  # noqa: PTH108
            os.rmdir(parent)  # noqa: PTH106
        except OSError:
            remove(Path(parent))

    def close(self) -> None:
        """Remove everything."""
        remove(self.folder)


def remove(folder: Path) -> None:
    """Remove a folder whatever a program made of it: nested too deep, or closed to its owner."""
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(folder)
        return
    # Both know folders deeper than a path can be long. What they cannot do stays.
    for tool in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
        with contextlib.suppress(OSError):
            subprocess.run([*tool, "--", str(folder)], check=False, capture_output=True)
