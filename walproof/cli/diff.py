"""``walproof diff``: list records that are in only one of two logs, or differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import click

from walproof.cli.context import context_of, context_option, format_option
from walproof.cli.opening import opened
from walproof.cli.output import EXIT_STATUS, say, say_json
from walproof.difference.align import Difference, differences
from walproof.difference.records import ComparedLog, ComparedRecord, compared_log
from walproof.quantity import counted
from walproof.systems import Finding

SHOWN = 20
_MARKS = {"only in the first": "-", "only in the second": "+", "different": "~"}
_COLOURS = {"-": "red", "+": "green", "~": "yellow"}


@dataclass(frozen=True)
class Side:
    """One of the two logs: its name, its records, and the losses of its folder."""

    name: str
    log: ComparedLog
    losses: Sequence[Finding]

    @property
    def is_whole(self) -> bool:
        """Return whether the log is intact and no loss is known."""
        return self.log.end.verdict == "intact" and not self.losses

    def to_json(self, mark: str) -> dict[str, object]:
        """Return the ``--json`` object for a log with losses."""
        return {
            "kind": "not whole",
            "log": mark,
            "verdict": self.log.end.verdict,
            "lost_bytes": self.log.lost_bytes,
            "findings": [finding.to_json() for finding in self.losses],
        }


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@format_option
@context_option
@click.option(
    "--all", "all_of_them", is_flag=True, help=f"All differences, not only the first {SHOWN}."
)
@click.option("--json", "as_json", is_flag=True, help="Print one object per difference.")
def diff(
    first: str,
    second: str,
    format_id: str | None,
    context_items: tuple[str, ...],
    all_of_them: bool,
    as_json: bool,
) -> int:
    """Compare the records of two logs.

    Use this command on a replica, a backup, or a recovered log. Records that have an index or a
    sequence number are matched by this number, other records by order and content. Positions in the
    files are ignored. Both paths may be compressed.

    \b
    walproof diff 000003.log recovered.log
    walproof diff node-1/journal node-2/journal

    Records marked - are only in A. Records marked + are only in B. Records marked ~ differ.

    If A or B has lost ranges, the last line warns you that the original logs may differ.

    Exit status: 0 if both have the same records, 3 if not, 4 if a log is refused and cannot be
    compared, 1 for a usage or I/O error.
    """
    with opened(first, format_id) as each, opened(second, format_id) as other:
        is_a = each.format.id
        if is_a != other.format.id:
            raise click.ClickException(
                f"{first} is a {is_a}, {second} a {other.format.id}: expected one format"
            )
        context = context_of(context_items, is_a)
        sides = [
            Side(log.name, compared_log(log.events("recover", context)), log.losses())
            for log in (each, other)
        ]
    refused = [side for side in sides if side.log.end.verdict == "refused"]
    for side in refused:
        say(f"{side.name}: {is_a}, refused ({side.log.end.reason})", err=True)
    if refused:
        say(f"{first} and {second} cannot be compared", err=True)
        return EXIT_STATUS["refused"]
    result = differences(sides[0].log.records, sides[1].log.records)
    count = 0
    if as_json:
        for one_difference in result:
            say_json(_json(one_difference))
            count += 1
        for mark, side in zip("ab", sides, strict=True):
            if not side.is_whole:
                say_json(side.to_json(mark))
    else:
        count = _print(sides, result, None if all_of_them else SHOWN)
    return 3 if count else 0


def _print(sides: list[Side], items: Iterable[Difference], most: int | None) -> int:
    for mark, side in zip("AB", sides, strict=True):
        log = side.log
        lost = f", {counted(log.lost_bytes, 'byte')} lost" if log.lost_bytes else ""
        lost += f", {counted(len(side.losses), 'finding')} of loss" if side.losses else ""
        say(f"{mark}  {side.name}: {log.end.verdict}, {counted(len(log.records), 'record')}{lost}")
    counts: Counter[str] = Counter()
    for number, each in enumerate(items):
        counts[each.kind] += 1
        if most is not None and number >= most:
            continue
        mark = _MARKS[each.kind]
        for line, record in zip("AB", (each.old, each.new), strict=True):
            if record is not None:
                sign = mark if mark != "~" else f"~{line}"
                say(f"{sign:<2} {_shown(record)}", style=_COLOURS[mark])
    if most is not None and counts.total() > most:
        say(f"… and {counts.total() - most:,} more (--all lists them)")
    given = [f"{counts[kind]:,} {kind}" for kind in _MARKS if counts[kind]]
    message = ", ".join(given) if given else "no difference"
    if not any(len(side.log.records) for side in sides):
        message = "no records to compare"
    broken = [mark for mark, side in zip("AB", sides, strict=True) if not side.is_whole]
    if broken:
        verb = "has" if len(broken) == 1 else "have"
        message += f"; {' and '.join(broken)} {verb} losses, so the comparison is incomplete"
    say(message)
    return counts.total()


def _shown(record: ComparedRecord) -> str:
    place = f"at {record.at:,}" + (f" of {record.file}" if record.file else "")
    number = f"{' '.join(record.number)}, " if record.number else ""
    return f"{number}{place}: {record.text}"


def _json(difference: Difference) -> dict[str, object]:
    return {"kind": difference.kind, "a": _place(difference.old), "b": _place(difference.new)}


def _place(record: ComparedRecord | None) -> dict[str, object] | None:
    if record is None:
        return None
    file = {"file": record.file} if record.file is not None else {}
    number = {"number": list(record.number)} if record.number is not None else {}
    return {**file, "at": record.at, **number, "text": record.text}
