"""Shared code of the Python programs: open a database and print its items.

``program MODE FOLDER LOG`` creates an empty database in FOLDER, replaces its log with LOG, and
opens the database in MODE. LOG keeps its name if the name is a number. The program prints lines of
JSON:

* ``{"item": [NAME, VALUE]}`` for each item that the system returns, in hexadecimal
* ``{"log": STATE}`` before a refusal or ``again``, where STATE says whether LOG was ``kept``,
  ``rewritten``, ``moved`` or ``deleted``
* ``{"again": true}`` after the program has written one more item
* ``{"later": [NAME, VALUE]}`` for each item that the system returns after a restart
* ``{"said": TEXT}`` for each line of the system's own log
* ``{"refused": TEXT}``, as the last line, if the system does not open the database
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

#: Each program writes this item once the system is open.
MORE = (b"more", b"written after the damage")
T = TypeVar("T")


class Told:
    """Print the items and messages of a system whose log file is ``log``."""

    def __init__(self, log: Path) -> None:
        self._log, self._contents = log, log.read_bytes()

    def items(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Print the items. If reading them raises an exception, print that as a message."""
        self._pairs("item", pairs)

    def again(self) -> None:
        """Print that one more item was written, and that the system will be opened again."""
        self._report_log()
        self._say({"again": True})

    def later(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Print the items after the second opening."""
        self._pairs("later", pairs)

    def report_lines(self, log: Path, leave: Callable[[str], bool] = lambda line: False) -> None:
        """Print the lines of a log file without timestamps; ``leave`` selects lines to omit."""
        for line in log.read_text("utf-8", "replace").splitlines():
            if not leave(line):
                self._say({"said": line.split(" ", 2)[-1]})

    def trying(self, act: Callable[[], T]) -> T:
        """Return the result of ``act``. If ``act`` fails, print the refusal and end the program."""
        try:
            return act()
        except Exception as refused:
            self._report_log()
            self._say({"refused": f"{type(refused).__name__}: {refused}"})
            sys.stdout.flush()
            sys.exit(0)

    def _report_log(self) -> None:
        left = list(self._log.parent.rglob(self._log.name))
        if self._log not in left:
            state = "moved" if left else "deleted"
        else:
            state = "kept" if self._log.read_bytes() == self._contents else "rewritten"
        self._say({"log": state})

    def _pairs(self, kind: str, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        try:
            for name, value in pairs:
                self._say({kind: [name.hex(), value.hex()]})
        except Exception as thrown:
            self._say({"said": f"{type(thrown).__name__}: {thrown}"})

    def _say(self, line: dict[str, Any]) -> None:
        print(json.dumps(line))


def main(make: Callable[[Path], Path], open_twice: Callable[[str, Path, Told], None]) -> None:
    """Run a program. ``make`` creates an empty database and returns the path of its log."""
    mode, folder, log = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    empty = make(folder)
    empty.unlink()
    replaced = empty.with_name(log.name) if log.stem.isdigit() else empty
    shutil.copyfile(log, replaced)
    open_twice(mode, folder, Told(replaced))
