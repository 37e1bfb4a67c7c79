"""The trees of a review: the work tree, and an older revision of it from git."""

from __future__ import annotations

import io
import json
import os
import queue
import subprocess
import sys
import tarfile
import threading
from pathlib import Path
from typing import Any

PARTS = ("ksy", "spec", "vectors", "reference_impl")
"""What a review looks at."""

WORKER = Path(__file__).resolve().parent / "worker.py"


class UnknownRevision(Exception):
    """The revision does not exist, or the folder is not under git."""


def take_out(root: Path, revision: str, into: Path) -> str:
    """Put the :data:`PARTS` of a revision into a folder; returns the short id of the commit.

    A folder may stand for a revision: then nothing is copied, and its path is returned.
    """
    commit = _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if not commit:
        raise UnknownRevision(f"{revision}: no such revision of {root}")
    found = _git(root, "ls-tree", "--name-only", commit).split()
    parts = [part for part in PARTS if part in found]
    if parts:
        archive = subprocess.run(
            ["git", "-C", str(root), "archive", "--format=tar", commit, *parts],
            capture_output=True, check=True,
        )  # fmt: skip
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(into, filter="data")
    return _git(root, "rev-parse", "--short", commit)


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise UnknownRevision("git is needed to find a revision, and is not on PATH") from None
    return done.stdout.strip() if done.returncode == 0 else ""


class Worker:
    """The readers of one tree, which run in a process of their own."""

    def __init__(self, root: Path, wall_seconds: float = 20) -> None:
        self.root = root
        self.wall_seconds = wall_seconds
        self._process: subprocess.Popen[str] | None = None
        self._replies: queue.Queue[str] = queue.Queue()

    def ask(self, **request: Any) -> dict[str, Any]:
        """The reply; ``{"error"}`` if the reader raised, died, or took too long."""
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = self._replies.get(timeout=self.wall_seconds)
        except (queue.Empty, OSError):
            line = ""
            late = process.poll() is None
            self.close()
            if late:
                return {"error": f"no answer within {self.wall_seconds:g} s"}
        if not line:
            self.close()
            return {"error": "the reader died"}
        reply: dict[str, Any] = json.loads(line)
        return reply

    def close(self) -> None:
        """Stop the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            # -P: the folder of the worker must not hide the modules of the older tree.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-B", str(WORKER)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                text=True, cwd=self.root, env={**os.environ, "PYTHONPATH": str(self.root)},
            )  # fmt: skip
            self._replies = queue.Queue()
            threading.Thread(target=_pump, args=(self._process, self._replies), daemon=True).start()
        return self._process


def _pump(process: subprocess.Popen[str], replies: queue.Queue[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        replies.put(line)
    replies.put("")
