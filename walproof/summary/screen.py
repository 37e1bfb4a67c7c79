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
    "name": "recognised by its name alone",
    "told": "as you said",
}
#: Size of a lost range from which carving is suggested.
MIN_CARVED_BYTES = 512
#: Width of the labels on the left.
LABEL = 8
_WORDS = {
    "intact": "whole",
    "torn": "torn: the last write was never finished",
    "damaged": "damaged",
    "refused": "refused",
}


def screen(
    log: Unpacked,
    one: FoundOne,
    found: Summary,
    width: int,
    title: str | None = None,
    findings: Sequence[Line] = (),
    beside: Sequence[Line] = (),
    is_all: bool = True,
) -> Iterator[Line]:
    """Format the summary of one log in lines of ``width`` columns.

    If the log is the folder of a system, the caller passes the system's ``title``, the findings
    about the folder, the other files, and whether the log ``is_all`` that the system had.
    """
    yield one_line(log.typed), None
    if title is not None:
        yield f"  {title}", None
    kind = registers()[found.format].title.partition(" (")[0]
    yield f"  {kind}, {_RECOGNISED[one.by]}; {exact(one.size)}{log.came}", None
    for fault in log.faults:
        yield f"  only what came out before a fault of the packing: {one_line(fault)}", "red"
    if is_all or found.verdict != "intact":
        yield f"  {_verdict(one, found)}", VERDICT_STYLE[found.verdict]
    else:
        left = f"{counted(found.records, 'record')}, whole, and not all that there were"
        yield f"  {left}", VERDICT_STYLE["damaged"]
    is_strange = one.by == "name" and one.size and not one.is_blank and not found.records
    if is_strange and not findings:
        yield "  nothing in it is as such a log has it: it may be none, or be encrypted", None
    if findings:
        yield "", None
        yield from findings
    if found.verdict == "refused":
        yield "", None
        yield from _next(log, found)
        return
    yield "", None
    yield from _losses(found, width)
    yield from _records(found, width)
    yield from beside
    yield "", None
    if not log.is_copy and is_all:
        yield f"  {_resume(found)}", None
        yield "", None
    yield from _next(log, found)


def _verdict(one: FoundOne, found: Summary) -> str:
    message = _WORDS[found.verdict]
    code = f" ({found.reason})" if found.reason is not None else ""
    if one.is_blank and not found.records:
        blank = "nothing but zeros: prepared and never written, or wiped" if one.size else "empty"
        return f"{blank}{code}"
    if found.verdict == "refused":
        reasons = registers()[found.format].reasons
        return f"{message}: {reasons[found.reason].words}{code}" if found.reason else message
    survive = f"; {counted(found.records, 'record')}"
    if found.verdict == "intact":
        return f"{message}{survive}"
    survive += f" survive{'s' if found.records == 1 else ''}"
    if not found.lost_bytes:
        return f"{message}{survive}{code}"
    locations = sum(found.reasons.values())
    where = "one place" if locations == 1 else f"{locations:,} places"
    return f"{message}{survive}, {counted(found.lost_bytes, 'byte')} lost in {where}"


def _losses(found: Summary, width: int) -> Iterator[Line]:
    reasons = registers()[found.format].reasons
    for number, gap in enumerate(found.ranges):
        label = "lost" if number == 0 else ""
        place = f"{counted(gap.end - gap.start, 'byte')} from {gap.start:,}{_of(gap.file)}"
        yield _row(label, place, width), VERDICT_STYLE["torn" if gap.torn else "damaged"]
        yield _row("", f"  {reasons[gap.reason].words} ({gap.reason})", width), None
    left = sum(found.reasons.values()) - len(found.ranges)
    if left:
        yield _row("", f"and {left:,} more, all in all:", width), None
        for code, count in found.reasons.most_common():
            yield _row("", f"  {count:,} × {code}", width), None
    if found.unwritten_bytes:
        text = f"of these, {counted(found.unwritten_bytes, 'byte')} at the end were never written"
        yield _row("", text, width), None
    if found.missing:
        low, high = found.indexes or (0, 0)
        message = f"{counted(found.missing, 'record')} between the indexes {low} and {high}"
        yield _row("missing", message, width), VERDICT_STYLE["damaged"]
    if found.ranges or found.missing:
        yield "", None


def _records(found: Summary, width: int) -> Iterator[Line]:
    if found.times is not None:
        yield (
            _row(
                "time",
                f"{moment(found.times[0], ' UTC')} to {moment(found.times[1], ' UTC')}",
                width,
            ),
            None,
        )
    if found.first is not None and found.records == 1:
        yield _row("record", _shown(found.first), width), None
    elif found.first is not None and found.last is not None:
        yield _row("first", _shown(found.first), width), None
        yield _row("last", _shown(found.last), width), None
    else:
        yield _row("records", "none", width), None


def _shown(record: Shown) -> str:
    return f"at {record.at:,}{_of(record.file)}: {record.text}"


def _of(file: str | None) -> str:
    return "" if file is None else f" of {file}"


def _row(label: str, text: str, width: int) -> str:
    line = one_line(f"  {label:<{LABEL}}{text}")
    return line if len(line) <= width else f"{line[: width - 1]}…"


def _resume(found: Summary) -> str:
    if found.end is None:
        return "A writer must start a new file."
    return f"A writer may resume at {found.end:,}{one_line(_of(found.end_file))}."


def _next(log: Unpacked, found: Summary) -> Iterator[Line]:
    """Return the suggested commands, most useful first."""
    name = shlex.quote(log.typed)
    given: list[tuple[str, str]] = []
    if found.verdict == "refused":
        given.append((f"walproof explain {found.format} {found.reason}", "what that means"))
    elif "pipe" in log.how:  # what came out of it is gone
        if found.records and found.lost_bytes:
            given.append(("… | walproof recover - --out NEW", "write what survives"))
        given.append(("… | walproof read --head 20 -", "the first records"))
    else:
        if found.lost_bytes or found.verdict != "intact":
            if found.records:
                given.append((f"walproof recover {name} --out NEW", "write what survives"))
            given.append((f"walproof read --lost-only {name}", "every lost range"))
            if may_be_carved(found.format, found.ranges) and not log.is_copy:
                given.append((f"walproof carve {name}", "records inside what is lost"))
        if found.records:
            given.append((f"walproof read --head 20 {name}", "the first records"))
            if plugin_for(found.format).has("pending"):
                given.append((f"walproof read --pending {name}", "the messages that wait"))
        given.append((f"walproof inspect {name}", "every byte"))
    yield from commands(given)


def may_be_carved(format_id: str, lost: Iterable[Lost]) -> bool:
    """Return whether carving may find records in a lost range that readers must skip."""
    if plugin_for(format_id).carver is None:
        return False
    return any(gap.end - gap.start >= MIN_CARVED_BYTES and not gap.torn for gap in lost)


def commands(told: Sequence[tuple[str, str]]) -> Iterator[Line]:
    """Format commands and their purposes in two columns."""
    room = max(len(command) for command, _ in told)
    for command, what in told:
        yield f"  {one_line(command):<{room}}  {what}", "cyan"


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
        yield f"and {len(worst) - len(shown):,} more, none of them worse: --all shows them", None
    yield "", None
    yield total(result for _, _, result in rows), None


def _cells(row: Sequence[str], widths: Sequence[int]) -> str:
    name, kind, *numbers, message = row
    if len(name) > widths[0]:  # the end of a path says more than its beginning
        name = f"…{name[-(widths[0] - 1) :]}"
    left = [name.ljust(widths[0]), kind.ljust(widths[1])]
    right = [cell.rjust(size) for cell, size in zip(numbers, widths[2:5], strict=True)]
    return "  ".join([*left, *right, message]).rstrip()


def total(found: Iterable[Summary]) -> str:
    """Return a sentence with the totals of all logs."""
    all = list(found)
    damaged = sum(each.verdict != "intact" for each in all)
    lost = sum(each.lost_bytes for each in all)
    return (
        f"{counted(len(all), 'log')}, {counted(sum(each.records for each in all), 'record')};"
        f" {damaged or 'none'} not whole" + (f", {counted(lost, 'byte')} lost" if lost else "")
    )


def _harm(found: Summary) -> tuple[int, int]:
    order = {"intact": 0, "torn": 1, "refused": 2, "damaged": 3}
    return (order[found.verdict], found.lost_bytes)
