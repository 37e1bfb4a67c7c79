"""The layout of a KahaDB data file: control records, records, file names, and sibling formats.

Upstream authority: apache/activemq ``…/store/kahadb/disk/journal/Journal.java``.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

# Every control record begins with these 16 bytes (KDB-005).
HEADER = b"\x00\x00\x00\x1c\x02WRITE BATCH"
CONTROL_SIZE = 28
# The fields are a header, the size of the batch, and its checksum (KDB-005).
CONTROL = struct.Struct(">16siq")
# The fields are the record's size (including these bytes) and its type (KDB-009).
RECORD = struct.Struct(">iB")
RECORD_HEAD = RECORD.size
USER_RECORD = 1
EOF_RECORD = b"-qMa4"  # KDB-011
MAX_BATCH_SIZE = 2**31 - 1 - CONTROL_SIZE - len(EOF_RECORD)  # KDB-006
MAX_FILE_ID = 2**31 - 1  # KDB-002
DATA_FILE = re.compile(r"db-([+-]?[0-9]+)\.log")

# ``KahaEntryType`` by number (``journal-data.proto``).
COMMANDS = (
    "KAHA_TRACE_COMMAND",
    "KAHA_ADD_MESSAGE_COMMAND",
    "KAHA_REMOVE_MESSAGE_COMMAND",
    "KAHA_PREPARE_COMMAND",
    "KAHA_COMMIT_COMMAND",
    "KAHA_ROLLBACK_COMMAND",
    "KAHA_REMOVE_DESTINATION_COMMAND",
    "KAHA_SUBSCRIPTION_COMMAND",
    "KAHA_PRODUCER_AUDIT_COMMAND",
    "KAHA_ACK_MESSAGE_FILE_MAP_COMMAND",
    "KAHA_UPDATE_MESSAGE_COMMAND",
    "KAHA_ADD_SCHEDULED_JOB_COMMAND",
    "KAHA_RESCHEDULE_JOB_COMMAND",
    "KAHA_REMOVE_SCHEDULED_JOB_COMMAND",
    "KAHA_REMOVE_SCHEDULED_JOBS_COMMAND",
    "KAHA_DESTROY_SCHEDULER_COMMAND",
    "KAHA_REWRITTEN_DATA_FILE_COMMAND",
)


def file_id(name: str) -> int | None:
    """Return the id in a data file's name, or None for any other name (KDB-002)."""
    named = DATA_FILE.fullmatch(name)
    number = int(named[1]) if named else None
    return number if number is not None and -MAX_FILE_ID - 1 <= number <= MAX_FILE_ID else None


def data_files(folder: Path) -> tuple[list[str], list[str]]:
    """Return the names of the data files, and of duplicates of their ids (KDB-003, KDB-004).

    Both lists are sorted by id. Empty files are ignored.
    """
    by_id: dict[int, list[str]] = {}
    for path in folder.iterdir():
        number = file_id(path.name)
        if number is not None and path.is_file() and path.stat().st_size:
            by_id.setdefault(number, []).append(path.name)
    chosen, others = [], []
    for number in sorted(by_id):
        first, *rest = sorted(by_id[number], key=lambda name: (len(name), name))
        chosen.append(first)
        others += rest
    return chosen, others


def sibling(head: bytes) -> str | None:
    """Return the sibling format that a file's first bytes show, or None (KDB-055)."""
    if head[:4] == b"J.IO":
        return "Journal.IO 1.3"
    if head[:5] == HEADER[:5] and head[9:20] == HEADER[5:]:
        return "HawtJournal"
    if head[4:9] == b"\x00\x00\x00\x15\x02" and len(head) >= 21:
        return "Journal.IO 1.0"
    return None


def command(payload: bytes) -> dict[str, int | str]:
    """Return the fields for the broker command in a payload, if it contains one (KDB-016)."""
    if not payload or payload[0] >= len(COMMANDS):
        return {}
    length = shift = 0
    for at in range(1, min(len(payload), 6)):
        length |= (payload[at] & 0x7F) << shift
        shift += 7
        if payload[at] < 0x80:
            if at + 1 + length != len(payload):
                return {}
            return {"command": payload[0], "command_name": COMMANDS[payload[0]]}
    return {}
