"""Print a review."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from walproof.quantity import counted
from walproof.review.finding import ReviewFinding, summary
from walproof.review.review import Review

WIDTH = 110
#: Maximum number of findings in each section. ``--json`` prints all findings.
MAX_SHOWN = 12

LEGEND = {
    "READ": "new readers on old files",
    "WRITE": "old readers on new files",
    "RECOVER": "records that survive damage",
    "API": "names only",
    "TEXT": "the text of the specification",
}


def headline(review: Review) -> str:
    """Return the outcome in one line."""
    if not review.findings:
        return f"compatible with {review.against}: no relevant difference"
    counts = summary(review.findings)
    parts = [
        f"{number} {word}{'s' * (number != 1 and word in ('warning', 'note'))}"
        for word, number in counts.items()
        if number
    ]
    if not review.breaks:
        return f"compatible with {review.against}, {', '.join(parts)}"
    hurt = ", ".join(f"{name} ({LEGEND[name]})" for name in review.breaks)
    return f"BREAKING against {review.against}: {hurt}; {', '.join(parts)}"


def text(review: Review) -> str:
    """Return the report for a terminal or a pull request."""
    lines = [headline(review), *_failing(review)]
    for title, findings in sections(review).items():
        lines += ["", title]
        for finding in findings[:MAX_SHOWN]:
            lines += _finding(finding)
        lines += _more(len(findings))
    for table in review.tables:
        undamaged, damaged = (f"{table.alike[d]} of {table.logs[d]}" for d in (False, True))
        counts = f"{undamaged} undamaged and {damaged} damaged logs are read alike"
        lines += ["", f"{table.format}, {table.reader}: {counts}"]
    return "\n".join([*lines, *_endings(review)]) + "\n"


def _failing(review: Review) -> Iterator[str]:
    """Yield a paragraph for each format in which implementations would fail."""
    for format, counts in review.failing.items():
        who = f"{counted(len(counts), 'implementation')} of {format}"
        names = ", ".join(f"{name} ({count})" for name, count in counts.items())
        yield ""
        yield from _wrapped(f"{who} would fail vectors that they pass today: {names}", "  ")


def sections(review: Review) -> dict[str, list[ReviewFinding]]:
    """Return the findings by section title, without empty sections."""
    by_title: dict[str, list[ReviewFinding]] = {"Structure": [], "Behaviour": [], "Text": []}
    for finding in review.findings:
        if finding.classes == ("TEXT",):
            title = "Text"
        else:
            title = "Structure" if finding.where.startswith("ksy/") else "Behaviour"
        by_title[title].append(finding)
    return {title: findings for title, findings in by_title.items() if findings}


def _finding(finding: ReviewFinding) -> list[str]:
    head = f"{finding.severity:<9} {' '.join(finding.classes):<13} {finding.rule:<21}"
    lines = _wrapped(f"{head} {finding.subject}: {finding.change}", "  ", " " * 10)
    where = f"{finding.where}  " if finding.where else ""
    return lines + _wrapped(f"{where}affects {finding.hurts}", " " * 12)


def _endings(review: Review) -> list[str]:
    lines = [f"Not run: {reason}." for reason in review.skipped]
    if held := review.isolation:
        open = f"; not isolated, they could {'; '.join(held['could'])}" if held["could"] else ""
        lines.append(f"Isolation of the readers: {', '.join(held['by'])}{open}.")
    return ["", *lines] if lines else []


def _more(count: int) -> list[str]:
    hidden = count - MAX_SHOWN
    return [f"  {hidden} more (see --json)"] if hidden > 0 else []


def _wrapped(line: str, indent: str, hanging: str = "") -> list[str]:
    return textwrap.wrap(
        line, WIDTH, initial_indent=indent, subsequent_indent=hanging or indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
