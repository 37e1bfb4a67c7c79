"""Print a review."""

from __future__ import annotations

import textwrap

from walproof.review.behaviour import Table
from walproof.review.finding import Finding, summary
from walproof.review.review import Review

WIDTH = 110
#: Maximum number of findings and logs in each section; ``--json`` prints all.
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
    lines = [headline(review)]
    for title, findings in sections(review).items():
        lines += ["", title]
        for finding in findings[:MAX_SHOWN]:
            lines += _finding(finding)
        lines += _more(len(findings))
    for table in review.tables:
        lines += ["", f"Behaviour of the {table.reader}, {table.format}"]
        lines += [f"  {line}" for line in _table(table)]
        changed = _changed(table)
        for line in changed[:MAX_SHOWN]:
            lines += _wrapped(line, "  ", "      ")
        lines += _more(len(changed))
    return "\n".join([*lines, *_endings(review)]) + "\n"


def sections(review: Review) -> dict[str, list[Finding]]:
    """Return the findings by the title of their section, without empty sections."""
    by_title: dict[str, list[Finding]] = {"Structure": [], "Behaviour": [], "Text": []}
    for finding in review.findings:
        if finding.classes == ("TEXT",):
            title = "Text"
        else:
            title = "Structure" if finding.where.startswith("ksy/") else "Behaviour"
        by_title[title].append(finding)
    return {title: findings for title, findings in by_title.items() if findings}


def _finding(finding: Finding) -> list[str]:
    head = f"{finding.severity:<9} {' '.join(finding.classes):<13} {finding.rule:<21}"
    lines = _wrapped(f"{head} {finding.subject}: {finding.change}", "  ", " " * 10)
    where = f"{finding.where}  " if finding.where else ""
    return lines + _wrapped(f"{where}affects {finding.hurts}", " " * 12)


def _table(table: Table) -> list[str]:
    lines = [f"{'':<14}{'old logs':>16}{'damaged':>16}{'new logs':>16}{'damaged':>16}"]
    for reader, own_side in (("old reader", "old"), ("new reader", "new")):
        cells = []
        for side in ("old", "new"):
            for damaged in (False, True):
                agreeing, total = table.cells.get((side, damaged), (0, 0))
                cells.append("reference" if side == own_side else f"{agreeing} of {total}")
        lines.append(f"{reader:<14}" + "".join(f"{cell:>16}" for cell in cells))
    return [*lines, "number of logs that both readers read alike"]


def _changed(table: Table) -> list[str]:
    """Return a line for each changed log; only the JSON output has damaged copies of such logs."""
    shown = (changed for changed in table.changed if changed.rule != "READS_DAMAGED")
    return list(dict.fromkeys(f"{changed.log}: {changed.how}" for changed in shown))


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
    # A reworded requirement may be very long.
    short = line if len(line) < 1500 else f"{line[:1500]} …"
    return textwrap.wrap(
        short, WIDTH, initial_indent=indent, subsequent_indent=hanging or indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
