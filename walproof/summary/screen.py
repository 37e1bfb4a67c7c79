"""Format the summary of a log, or a table of several, in 80 columns."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from conformance.text import one_line
from reference_impl.answer import Lost
from reference_impl.register import registers
from walproof.formats import plugin_for
from walproof.quantity import counted, exact, in_bytes, moment
from walproof.summary.logs import FoundOne
from walproof.summary.model import Shown, Summary
from walproof.summary.unpacked import Unpacked
from walproof.verdict import VERDICT_STYLE

#: Text and its colour.
Line = tuple[str, str | None]
_RECOGNISED = {
    "content": "recognised by its content",
    "name": "recognised only by its name",
    "told": "format as specified",
}
#: Size of a lost range from which carving is suggested.
MIN_CARVED_BYTES = 512
#: Width of the labels on the left.
LABEL = 8
_WORDS = {
    "intact": "intact",
    "torn": "torn: the last write is incomplete",
    "damaged": "damaged",
    "refused": "refused",
}


def screen(
    log: Unpacked,
    detected: FoundOne,
    summary: Summary,
    width: int,
    title: str | None = None,
    findings: Sequence[Line] = (),
    other_lines: Sequence[Line] = (),
    is_all: bool = True,
) -> Iterator[Line]:
    """Format the summary of one log in lines of ``width`` columns.

    If the log belongs to a system, ``title`` is the title of the system. ``findings`` and
    ``other_lines`` describe the folder and its other files. ``is_all`` is false if other data of
    the system is missing.
    """
    yield one_line(log.typed), None
    if title is not None:
        yield f"  {title}", None
    kind = registers()[summary.format].title.partition(" (")[0]
    yield f"  {kind}, {_RECOGNISED[detected.by]}; {exact(detected.size)}{log.origin}", None
    for fault in log.faults:
        yield f"  unpacked only up to a fault: {one_line(fault)}", "red"
    if is_all or summary.verdict != "intact":
        yield f"  {_verdict(detected, summary)}", VERDICT_STYLE[summary.verdict]
    else:
        records = counted(summary.records, "record")
        left = f"{records}; the log is intact, but data is missing (see below)"
        yield f"  {left}", VERDICT_STYLE["damaged"]
    is_strange = (
        detected.by == "name" and detected.size and not detected.is_blank and not summary.records
    )
    if is_strange and not findings:
        yield "  no record was recognised: the file may be encrypted, or not a log", None
    if findings:
        yield "", None
        yield from findings
    if summary.verdict == "refused":
        yield "", None
        yield from _next(log, summary)
        return
    yield "", None
    yield from _losses(summary, width)
    yield from _records(summary, width)
    yield from other_lines
    yield "", None
    if not log.is_copy and is_all:
        yield f"  {_resume(summary)}", None
        yield "", None
    yield from _next(log, summary)


def _verdict(detected: FoundOne, summary: Summary) -> str:
    message = _WORDS[summary.verdict]
    code = f" ({summary.reason})" if summary.reason is not None else ""
    if detected.is_blank and not summary.records:
        blank = "all zeros: preallocated and never written, or erased" if detected.size else "empty"
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
        yield (
            _row(
                "time",
                f"{moment(summary.times[0], ' UTC')} to {moment(summary.times[1], ' UTC')}",
                width,
            ),
            None,
        )
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
    line = one_line(f"  {label:<{LABEL}}{text}")
    return line if len(line) <= width else f"{line[: width - 1]}…"


def _resume(summary: Summary) -> str:
    if summary.end is None:
        return "Not safe to append: start a new file."
    return f"Safe to append at offset {summary.end:,}{one_line(_of(summary.end_file))}."


def _next(log: Unpacked, summary: Summary) -> Iterator[Line]:
    """Return the suggested commands, most useful first."""
    name = shlex.quote(log.typed)
    suggestions: list[tuple[str, str]] = []
    if summary.verdict == "refused":
        suggestions.append(
            (f"walproof explain {summary.format} {summary.reason}", "explain the reason")
        )
    elif "pipe" in log.how:  # a pipe cannot be read again
        if summary.records and summary.lost_bytes:
            suggestions.append(("… | walproof recover - --out NEW", "write the surviving records"))
        suggestions.append(("… | walproof read --head 20 -", "print the first records"))
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
            suggestions.append((f"walproof read --head 20 {name}", "print the first records"))
            if plugin_for(summary.format).has("pending"):
                suggestions.append((f"walproof read --pending {name}", "list the pending messages"))
        suggestions.append((f"walproof inspect {name}", "show every byte"))
    yield from commands(suggestions)


def may_be_carved(format_id: str, lost: Iterable[Lost]) -> bool:
    """Return whether carving may find records in a lost range that readers must skip."""
    if not plugin_for(format_id).has("carver"):
        return False
    return any(gap.end - gap.start >= MIN_CARVED_BYTES and not gap.torn for gap in lost)


def commands(suggestions: Sequence[tuple[str, str]]) -> Iterator[Line]:
    """Format commands and their purposes in two columns."""
    room = max(len(command) for command, _ in suggestions)
    for command, purpose in suggestions:
        yield f"  {one_line(command):<{room}}  {purpose}", "cyan"


def table(rows: Sequence[tuple[str, int, Summary]], height: int, width: int) -> Iterator[Line]:
    """Format one line per log, damaged logs first, at most ``height`` lines."""
    by_name = sorted(rows, key=lambda row: row[0])
    worst = sorted(by_name, key=lambda row: _harm(row[2]), reverse=True)
    shown = worst[: max(5, height - 8)]
    heads = ("log", "format", "size", "records", "lost", "")
    cells = [heads]
    for name, size, result in shown:
        lost = f"{result.lost_bytes:,}" if result.lost_bytes else "–"
        message = result.verdict if result.reason is None else f"{result.verdict}: {result.reason}"
        cells.append(
            (one_line(name), result.format, in_bytes(size), f"{result.records:,}", lost, message)
        )
    widths = [max(len(row[n]) for row in cells) for n in range(len(heads))]
    spare = width - sum(widths) - 2 * (len(heads) - 1)
    widths[0] = max(12, widths[0] + min(0, spare))
    for number, row in enumerate(cells):
        colour = None if number == 0 else VERDICT_STYLE[shown[number - 1][2].verdict]
        yield _cells(row, widths), colour
    if len(worst) > len(shown):
        yield f"and {len(worst) - len(shown):,} more, none worse (--all lists them)", None
    yield "", None
    yield total(result for _, _, result in rows), None


def _cells(row: Sequence[str], widths: Sequence[int]) -> str:
    name, kind, *numbers, message = row
    if len(name) > widths[0]:  # the end of a path is more useful than its start
        name = f"…{name[-(widths[0] - 1) :]}"
    left = [name.ljust(widths[0]), kind.ljust(widths[1])]
    right = [cell.rjust(size) for cell, size in zip(numbers, widths[2:5], strict=True)]
    return "  ".join([*left, *right, message]).rstrip()


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


def _harm(summary: Summary) -> tuple[int, int]:
    order = {"intact": 0, "torn": 1, "refused": 2, "damaged": 3}
    return (order[summary.verdict], summary.lost_bytes)
