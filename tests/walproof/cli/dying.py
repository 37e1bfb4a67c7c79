"""Kill a command at its n-th access to its output, for several n.

The argument is a case as JSON: ``words`` is the command line, ``below`` is the folder for the
output, and ``at`` contains the points at which to kill the command, as fractions of all accesses.
The first line of output contains the number of accesses of a complete run. Each further line
contains the exit statuses of a killed run and of a repetition of the command. Each run is a fork,
because importing all modules again would take minutes.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance import saving
from walproof.cli import main as walproof

TOUCHES = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink"}


def main() -> None:
    case = json.loads(sys.argv[1])
    children, stored = Path(case["below"]), Path(case["kept"])
    _reset(children)
    *_, loaded = _run(case["words"], children, None)
    for name in loaded:  # once for all
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    _reset(children)
    status, touches, _ = _run(case["words"], children, None)  # the first run loaded the modules
    _keep(children, stored / "whole")
    print(json.dumps({"status": status, "touches": touches}), flush=True)
    for share in case["at"]:
        at = 1 + int(share * touches)
        _reset(children)
        status, *_ = _run(case["words"], children, at)
        _keep(children, stored / f"{at}-killed")
        again, *_ = _run(case["words"], children, None)
        _keep(children, stored / f"{at}-again")
        print(json.dumps({"at": at, "status": status, "again": again}), flush=True)


def _reset(below: Path) -> None:
    shutil.rmtree(below, ignore_errors=True)
    below.mkdir(parents=True)


def _keep(below: Path, place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(below, place, symlinks=True)


def _run(words: list[str], below: Path, at: int | None) -> tuple[int, int, list[str]]:
    """Run a command in a child: its exit status, accesses to ``below``, and modules."""
    back, to = os.pipe()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            count = _touched(below, at)
            status = command(words)
            with os.fdopen(to, "w") as message:
                message.write(f"{count()} {' '.join(sys.modules)}")
        finally:
            os._exit(status)
    os.close(to)
    with os.fdopen(back) as given:
        touches, *loaded = given.read().split() or ["0"]
    _, ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended), int(touches), loaded


def _touched(below: Path, at: int | None) -> Callable[[], int]:
    """Count accesses from now on, and end this process before access ``at``."""
    count, place, mine = 0, str(below), os.getpid()

    def touch() -> None:
        nonlocal count
        count += 1
        if count == at and os.getpid() == mine:
            os.kill(mine, signal.SIGKILL)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in TOUCHES and place in f"{arguments[:2]}":
            touch()

    def write(file: Any, data: Any) -> int:
        touch()  # a write of half of it, so that something half is there
        view = memoryview(data).cast("B")
        half = len(view) // 2
        return io.FileIO.write(file, view[:half] if half else view)

    sys.addaudithook(hook)
    saving._File.write = write  # type: ignore[method-assign]
    return lambda: count


def command(words: list[str]) -> int:
    sys.argv = ["walproof", *words]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):  # noqa: PTH123
        try:
            walproof()
        except SystemExit as ended:
            return int(ended.code or 0)
    return 0


if __name__ == "__main__":
    main()
