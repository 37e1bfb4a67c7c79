"""The nine result classes, each with the name, symbol and colour that all reports use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class ResultClass:
    """A possible result of a vector."""

    name: str
    glyph: str
    style: str
    #: 0 for a correct result, 1 for an expected incorrect result or a skipped case, 2 for an
    #: incorrect answer, 3 for no usable answer, and 4 if the calling process is also affected.
    wrongness: int
    junit: Literal["passed", "failure", "error", "skipped"]
    label: str
    meaning: str

    @property
    def expected(self) -> bool:
        """Return whether a run with this result may end with status 0."""
        return self.junit in ("passed", "skipped")


# The classes are sorted from the worst to the best. A cell of the matrix has the colour of the
# first class that occurs in it. ``skipped`` is last, so it colours only a cell in which nothing
# ran.
CLASSES: tuple[ResultClass, ...] = (
    ResultClass(
        "crash", "†", "bold white on red", 4, "error", "crash", "the process ended on this vector"
    ),
    ResultClass(
        "timeout", "∞", "bold magenta", 4, "error", "timeout",
        "no reply within the time limit: a hang",
    ),
    ResultClass(
        "over-limit", "▲", "bold yellow", 3, "error", "over limit",
        "used more memory or output than allowed",
    ),
    ResultClass(
        "protocol-error", "?", "bold cyan", 3, "error", "protocol error",
        "the reply broke the protocol: likely a fault of the adapter",
    ),
    ResultClass(
        "fail", "✗", "bold red", 2, "failure", "fail", "the answer differs from the expected one"
    ),
    ResultClass(
        "unexpected-pass", "!", "bold blue", 0, "failure", "unexpected pass",
        "a known failure that passes: remove it from the list",
    ),
    ResultClass(
        "known-failure", "≈", "yellow", 1, "skipped", "known failure",
        "differs exactly as listed, with its cause",
    ),
    ResultClass("pass", "✓", "green", 0, "passed", "pass", "the expected answer"),
    ResultClass(
        "skipped", "–", "dim", 1, "skipped", "skipped",
        "the implementation does not support this",
    ),
)  # fmt: skip

BY_NAME: dict[str, ResultClass] = {each.name: each for each in CLASSES}
SEVERITY: dict[str, int] = {each.name: number for number, each in enumerate(CLASSES)}


def worst(names: Iterable[str]) -> ResultClass:
    """Return the worst class among `names`, which must not be empty."""
    return BY_NAME[min(names, key=SEVERITY.__getitem__)]
