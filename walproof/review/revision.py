"""Provide the trees of a review: the work tree, and an earlier revision from git."""

from __future__ import annotations

import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from conformance import BUILD
from conformance.process import CannotStart, JsonLinesProgram, Limits, NoReply, run_program
from conformance.sandbox import Sandbox, python_paths
from walproof.review.finding import CannotReview

#: Directories that a review compares.
PARTS = ("ksy", "spec", "vectors", "reference_impl")

FILE_BYTES = 1 << 30
GIT_SECONDS = 300
WORKER = Path(__file__).resolve().parent / "worker.py"


def take_out(root: Path, revision: str, into: Path) -> str:
    """Extract the :data:`PARTS` of a revision. Return the short id of the commit.

    Raises :class:`~walproof.review.finding.CannotReview`.
    """
    commit = _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if not commit:
        raise CannotReview(
            f"{revision}: no such revision of {root} (a shallow clone lacks earlier commits)"
        )
    names = _git(root, "ls-tree", "--name-only", commit).split()
    parts = [part for part in PARTS if part in names]
    if parts:
        with tempfile.NamedTemporaryFile(suffix=".tar") as file:
            _git(root, "archive", "--output", file.name, commit, *parts)
            with tarfile.open(file.name) as archive:
                # Python 3.11.0 to 3.11.3 have no extraction filters. This is safe, because git
                # archive writes no paths outside the target.
                archive.extraction_filter = getattr(tarfile, "data_filter", None)
                archive.extractall(into)
    return _git(root, "rev-parse", "--short", commit)


def _git(root: Path, *arguments: str) -> str:
    try:
        done = run_program(["git", "-C", str(root), *arguments], GIT_SECONDS)
    except CannotStart:
        raise CannotReview("git not found on PATH") from None
    return done.stdout.strip() if done.returncode == 0 else ""


class RevisionReaders:
    """Runs the readers of one tree in a sandboxed process that can read the logs in ``scratch``."""

    def __init__(self, root: Path, wall_seconds: float = 20, scratch: Path | None = None) -> None:
        (BUILD / "kaitai").mkdir(parents=True, exist_ok=True)
        self._folder = tempfile.TemporaryDirectory(prefix="walproof-sandbox-")
        self.sandbox = Sandbox(
            Path(self._folder.name),
            reads=[
                *python_paths(),
                root,
                WORKER,
                BUILD / "kaitai",
                *([scratch] if scratch else []),
            ],
            bare=True,
        )
        # -P keeps modules next to the worker from being imported instead of those of the revision.
        self._program = JsonLinesProgram(
            [sys.executable, "-P", "-B", str(WORKER)],
            self.sandbox,
            {"PYTHONPATH": str(root.resolve())},
            wall_seconds,
            Limits(file_bytes=FILE_BYTES),
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and return the reply. If the reader fails, return ``{"error": …}``."""
        try:
            return self._program.request(request)
        except NoReply as why:
            return {"error": str(why), "place": ""}

    def close(self) -> None:
        """Stop the process if it is running."""
        self._program.close()
        self._folder.cleanup()
