"""The trees of a review: the work tree, and an older revision of it from git."""

from __future__ import annotations

import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from conformance import BUILD
from conformance.process import CannotStart, JsonLinesProgram, Limits, NoReply, run_program
from conformance.sandbox import Sandbox, python_paths

PARTS = ("ksy", "spec", "vectors", "reference_impl")
"""What a review looks at."""

FILE_BYTES = 1 << 30
GIT_SECONDS = 300
WORKER = Path(__file__).resolve().parent / "worker.py"


class UnknownRevision(Exception):
    """The revision does not exist, or the folder is not under git."""


def take_out(root: Path, revision: str, into: Path) -> str:
    """Put the :data:`PARTS` of a revision into a folder; returns the short id of the commit.

    A folder may stand for a revision: then nothing is copied, and its path is returned.
    """
    commit = _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if not commit:
        raise UnknownRevision(f"{revision}: no such revision of {root}{_of_a_shallow_clone(root)}")
    found = _git(root, "ls-tree", "--name-only", commit).split()
    parts = [part for part in PARTS if part in found]
    if parts:
        with tempfile.NamedTemporaryFile(suffix=".tar") as file:
            _git(root, "archive", "--output", file.name, commit, *parts)
            with tarfile.open(file.name) as archive:
                archive.extractall(into, filter="data")
    return _git(root, "rev-parse", "--short", commit)


def _of_a_shallow_clone(root: Path) -> str:
    if _git(root, "rev-parse", "--is-shallow-repository") != "true":
        return ""
    return (
        "; this is a shallow clone, which has its last commits only: fetch the others"
        " (git fetch --unshallow; for actions/checkout, fetch-depth: 0)"
    )


def _git(root: Path, *arguments: str) -> str:
    try:
        done = run_program(["git", "-C", str(root), *arguments], GIT_SECONDS)
    except CannotStart:
        raise UnknownRevision("git is needed to find a revision, and is not on PATH") from None
    return done.stdout.strip() if done.returncode == 0 else ""


class Worker:
    """The readers of one tree, in a process of their own, and that in a box.

    They read the tree and what Python needs, and change nothing but ``scratch``.
    """

    def __init__(self, root: Path, wall_seconds: float = 20, scratch: Path | None = None) -> None:
        (BUILD / "kaitai").mkdir(parents=True, exist_ok=True)
        self._wall_seconds = wall_seconds
        self._own = tempfile.TemporaryDirectory(prefix="walproof-box-")
        self.sandbox = Sandbox(
            Path(self._own.name),
            reads=[*python_paths(), root, WORKER, BUILD / "kaitai"],
            writes=[] if scratch is None else [scratch],
            bare=True,
        )
        # -P: the folder of the worker must not hide the modules of the older tree.
        self._program = JsonLinesProgram(
            [sys.executable, "-P", "-B", str(WORKER)],
            self.sandbox,
            {"PYTHONPATH": str(root.resolve())},
            wall_seconds,
            Limits(file_bytes=FILE_BYTES),
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        """The reply; ``{"error"}`` if the reader raised, died, or took too long.

        A reader that loops is stopped by its own process, which says where; what cannot be stopped
        so is ended when the whole time is over.
        """
        try:
            return self._program.request({"seconds": self._wall_seconds * 0.75, **request})
        except NoReply as why:
            text = str(why)
            return {"error": "the reader died" if text == "it exited without a reply" else text}

    def close(self) -> None:
        """Stop the process, if there is one."""
        self._program.close()
        self._own.cleanup()
