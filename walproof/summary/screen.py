"""Format the summary of a log, of a system, or of several logs, in 80 columns."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from conformance.text import one_line
from reference_impl.answer import Lost
from reference_impl.register import registers
from walproof.formats import plugin_for
from walproof.quantity import counted, exact, in_bytes, moment
from walproof.quoted import aligned
from walproof.summary.logs import Row
from walproof.summary.model import Shown, Summary
from walproof.summary.unpacked import Unpacked
from walproof.systems import Finding, OtherFile, System
from walproof.verdict import VERDICT_STYLE

#: Text and its colour.
Line = tuple[str, str | None]
_RECOGNISED = {
    "content": "recognised by its content",
    "name": "recognised only by its name",
    "told": "format as specified",
}
#: Smallest size of a lost range for which carving is suggested.
MIN_CARVED_BYTES = 512
#: Width of the labels on the left.
LABEL = 8
#: Number of other files that are listed by name; the rest is counted.
MOST_FILES = 12
_STATES = {
    "intact": "intact",
    "torn": "torn: the last write is incomplete",
    "damaged": "damaged",
    "refused": "refused",
}
#: Verdicts from best to worst.
_ORDER = ("intact", "torn", "refused", "damaged")
#: Harm of a finding, worst first → its label and colour.
_HARMS: dict[str, tuple[str, str | None]] = {
    "lost": ("lost", "red"),
    "look": ("check", "yellow"),
    "none": ("note", None),
}


def screen(
    log: Unpacked,
    row: Row,
    width: int,
    title: str | None = None,
    findings: Sequence[Finding] = (),
    others: Sequence[OtherFile] = (),
) -> Iterator[Line]:
    """Format the summary of one log in lines of ``width`` columns.

    ``title`` is the title of the system to which the log belongs, if any.
    """
    summary, is_all = row.summary, not is_lost(findings)
    yield one_line(log.typed), None
    if title is not None:
        yield f"  {title}", None
    kind = registers()[summary.format].title.partition(" (")[0]
    yield f"  {kind}, {_RECOGNISED[row.by]}; {exact(row.size)}{log.origin}", None
    yield from faults_of(log)
    if is_all or summary.verdict != "intact":
        yield f"  {_verdict(row)}", VERDICT_STYLE[summary.verdict]
    else:
        records = counted(summary.records, "record")
        left = f"{records}; the log is intact, but data is missing (see below)"
        yield f"  {left}", VERDICT_STYLE["damaged"]
    is_strange = row.by == "name" and row.size and not row.is_blank and not summary.records
    if is_strange and not findings:
        yield "  no record was recognised: the file may be encrypted, or not a log", None
    if findings:
        yield "", None
        yield from _findings(findings, width)
    if summary.verdict == "refused":
        yield "", None
        yield from _next(log, summary)
        return
    yield "", None
    yield from _losses(summary, width)
    yield from _records(summary, width)
    yield from _other_files(others, width)
    yield "", None
    if not log.is_copy and is_all:
        yield f"  {_resume(summary)}", None
        yield "", None
    yield from _next(log, summary)


def faults_of(log: Unpacked) -> Iterator[Line]:
    """Format the faults of a compressed file or archive."""
    for fault in log.faults:
        yield f"  unpacked only up to a fault: {one_line(fault)}", "red"


def _verdict(row: Row) -> str:
    summary = row.summary
    message = _STATES[summary.verdict]
    code = f" ({summary.reason})" if summary.reason is not None else ""
    if row.is_blank and not summary.records:
        blank = "all zeros: preallocated and never written, or erased" if row.size else "empty"
        return f"{blank}{code}"
    if summary.verdict == "refused":
        reasons = registers()[summary.format].reasons
        return f"{message}: {reasons[summary.reason].words}{code}" if summary.reason else message
    survive = f"; {counted(summary.records, 'record')}"
    if summary.verdict == "intact":
        return f"{message}{survive}"
    survive += f" survive{'s' if summary.records == 1 else ''}"
    if not summary.lost_bytes:
        return f"{message}{survive}{code}"
    locations = sum(summary.reasons.values())
    where = "one range" if locations == 1 else f"{locations:,} ranges"
    return f"{message}{survive}, {counted(summary.lost_bytes, 'byte')} lost in {where}"


def _losses(summary: Summary, width: int) -> Iterator[Line]:
    reasons = registers()[summary.format].reasons
    for number, gap in enumerate(summary.ranges):
        label = "lost" if number == 0 else ""
        place = f"{counted(gap.end - gap.start, 'byte')} at offset {gap.start:,}{_of(gap.file)}"
        yield _row(label, place, width), VERDICT_STYLE["torn" if gap.torn else "damaged"]
        yield _row("", f"  {reasons[gap.reason].words} ({gap.reason})", width), None
    left = sum(summary.reasons.values()) - len(summary.ranges)
    if left:
        yield _row("", f"and {left:,} more; totals by reason:", width), None
        for code, count in summary.reasons.most_common():
            yield _row("", f"  {count:,} × {code}", width), None
    if summary.unwritten_bytes:
        unwritten = counted(summary.unwritten_bytes, "byte")
        text = f"including {unwritten} at the end that were never written"
        yield _row("", text, width), None
    if summary.missing:
        low, high = summary.indexes or (0, 0)
        message = f"{counted(summary.missing, 'record')} between indexes {low} and {high}"
        yield _row("missing", message, width), VERDICT_STYLE["damaged"]
    if summary.ranges or summary.missing:
        yield "", None


def _records(summary: Summary, width: int) -> Iterator[Line]:
    if summary.times is not None:
        first, last = (moment(time, " UTC") for time in summary.times)
        yield _row("time", f"{first} to {last}", width), None
    if summary.first is not None and summary.records == 1:
        yield _row("record", _shown(summary.first), width), None
    elif summary.first is not None and summary.last is not None:
        yield _row("first", _shown(summary.first), width), None
        yield _row("last", _shown(summary.last), width), None
    else:
        yield _row("records", "none", width), None


def _shown(record: Shown) -> str:
    return f"at {record.at:,}{_of(record.file)}: {record.text}"


def _of(file: str | None) -> str:
    return "" if file is None else f" of {file}"


def _row(label: str, text: str, width: int) -> str:
    return _cut(one_line(f"  {label:<{LABEL}}{text}"), width)


def _resume(summary: Summary) -> str:
    if summary.end is None:
        return "Not safe to append: start a new file."
    return f"Safe to append at offset {summary.end:,}{one_line(_of(summary.end_file))}."


def _next(log: Unpacked, summary: Summary) -> Iterator[Line]:
    name = shlex.quote(log.typed)
    suggestions: list[tuple[str, str]] = []
    if summary.verdict == "refused":
        suggestions.append(
            (f"walproof explain {summary.format} {summary.reason}", "explain the reason")
        )
    elif "pipe" in log.how:  # a pipe cannot be read again
        if summary.records and summary.lost_bytes:
            suggestions.append(("… | walproof recover - --out NEW", "write the surviving records"))
        suggestions.append(("… | walproof read -", "print the records"))
    else:
        if summary.lost_bytes or summary.verdict != "intact":
            if summary.records:
                suggestions.append(
                    (f"walproof recover {name} --out NEW", "write the surviving records")
                )
            suggestions.append((f"walproof read --lost-only {name}", "list all lost ranges"))
            if may_be_carved(summary.format, summary.ranges) and not log.is_copy:
                suggestions.append((f"walproof carve {name}", "search the lost ranges for records"))
        if summary.records:
            suggestions.append((f"walproof read {name}", "print the records"))
            if plugin_for(summary.format).has("pending"):
                suggestions.append((f"walproof read --pending {name}", "list the pending messages"))
        suggestions.append((f"walproof inspect {name}", "show every byte"))
    yield from commands(suggestions)


def may_be_carved(format_id: str, lost: Iterable[Lost]) -> bool:
    """Return whether carving may find records in one of the lost ranges."""
    if not plugin_for(format_id).has("carver"):
        return False
    return any(gap.end - gap.start >= MIN_CARVED_BYTES and not gap.torn for gap in lost)


def commands(suggestions: Sequence[tuple[str, str]]) -> Iterator[Line]:
    """Format commands and their purposes in two columns."""
    room = max(len(command) for command, _ in suggestions)
    for command, purpose in suggestions:
        yield f"  {one_line(command):<{room}}  {purpose}", "cyan"


def table(rows: Sequence[Row], height: int, width: int) -> Iterator[Line]:
    """Format one line per log, damaged logs first, at most ``height`` lines."""
    by_name = sorted(rows, key=lambda row: row.name)
    worst = sorted(by_name, key=lambda row: (_rank(row), row.summary.lost_bytes), reverse=True)
    shown = worst[: max(5, height - 8)]
    cells = [("log".ljust(12), "format", "size", "records", "lost", "")]
    for row in shown:
        result = row.summary
        message = result.verdict if result.reason is None else f"{result.verdict}: {result.reason}"
        cells.append((one_line(row.name), result.format, *_counts(row), message))
    room = width - sum(2 + max(map(len, column)) for column in list(zip(*cells, strict=True))[1:])
    yield from _coloured(cells, max(12, room), 2, shown)
    if len(worst) > len(shown):
        yield f"and {len(worst) - len(shown):,} more, none worse (--all lists them)", None
    yield "", None
    yield total(row.summary for row in rows), None


def _counts(row: Row) -> tuple[str, str, str]:
    lost = f"{row.summary.lost_bytes:,}" if row.summary.lost_bytes else "–"
    return in_bytes(row.size), f"{row.summary.records:,}", lost


def _coloured(
    cells: Sequence[tuple[str, ...]], room: int, first: int, rows: Sequence[Row]
) -> Iterator[Line]:
    """Format a head and a line per log; the three columns from ``first`` are numbers."""
    short = [
        (name if len(name) <= room else f"…{name[1 - room :]}", *others) for name, *others in cells
    ]
    colours = [None, *(VERDICT_STYLE[row.summary.verdict] for row in rows)]
    yield from zip(aligned(short, range(first, first + 3)), colours, strict=True)


def total(summaries: Iterable[Summary]) -> str:
    """Return a sentence with the totals of all logs."""
    all = list(summaries)
    damaged = sum(each.verdict != "intact" for each in all)
    lost = sum(each.lost_bytes for each in all)
    return (
        f"{counted(len(all), 'log')}, {counted(sum(each.records for each in all), 'record')};"
        f" {f'{damaged} not intact' if damaged else 'all intact'}"
        + (f", {counted(lost, 'byte')} lost" if lost else "")
    )


def _rank(row: Row) -> int:
    return _ORDER.index(row.summary.verdict)


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: width - 1]}…"


def _findings(items: Iterable[Finding], width: int) -> Iterator[Line]:
    for finding in sorted(items, key=lambda each: list(_HARMS).index(each.harm)):
        about = f"{finding.file}: " if finding.file is not None else ""
        text = one_line(f"{about}{finding.text}")
        # A hyphen may be part of the name of a file.
        lines = textwrap.wrap(text, max(20, width - LABEL - 2), break_on_hyphens=False) or [""]
        for number, line in enumerate(lines):
            label, style = _HARMS[finding.harm]
            yield f"  {label if number == 0 else '':<{LABEL}}{line}", style


def _other_files(others: Sequence[OtherFile], width: int) -> Iterator[Line]:
    shown = others[:MOST_FILES]
    room = min(36, max((len(one_line(other.name)) for other in shown), default=0))
    for number, other in enumerate(shown):
        name = one_line(other.name)
        line = f"{_cut(name, room):<{room}}  {in_bytes(other.size):>8}  {one_line(other.role)}"
        line = f"  {'other' if number == 0 else '':<{LABEL}}{line}"
        yield _cut(line, width), None
    if len(others) > len(shown):
        size = in_bytes(sum(other.size for other in others[MOST_FILES:]))
        yield f"  {'':<{LABEL}}and {len(others) - len(shown):,} more, {size}", None


def system_screen(
    log: Unpacked,
    system: System,
    rows: Sequence[Row],
    observed: Sequence[str],
    width: int,
    height: int,
) -> Iterator[Line]:
    """Format the screen for a system of several logs: worst findings first, then each log."""
    records = counted(sum(row.summary.records for row in rows), "record")
    yield f"  {system.title}: {counted(len(system.logs), 'log')}, {records}{log.origin}", None
    yield from faults_of(log)
    state, worst = _state(system, rows)
    lost = sum(row.summary.lost_bytes for row in rows)
    more = f", {counted(lost, 'byte')} lost" if lost else ""
    yield f"  {state}{more}", VERDICT_STYLE[worst]
    yield "", None
    if system.findings:
        yield from _findings(system.findings, width)
        yield "", None
    if rows:
        yield from _logs(rows, width, height)
    yield from _other_files(system.others, width)
    for line in observed:
        line = one_line(f"  {line}")
        yield _cut(line, width), None
    yield "", None
    name = shlex.quote(log.typed)
    is_whole = worst == "intact"
    suggestions = [(f"walproof read {name}", "print the records")]
    if not is_whole and "pipe" not in log.how:
        suggestions.insert(0, (f"walproof recover {name} --out NEW", "write the surviving records"))
    yield from commands(suggestions)


def system_part(name: str, system: System, rows: Sequence[Row], width: int) -> Iterator[Line]:
    """Format a system inside a folder: its title, state and findings."""
    records = counted(sum(row.summary.records for row in rows), "record")
    state, verdict = _state(system, rows)
    yield "", None
    yield f"  {one_line(name)}", None
    yield f"  {system.title}, {records}; {state}", VERDICT_STYLE[verdict]
    yield from _findings((each for each in system.findings if each.harm != "none"), width)


def _state(system: System, rows: Sequence[Row]) -> tuple[str, str]:
    worst = max((row.summary.verdict for row in rows), key=_ORDER.index, default="intact")
    if worst != "intact":
        return _STATES[worst], worst
    if is_lost(system.findings):
        return "all logs are intact, other files are not", "damaged"
    return "all logs are intact", worst


def _logs(rows: Sequence[Row], width: int, height: int) -> Iterator[Line]:
    """Format one line per log, with at most ``height`` lines; intact logs are omitted first."""
    room = max(5, height - 16)
    worst_first = sorted(rows, key=_rank, reverse=True)[:room]
    shown = [row for row in rows if any(row is each for each in worst_first)]
    cells = [("log", "size", "records", "lost", "")]
    for row in shown:
        assert row.part is not None
        result = row.summary
        verdict = "intact" if result.verdict == "intact" else result.reason or result.verdict
        cells.append((one_line(row.part.name), *_counts(row), f"{verdict}; {row.part.role}"))
    for line, colour in _coloured(cells, max(12, width // 2), 1, shown):
        yield _cut(f"  {line}", width), colour
    if len(rows) > len(shown):
        yield f"  and {len(rows) - len(shown):,} more, none worse (--all lists them)", None


def is_lost(items: Iterable[Finding]) -> bool:
    """Return whether one of the findings is a loss."""
    return any(finding.harm == "lost" for finding in items)
