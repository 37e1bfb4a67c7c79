"""What this system offers a plain user to isolate a program with: tried, not guessed."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

from conformance.isolation import landlock, namespaces


@dataclass(frozen=True)
class Offered:
    """The version of Landlock (0: none), and whether a user may make namespaces."""

    landlock: int = 0
    namespaces: bool = False


@functools.cache
def offered() -> Offered:
    """What there is here. It takes some milliseconds, once for each process."""
    if sys.platform != "linux":
        return Offered()
    return Offered(landlock.abi(), _may_make_namespaces())


def _may_make_namespaces() -> bool:
    """Whether a child of ours can enter namespaces, with a folder to write and one to hide.

    A kernel may know them and a rule of the system forbid them: only an attempt tells.
    """
    with tempfile.TemporaryDirectory(prefix="walproof-") as name:
        folder = Path(name).resolve()
        written, hidden = folder / "written", folder / "hidden"
        for path in (written, hidden):
            path.mkdir()
        (hidden / "file").touch()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of ours hold no lock here
            child = os.fork()
        if child == 0:
            works = False
            try:
                namespaces.enter([written], [hidden])
                (written / "file").touch()
                works = not os.listdir(hidden) and not _can_write(folder / "file")  # noqa: PTH208
            finally:
                os._exit(not works)
        return os.waitpid(child, 0)[1] == 0


def _can_write(path: Path) -> bool:
    try:
        path.touch()
    except OSError:
        return False
    return True
