"""The nine result classes, each with the name, symbol and colour that all reports use.

Colour is never the only sign of a class: its `glyph` (or `plain`, if the console cannot print the
glyph) and its `label` also identify it. Timeouts and crashes are not incorrect answers, so they
have their own colours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class ResultClass:
    """A possible result of a vector.

    `wrongness` orders the classes by the behaviour of the implementation: 0 is correct, 1 is
    incorrect as expected, 2 is an incorrect answer, 3 is no usable answer, and 4 also affects the
    calling process. If `expected` is true, the run may still end with status 0.
    """

    name: str
    glyph: str
    plain: str
    label: str
    meaning: str
    style: str
    wrongness: int
    expected: bool
    junit: Literal["passed", "failure", "error", "skipped"]


# From the worst to the best; the first that occurs colours a cell of the matrix. Skipped comes
# last: it colours only a cell in which nothing ran.
CLASSES: tuple[ResultClass, ...] = (
    ResultClass(
        "crash",
        "†",
        "C",
        "crash",
        "the process ended on this vector",
        "bold white on red",
        4,
        False,
        "error",
    ),
    ResultClass(
        "timeout",
        "∞",
        "T",
        "timeout",
        "no reply within the time limit: a hang",
        "bold magenta",
        4,
        False,
        "error",
    ),
    ResultClass(
        "over-limit",
        "▲",
        "O",
        "over limit",
        "used more memory or output than allowed",
        "bold yellow",
        3,
        False,
        "error",
    ),
    ResultClass(
        "protocol-error",
        "?",
        "?",
        "protocol error",
        "the reply broke the protocol: likely a fault of the adapter",
        "bold cyan",
        3,
        False,
        "error",
    ),
    ResultClass(
        "fail",
        "✗",
        "x",
        "fail",
        "the answer differs from the expected one",
        "bold red",
        2,
        False,
        "failure",
    ),
    ResultClass(
        "unexpected-pass",
        "!",
        "!",
        "unexpected pass",
        "a known failure that passes: remove it from the list",
        "bold blue",
        0,
        False,
        "failure",
    ),
    ResultClass(
        "known-failure",
        "≈",
        "~",
        "known failure",
        "differs exactly as listed, with its cause",
        "yellow",
        1,
        True,
        "skipped",
    ),
    ResultClass("pass", "✓", "ok", "pass", "the expected answer", "green", 0, True, "passed"),
    ResultClass(
        "skipped",
        "–",
        "-",
        "skipped",
        "the implementation does not support this",
        "dim",
        1,
        True,
        "skipped",
    ),
)

BY_NAME: dict[str, ResultClass] = {each.name: each for each in CLASSES}
SEVERITY: dict[str, int] = {each.name: number for number, each in enumerate(CLASSES)}


def worst(names: Iterable[str]) -> ResultClass:
    """Return the worst class among `names`, which must not be empty."""
    return BY_NAME[min(names, key=SEVERITY.__getitem__)]
