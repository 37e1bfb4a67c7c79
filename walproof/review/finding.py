"""Define the findings of a review."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

#: These classes state what a change affects. ``READ``: new readers of old files. ``WRITE``: old
#: readers of new files. ``RECOVER``: the records that survive damage. ``API``: only names, which
#: matter to programs that use a generated parser. ``TEXT``: only the text of the specification,
#: while all bytes are read as before.
Class = Literal["READ", "WRITE", "RECOVER", "API", "TEXT"]
Severity = Literal["breaking", "warning", "note"]

CLASSES: tuple[Class, ...] = ("READ", "WRITE", "RECOVER", "API", "TEXT")
SEVERITIES: tuple[Severity, ...] = ("breaking", "warning", "note")


class CannotReview(Exception):
    """Raised if a revision does not exist or the new readers cannot be run."""


@dataclass(frozen=True)
class ReviewFinding:
    """One effect of a change."""

    #: The id of the rule. docs/review.md lists all rules.
    rule: str
    #: The classes of readers and writers that the change affects.
    classes: tuple[Class, ...]
    severity: Severity
    #: The field (such as ``record_header.len_data``), requirement or vector that changed.
    subject: str
    change: str
    #: A description of the affected readers and writers.
    hurts: str
    #: The location of the change, as ``file:line``.
    where: str = ""
    format: str = ""

    @property
    def breaks(self) -> bool:
        """True if the finding makes the review fail."""
        return self.severity == "breaking"

    @property
    def location(self) -> tuple[str, int]:
        """The file and line of the change. If a whole file is affected, the line is 0."""
        file, _, line = self.where.rpartition(":")
        return (file, int(line)) if line.isdigit() else (self.where, 0)

    def to_json(self) -> dict[str, Any]:
        """Return the finding as ``walproof review --json`` prints it."""
        return dict(vars(self))


def summary(findings: Iterable[ReviewFinding]) -> dict[str, int]:
    """Count the findings by severity."""
    counts: dict[str, int] = dict.fromkeys(SEVERITIES, 0)
    for finding in findings:
        counts[finding.severity] += 1
    return counts


def in_order(findings: Iterable[ReviewFinding]) -> list[ReviewFinding]:
    """Sort findings by severity, class, file and line, and remove duplicates."""
    unique = dict.fromkeys(findings)
    return sorted(
        unique,
        key=lambda f: (
            SEVERITIES.index(f.severity),
            CLASSES.index(f.classes[0]),
            f.location,
        ),
    )
