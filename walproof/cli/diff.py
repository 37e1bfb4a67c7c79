"""``walproof diff``: records that only one of two logs has, and records that differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import click

from walproof.cli.context import context_of
from walproof.cli.opening import opened
from walproof.cli.output import say, say_json
from walproof.difference.align import Difference, differences
from walproof.difference.records import Seen, SeenLog, seen
from walproof.quantity import counted

SHOWN = 20
_MARKS = {"only in the first": "-", "only in the second": "+", "different": "~"}
_COLOURS = {"-": "red", "+": "green", "~": "yellow"}


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--format", "format_id", metavar="ID", help="Format id; detected if not given.")
@click.option(
    "--context",
    "context_items",
    metavar="KEY=VALUE",
    multiple=True,
    help="What the reader is told besides the bytes; VALUE is JSON or text.",
)
@click.option("--all", "all_of_them", is_flag=True, help=f"Not only the first {SHOWN}.")
@click.option("--json", "as_json", is_flag=True, help="Print one object per difference.")
def diff(
    first: str,
    second: str,
    format_id: str | None,
    context_items: tuple[str, ...],
    all_of_them: bool,
    as_json: bool,
) -> int:
    """Compare the records of two logs: a replica, a backup, a log and what was recovered from it.

    A record with a number (an index, a sequence number of a boot) is the same record wherever it
    stands; without numbers, order and content decide. Where it stands in its file makes no
    difference. Both may be packed, as for `walproof PATH`.

    \b
    walproof diff 000003.log recovered.log
    walproof diff node-1/journal node-2/journal

    - is only in A, + only in B, ~ in both and not the same.

    Exit status: 0 if both have the same records, 3 if not, 4 if one is refused, 1 for a usage or
    I/O error.
    """
    try:
        with opened(first, format_id) as one, opened(second, format_id) as other:
            is_a = one.format.id
            if is_a != other.format.id:
                raise click.ClickException(
                    f"{first} is a {is_a}, {second} a {other.format.id}: expected one format"
                )
            context = context_of(context_items, is_a)
            names = (one.name, other.name)
            logs = [seen(log.events("recover", context)) for log in (one, other)]
    except ValueError as error:  # a --context that the format does not understand
        raise click.ClickException(str(error)) from None
    found = differences(logs[0].records, logs[1].records)
    count = 0
    if as_json:
        for one_difference in found:
            say_json(_json(one_difference))
            count += 1
    else:
        count = _print(names, logs, found, None if all_of_them else SHOWN)
    if any(log.end.verdict == "refused" for log in logs):
        return 4
    return 3 if count else 0


def _print(
    names: tuple[str, str], logs: list[SeenLog], found: Iterable[Difference], most: int | None
) -> int:
    """Print the first ``most`` differences, and say how many there are."""
    for mark, name, log in zip("AB", names, logs, strict=True):
        lost = f", {counted(log.lost_bytes, 'byte')} lost" if log.lost_bytes else ""
        say(f"{mark}  {name}: {log.end.verdict}, {counted(len(log.records), 'record')}{lost}")
    counts: Counter[str] = Counter()
    for number, one in enumerate(found):
        counts[one.kind] += 1
        if most is not None and number >= most:
            continue
        mark = _MARKS[one.kind]
        for line, record in zip("AB", (one.old, one.new), strict=True):
            if record is not None:
                sign = mark if mark != "~" else f"~{line}"
                say(f"{sign:<2} {_shown(record)}", style=_COLOURS[mark])
    if most is not None and counts.total() > most:
        say(f"… and {counts.total() - most:,} more: --all")
    told = [f"{counts[kind]:,} {kind}" for kind in _MARKS if counts[kind]]
    say(", ".join(told) if told else "no difference")
    return counts.total()


def _shown(record: Seen) -> str:
    place = f"at {record.at:,}" + (f" of {record.file}" if record.file else "")
    number = f"{' '.join(record.number)}, " if record.number else ""
    return f"{number}{place}: {record.text}"


def _json(one: Difference) -> dict[str, object]:
    return {"kind": one.kind, "a": _place(one.old), "b": _place(one.new)}


def _place(record: Seen | None) -> dict[str, object] | None:
    if record is None:
        return None
    file = {"file": record.file} if record.file is not None else {}
    number = {"number": list(record.number)} if record.number is not None else {}
    return {**file, "at": record.at, **number, "text": record.text}
