"""A command that is killed outright at its n-th touch of what it writes, for some n.

Run as a program with a case as JSON: ``words`` of the command, the folder ``below`` in which it
writes, ``before`` with what is there at the start, ``at`` as many shares of its touches, ``also``
a function of this file to call first. It prints a line of JSON for each run: the number of touches
of one that is left alone, then the exit status of each that is killed, and of the same command
after it. It forks: to import everything again and again would take minutes.
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
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from conformance import saving

PROGRAMS = {"vectors": "conformance.recipes.__main__"}
"""Programs beside ``walproof``, by the first word of a case."""
TOUCHES = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink"}


def main() -> None:
    """See the module."""
    case = json.loads(sys.argv[1])
    below, kept = Path(case["below"]), Path(case["kept"])
    if case["also"]:
        globals()[case["also"]]()
    _reset(below, case["before"])
    *_, loaded = _run(case["words"], below, None)
    for name in loaded:  # once for all
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    _reset(below, case["before"])
    status, touches, _ = _run(case["words"], below, None)  # the first one was slow: it loaded them
    _keep(below, kept / "whole")
    print(json.dumps({"status": status, "touches": touches}), flush=True)
    for share in case["at"]:
        at = 1 + int(share * touches)
        _reset(below, case["before"])
        status, *_ = _run(case["words"], below, at)
        _keep(below, kept / f"{at}-killed")
        again, *_ = _run(case["words"], below, None)
        _keep(below, kept / f"{at}-again")
        print(json.dumps({"at": at, "status": status, "again": again}), flush=True)


def _reset(below: Path, before: str | None) -> None:
    shutil.rmtree(below, ignore_errors=True)
    if before is None:
        below.mkdir(parents=True)
    else:
        shutil.copytree(before, below, symlinks=True)


def _keep(below: Path, place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(below, place, symlinks=True)


def _run(words: list[str], below: Path, at: int | None) -> tuple[int, int, list[str]]:
    """Run a command in a child: its exit status, touches of ``below``, and modules it loaded."""
    back, to = os.pipe()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            count = _touched(below, at)
            status = command(words)
            with os.fdopen(to, "w") as said:
                said.write(f"{count()} {' '.join(sys.modules)}")
        finally:
            os._exit(status)
    os.close(to)
    with os.fdopen(back) as told:
        touches, *loaded = told.read().split() or ["0"]
    _, ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended), int(touches), loaded


def _touched(below: Path, at: int | None) -> Callable[[], int]:
    """Count touches from now on, and end this process before the ``at``-th one."""
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
    module = importlib.import_module(PROGRAMS.get(words[0], "walproof.cli"))
    program = getattr(module, "write_vectors", None) or module.main
    sys.argv = ["walproof", *(words[1:] if words[0] in PROGRAMS else words)]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):  # noqa: PTH123
        try:
            program()
        except SystemExit as ended:
            return int(ended.code or 0)
    return 0


def a_few_vectors() -> None:
    """Let ``make vectors`` make a few files, and beside the real ones."""
    command = importlib.import_module(PROGRAMS["vectors"])

    where = Path(json.loads(sys.argv[1])["below"])
    command.VECTORS = where

    def made(_: object) -> Iterator[tuple[str, bytes]]:
        for number in range(4):
            yield f"toy-log/{number}.json", b"{}" * 1000
            yield f"toy-log/{number}.log", bytes(2000)

    command.sources = lambda: [SimpleNamespace(book=SimpleNamespace(format="toy-log"))]
    command.generate = made
    command.index_of = lambda: b"index" * 1000


def compiled_once() -> None:
    """Let ``walproof parsers`` compile a grammar once for all runs, which takes a second."""
    from walproof.parsers import package

    made = Path(json.loads(sys.argv[1])["kept"]) / "compiled"
    package.compile_to("python", [package.GRAMMARS / "leveldb_log.ksy"], made)
    package.compile_to = lambda target, files, out: shutil.copytree(made, out)  # type: ignore[assignment]


if __name__ == "__main__":
    main()
