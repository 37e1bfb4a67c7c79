"""Scratch copies of logs: what programs under test get, and may leave in any state."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Scratch:
    """A folder of scratch copies, gone when the run is over."""

    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="walproof-")))
    used: int = 0

    def place(self, name: str) -> Path:
        """A fresh place for a log of this name."""
        self.used += 1
        parent = self.folder / str(self.used)
        parent.mkdir(parents=True)
        return parent / name

    def clear(self, place: Path) -> None:
        """Remove one scratch copy and whatever was written beside it, if that is still there."""
        remove(place.parent)

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
