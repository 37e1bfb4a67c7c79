"""A run as Markdown: the summary of a CI job, or a comment on a change."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.text import one_line

from .failure import failure_text, heading
from .json_report import Report
from .overview import LOSSES, PROFILES, overview
from .summary import (
    Failure,
    by_cause,
    cached_in,
    headline,
    isolation_lines,
    not_run,
    tested,
    unexpected,
)  # fmt: skip

# The maximum number of failure groups to show. Hosts truncate summaries after a mebibyte.
MOST = 20
NAMED = 12
_MARKUP = re.compile(r"([\\`*_\[\]<>|~&])")


def markdown(report: Report) -> str:
    """Return the headline, a row for each implementation, and the unexpected results."""
    lines = [f"## Walproof: {escaped(headline(report))}", "", *_table(report)]
    for entry in not_run(report):
        lines.append(
            f"- {escaped(entry['name'])} is {entry['status']}: {escaped(entry['because'])}"
        )
    groups = by_cause(report, unexpected(report))
    for alike in groups[:MOST]:
        lines += ["", *_group(report, alike)]
    if len(groups) > MOST:
        left = sum(map(len, groups[MOST:]))
        lines += [
            "",
            f"The report has {left} more results of {len(groups) - MOST} more kinds.",
        ]
    if cached := cached_in(report):
        lines += ["", cached]
    lines += [""]
    lines += [f"{escaped(line)}  " for line in isolation_lines(report)]
    return "\n".join(lines) + "\n"


def _table(report: Report) -> list[str]:
    rows = [overview(each) for each in tested(report)]
    if not rows:
        return []
    profiles = [name for name in PROFILES if any(row.totals.get(name) for row in rows)]
    heads = [*LOSSES, *profiles]
    lines = [f"| implementation | {' | '.join(heads)} |", "|---" + "|--:" * len(heads) + "|"]
    lines += [f"| {escaped(row.name)} | {' | '.join(row.cells(heads))} |" for row in rows]
    return [*lines, ""]


def _group(report: Report, alike: Sequence[Failure]) -> list[str]:
    (implementation, result), *others = alike
    shown = failure_text(report, implementation, result)
    count = f" (and {len(others)} similar)" if others else ""
    fence = fence_around(shown)
    summary = html.escape(heading(report, result))
    lines = [
        "<details>",
        f"<summary><b>{result['class']}</b> {summary}{count}</summary>",
        "",
        f"{fence}text",
        shown,
        fence,
    ]
    if others:
        lines += ["", f"The same in {_names(others)}."]
    return [*lines, "", "</details>"]


def _names(others: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> str:
    ids = list(dict.fromkeys(f"`{result['vector']}`" for _, result in others))
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return ", ".join(ids[:NAMED]) + more


def escaped(text: str | None) -> str:
    """Return external text on one line with all markup escaped."""
    return _MARKUP.sub(r"\\\1", one_line(text or ""))


def fence_around(text: str) -> str:
    """Return a fence that no line of the text closes."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(3, longest + 1)
