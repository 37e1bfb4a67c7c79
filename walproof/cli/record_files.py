"""``walproof read --each``: write each record of a log to its own file."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from conformance.saving import save
from reference_impl.answer import Event, Record
from walproof.cli.opening import Opened
from walproof.cli.output import say_json
from walproof.cli.record_table import Passed, for_each_record


@dataclass
class Range:
    """Indexes from ``first`` to ``last`` inclusive; None is open. ``found`` counts records."""

    text: str
    first: int | None
    last: int | None
    found: int = 0

    def holds(self, index: int) -> bool:
        """Return whether an index is in the range."""
        return (self.first is None or index >= self.first) and (
            self.last is None or index <= self.last
        )


def parse_ranges(text: str) -> list[Range]:
    """Parse ranges such as ``100:110,7,:9``. Raises ``click.BadParameter``."""
    ranges = []
    for part in text.split(","):
        first, colon, last = part.partition(":")
        try:
            low = int(first) if first else None
            high = int(last) if last else None
        except ValueError:
            low = high = -1
        if not colon:
            high = low
        wrong = low is None and high is None and not colon
        backwards = low is not None and high is not None and low > high
        if wrong or backwards or min(low or 0, high or 0) < 0:
            raise click.BadParameter(f"expected ranges such as 100:110,1000:1050, found {part!r}")
        ranges.append(Range(part, low, high))
    return ranges


def write_record_files(
    source: Opened,
    events: Iterable[Event | Passed],
    folder: Path,
    ranges: str | None,
) -> int:
    """Write each record of a log to a separate file, and return the exit status.

    A file is named after the index of its record, such as ``0000000000000100.data``. In a format
    without indexes, the records are numbered from 0. A second record with the same index is written
    to ``0000000000000100.2.data``. For each record, a line of JSON on standard output contains the
    file name and the other fields.

    Raises ``click.ClickException`` for a range without records, and for an existing file.
    """
    wanted = parse_ranges(":" if ranges is None else ranges)
    folder.mkdir(parents=True, exist_ok=True)
    used: Counter[int] = Counter()
    numbers = itertools.count()
    seen: list[int] = []

    def take(record: Record) -> None:
        index = int(record.fields.get("index", next(numbers)))
        seen[:] = [min(index, *seen), max(index, *seen)] if seen else [index, index]
        holding = [each for each in wanted if each.holds(index)]
        for each in holding:
            each.found += 1
        if not holding:
            return
        used[index] += 1
        again = f".{used[index]}" if used[index] > 1 else ""
        path = folder / f"{index:016}{again}.data"
        try:
            save(path, record.payload, replace=False, sync=False)
        except FileExistsError:
            raise click.ClickException(f"{path} already exists: expected a new path") from None
        line: dict[str, Any] = {"path": str(path), **record.to_json()}
        for name in ("payload", "payload_sha256"):
            line.pop(name, None)
        say_json(line)

    status = for_each_record(events, source.name, take)
    missing = [each.text for each in wanted if not each.found and each.text != ":"]
    if missing:
        has = f"{seen[0]} to {seen[1]}" if seen else "none"
        raise click.ClickException(f"no record in {', '.join(missing)}; the log has {has}")
    return status
