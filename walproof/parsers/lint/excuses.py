"""Findings that are known and intended: a comment in the grammar says so, and why.

``# lint-ksy: RULE: reason`` excuses the findings of a rule in the line below it (comments between
do not count), or, in front of ``meta``, in the whole file. An excuse without a reason, for a rule
that does not exist, or for nothing is itself a finding.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from walproof.parsers.lint.grammar import Finding

_EXCUSE = re.compile(r"^ *# lint-ksy:\s*([\w-]*)\s*:?\s*(.*?)\s*$")


@dataclass(frozen=True)
class Excuse:
    """One comment. ``covers`` is the line that it is for, None for the whole file."""

    line: int
    rule: str
    reason: str
    covers: int | None


def excuses(text: str) -> Iterator[Excuse]:
    """The excuses in a grammar, in order."""
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if re.match(r"\w", line)), len(lines))
    for number, line in enumerate(lines):
        if match := _EXCUSE.match(line):
            below = (n for n in range(number + 1, len(lines)) if not _is_comment(lines[n]))
            covers = None if number < first else next(below, number) + 1
            yield Excuse(number + 1, match[1], match[2], covers)


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def excused(
    path: Path, text: str, found: Iterable[Finding], rules: Container[str]
) -> Iterator[Finding]:
    """The findings that nothing excuses, and what is wrong with the excuses."""
    waiting = list(found)
    for one in excuses(text):
        covered = [
            finding
            for finding in waiting
            if finding.rule == one.rule and one.covers in (None, finding.line)
        ]
        if one.rule not in rules:
            why = f"`{one.rule}` is no rule: `# lint-ksy: RULE: reason`"
        elif not one.reason:
            why = f"say why: `# lint-ksy: {one.rule}: reason`"
        elif not covered:
            why = f"nothing to excuse for `{one.rule}`: take this line out"
        else:
            waiting = [finding for finding in waiting if finding not in covered]
            continue
        yield Finding(path, one.line, 1, "excuse", why)
    yield from waiting
