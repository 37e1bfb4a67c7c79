"""Summarise the folder of a system apart from the content of its logs."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from conformance.text import one_line
from walproof.quantity import counted, in_bytes
from walproof.summary.model import Summary
from walproof.summary.screen import LABEL, Line, commands
from walproof.summary.unpacked import Unpacked
from walproof.systems import Finding, Harm, OtherFile, System, SystemLog
from walproof.verdict import VERDICT_STYLE

_STYLE: dict[Harm, str | None] = {"lost": "red", "look": "yellow", "none": None}
_WORDS: dict[Harm, str] = {"lost": "lost", "look": "check", "none": "note"}
_ORDER: tuple[Harm, ...] = ("lost", "look", "none")
_HARM = {"intact": 0, "torn": 1, "refused": 2, "damaged": 3}
_SAID = {
    "intact": "all logs are intact",
    "torn": "torn: the last write is incomplete",
    "damaged": "damaged",
    "refused": "refused",
}
#: Name, size and summary of a log.
Row = tuple[str, int, Summary]
#: Number of other files that are listed by name; the rest is counted.
MOST_FILES = 12


def findings(items: Iterable[Finding], width: int) -> Iterator[Line]:
    """Format the findings with their harm, worst first."""
    for finding in sorted(items, key=lambda each: _ORDER.index(each.harm)):
        about = f"{finding.file}: " if finding.file is not None else ""
        text = one_line(f"{about}{finding.text}")
        # A hyphen may be part of the name of a file.
        lines = textwrap.wrap(text, max(20, width - LABEL - 2), break_on_hyphens=False) or [""]
        for number, line in enumerate(lines):
            label = _WORDS[finding.harm] if number == 0 else ""
            yield f"  {label:<{LABEL}}{line}", _STYLE[finding.harm]


def other_file_lines(others: Sequence[OtherFile], width: int) -> Iterator[Line]:
    """Format the other files: name, size and purpose."""
    shown = others[:MOST_FILES]
    room = min(36, max((len(one_line(other.name)) for other in shown), default=0))
    for number, other in enumerate(shown):
        name = one_line(other.name)
        if len(name) > room:
            name = f"{name[: room - 1]}…"
        line = f"{name:<{room}}  {in_bytes(other.size):>8}  {one_line(other.role)}"
        line = f"  {'other' if number == 0 else '':<{LABEL}}{line}"
        yield line if len(line) <= width else f"{line[: width - 1]}…", None
    if len(others) > len(shown):
        size = in_bytes(sum(other.size for other in others[MOST_FILES:]))
        yield f"  {'':<{LABEL}}and {len(others) - len(shown):,} more, {size}", None


def screen(
    log: Unpacked,
    system: System,
    rows: Sequence[Row],
    observed: Sequence[str],
    width: int,
    height: int,
) -> Iterator[Line]:
    """Format the screen for a system of several logs: worst findings first, then each log."""
    records = counted(sum(about.records for _, _, about in rows), "record")
    yield f"  {system.title}: {counted(len(system.logs), 'log')}, {records}{log.origin}", None
    for fault in log.faults:
        yield f"  unpacked only up to a fault: {one_line(fault)}", "red"
    state, worst = _state(system, rows)
    lost = sum(about.lost_bytes for _, _, about in rows)
    more = f", {counted(lost, 'byte')} lost" if lost else ""
    yield f"  {state}{more}", VERDICT_STYLE[worst]
    yield "", None
    if system.findings:
        yield from findings(system.findings, width)
        yield "", None
    if rows:
        yield from logs(system, rows, width, height)
    yield from other_file_lines(system.others, width)
    for line in observed:
        line = one_line(f"  {line}")
        yield line if len(line) <= width else f"{line[: width - 1]}…", None
    yield "", None
    name = shlex.quote(log.typed)
    is_whole = worst == "intact"
    suggestions = [(f"walproof read --head 20 {name}", "print the first records")]
    if not is_whole and "pipe" not in log.how:
        suggestions.insert(0, (f"walproof recover {name} --out NEW", "write the surviving records"))
    yield from commands(suggestions)


def part(name: str, system: System, rows: Sequence[Row], width: int) -> Iterator[Line]:
    """Format a system inside a folder: its title, state and findings."""
    records = counted(sum(about.records for _, _, about in rows), "record")
    state, verdict = _state(system, rows)
    yield "", None
    yield f"  {one_line(name)}", None
    yield f"  {system.title}, {records}; {state}", VERDICT_STYLE[verdict]
    yield from findings((each for each in system.findings if each.harm != "none"), width)


def _state(system: System, rows: Sequence[Row]) -> tuple[str, str]:
    """Return the state of a system in words, and the verdict for the colour."""
    worst = max((about.verdict for _, _, about in rows), key=_HARM.__getitem__, default="intact")
    if worst == "intact" and is_lost(system.findings):
        return "all logs are intact, other files are not", "damaged"
    return _SAID[worst], worst


def logs(system: System, rows: Sequence[Row], width: int, height: int) -> Iterator[Line]:
    """Format one line per log in the order of the system, with at most ``height`` lines.

    If there are more logs, the output omits intact logs first and shows how many were omitted.
    """
    paired = [(log, row) for row in rows if (log := _log_of(row[0], system)) is not None]
    room = max(5, height - 16)
    by_harm = sorted(paired, key=lambda each: -_HARM[each[1][2].verdict])[:room]
    shown = [each for each in paired if each in by_harm]
    cells = [("log", "size", "records", "lost", "")]
    for log, (_, size, result) in shown:
        lost = f"{result.lost_bytes:,}" if result.lost_bytes else "–"
        verdict = "intact" if result.verdict == "intact" else result.reason or result.verdict
        message = f"{verdict}; {log.role}"
        cells.append((one_line(log.name), in_bytes(size), f"{result.records:,}", lost, message))
    widths = [max(len(row[n]) for row in cells) for n in range(4)]
    widths[0] = min(widths[0], max(12, width // 2))
    for number, (name, *counts, message) in enumerate(cells):
        if len(name) > widths[0]:
            name = f"…{name[-(widths[0] - 1) :]}"
        numbers = "  ".join(cell.rjust(size) for cell, size in zip(counts, widths[1:], strict=True))
        line = f"  {name:<{widths[0]}}  {numbers}  {message}".rstrip()
        colour = VERDICT_STYLE[shown[number - 1][1][2].verdict] if number else None
        yield line if len(line) <= width else f"{line[: width - 1]}…", colour
    if len(paired) > len(shown):
        yield f"  and {len(paired) - len(shown):,} more, none worse (--all lists them)", None


def _log_of(name: str, system: System) -> SystemLog | None:
    """Return the log with a name as used by the user or an archive."""
    ends = (log for log in system.logs if f"/{name}".endswith(f"/{log.name}"))
    return max(ends, key=lambda log: len(log.name), default=None)


def is_lost(items: Iterable[Finding]) -> bool:
    """Return whether the folder has a loss that no log reports."""
    return any(finding.harm == "lost" for finding in items)
