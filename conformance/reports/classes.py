"""The nine result classes: one name, one shape, one colour each, for every kind of report.

A class is never told by colour alone: `glyph` (or `plain`, where the console cannot
print it) and `label` say the same. A hang and a crash are not a wrong answer, so they
have colours of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class ResultClass:
    """One outcome of one vector.

    `wrongness` orders by what the *implementation* did: 0 right, 1 not right but
    foreseen, 2 a wrong answer, 3 no usable answer, 4 it took the process or the time of
    its caller with it. `expected` says whether the run may still end with status 0.
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


# From the worst to the best; the first of them that occurs colours a cell of the matrix. Skipped
# comes last: it says something of a cell only where nothing was run.
CLASSES: tuple[ResultClass, ...] = (
    ResultClass(
        "crash",
        "†",
        "C",
        "crash",
        "the process died on this vector",
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
        "the reply was not one: likely the adapter's fault",
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
        "the answer differs from the one a reader owes",
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
        "listed as a known failure, but right: take it off the list",
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
        "differs exactly as listed beside the adapter, with its cause",
        "yellow",
        1,
        True,
        "skipped",
    ),
    ResultClass("pass", "✓", "ok", "pass", "the answer a reader owes", "green", 0, True, "passed"),
    ResultClass(
        "skipped",
        "–",
        "-",
        "skipped",
        "the implementation does not do this",
        "dim",
        1,
        True,
        "skipped",
    ),
)

BY_NAME: dict[str, ResultClass] = {each.name: each for each in CLASSES}
SEVERITY: dict[str, int] = {each.name: place for place, each in enumerate(CLASSES)}


def worst(names: Iterable[str]) -> ResultClass:
    """The worst class among `names`, which must not be empty."""
    return BY_NAME[min(names, key=SEVERITY.__getitem__)]
