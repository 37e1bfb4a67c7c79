"""``walproof read --each``: write each record of a log to its own file."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import click

from conformance.saving import save
from reference_impl.answer import Record
from walproof.cli.output import say_json
from walproof.cli.record_table import for_each_record
from walproof.log import Log


def write_record_files(log: Log, folder: Path) -> int:
    """Write each record to a file, and print the file's name and the record's fields.

    Return the exit status. Raises ``click.ClickException`` if a file exists.
    """
    folder.mkdir(parents=True, exist_ok=True)
    used: Counter[int] = Counter()
    numbers = itertools.count()

    def take(record: Record) -> None:
        index = int(record.fields.get("index", next(numbers)))
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

    return for_each_record(log, take)
