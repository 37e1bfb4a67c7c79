"""Damaged copies of a journal that an ActiveMQ 6.3.1 message store wrote.

The folder ``written`` contains the journal of a store that was killed after 36 messages to one
queue. Every fourth message was acknowledged, and each file is 4 KiB long. ``java … Store write
FOLDER`` in ``lab/databases/implementations/activemq-kahadb-store`` wrote the journal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from conformance.contents import by_name, read_contents, write_contents
from conformance.recipes.algebra import Damage
from lab.databases.damaged_logs import (
    DatabaseCase,
    FormatDatabases,
    Item,
    damaged_cases,
    place_log,
    shortened,
)
from reference_impl.answer import Answer

FORMAT = "kahadb-journal"
WRITTEN = Path(__file__).with_name("written")
#: Types of the commands that add and remove a message.
ADD, REMOVE = 1, 2
#: Patterns of the id and the text that ``Store.java`` gives to each message.
MESSAGE_ID, TEXT = re.compile(rb"ID:host-1-1:1:1:\d+"), re.compile(rb"order \d\d x+")
FIRST, SECOND, LAST = "db-1.log", "db-2.log", "db-3.log"


@cache
def control() -> Mapping[str, bytes]:
    """Return the files of the journal before any damage."""
    return by_name(read_contents(WRITTEN))


def _last(log: Damage) -> str:
    batches = [
        each.path for each in log.fields_of(LAST) if re.fullmatch(r"batches\[\d+]", each.path)
    ]
    return f"{LAST}:{batches[-1]}"


def _acknowledged_again(log: Damage) -> None:
    """Append a copy of the batch that contains the first acknowledged message."""
    field = log.field(f"{FIRST}:batches[2]")
    again = bytes(log.files[FIRST][field.start : field.end])
    log.extend(again, file=LAST)


def _flip(log: Damage, before: bytes, further: int) -> None:
    """Flip one bit of the first message, ``further`` bytes after the start of ``before``."""
    payload = log.field(f"{FIRST}:batches[1].records[0].payload")
    at = log.files[FIRST].index(before, payload.start) + further - payload.start
    log.flip(f"{FIRST}:batches[1].records[0].payload", 8 * at)


DAMAGE: Mapping[str, Callable[[Damage], None]] = {
    "none": lambda log: None,
    "torn-last-record": lambda log: log.truncate_in(_last(log), 100),
    "size-before-data": lambda log: log.zero(f"{_last(log)}.records[0].payload"),
    "zeroed-sector": lambda log: log.zero_sector(3, 512, SECOND),
    "stale-tail": _acknowledged_again,
    "lost-write": lambda log: log.stale(512, 1024, control()[FIRST], SECOND),
    "lost-file/first": lambda log: log.remove_file(FIRST),
    "lost-file/middle": lambda log: log.remove_file(SECOND),
    "bit-in-a-length/batch": lambda log: log.flip(f"{FIRST}:batches[1].control.len_records", 30),
    "bit-in-a-length/record": lambda log: log.flip(
        f"{FIRST}:batches[1].records[0].header.len_record", 30
    ),
    "bit-in-a-checksum": lambda log: log.flip(f"{FIRST}:batches[1].control.checksum", 60),
    "bit-in-a-payload/text": lambda log: _flip(log, b"order 00 ", 12),
    "bit-in-a-payload/flag": lambda log: log.flip(f"{FIRST}:batches[1].records[0].payload", 1602),
    "bit-in-a-payload/acknowledgement": lambda log: log.flip(
        f"{FIRST}:batches[3].records[0].payload", 602
    ),
    "bit-in-a-payload/command": lambda log: log.flip(f"{FIRST}:batches[1].records[0].payload", 9),
    "bit-in-a-payload/last-record": lambda log: log.flip(f"{_last(log)}.records[0].payload", 602),
    "missing-in-the-middle": lambda log: log.drop(f"{SECOND}:batches[2]"),
    "unit-twice": lambda log: log.duplicate(f"{SECOND}:batches[2]"),
    "swapped": lambda log: log.swap_files(FIRST, SECOND),
}


def items(answer: Answer) -> frozenset[Item]:
    """Return the messages that were not acknowledged."""
    waiting: dict[bytes, bytes] = {}
    for record in answer.records:
        id = MESSAGE_ID.search(record.payload)
        if record.payload[0] == ADD and id and (text := TEXT.search(record.payload)):
            waiting[id[0]] = text[0]
        elif record.payload[0] == REMOVE and id:
            waiting.pop(id[0], None)
    return frozenset((shortened(id), shortened(text)) for id, text in waiting.items())


def place(case: DatabaseCase, folder: Path) -> Path:
    """Write the journal without an index.

    The undamaged journal is written next to it. Some modes build an index from the undamaged
    journal.
    """
    write_contents(case.control, folder / "control")
    return place_log(case, folder)


DATABASES = FormatDatabases(
    lambda: damaged_cases(FORMAT, control(), DAMAGE, "journal"), items, place
)
