"""Maps the fields of a file by a grammar that may be anybody's: ``damage --ksy`` starts it, boxed.

``python -m walproof.damage.foreign_worker GRAMMAR``, JSON lines on stdin and stdout:
``{"data": bytes in hexadecimal}`` → ``{"fields": [[path, start, end, value], …], "stopped": why}``.
A value is a number, a text, ``[name, number]`` of an enum, ``{}`` for bytes, null for what has
fields; ``stopped`` is null where the grammar fits to the end.
"""

from __future__ import annotations

import json
import sys
from enum import Enum
from pathlib import Path

from conformance.kaitai.field_map import ParseStopped, fields_by


def main() -> None:
    """Answer requests until stdin ends."""
    replies = sys.stdout
    sys.stdout = sys.stderr  # what a parser prints is no reply
    for line in sys.stdin:
        print(
            json.dumps(_fields(bytes.fromhex(json.loads(line)["data"]))), file=replies, flush=True
        )


def _fields(data: bytes) -> dict[str, object]:
    found = []
    stopped = None
    try:
        for field in fields_by(Path(sys.argv[1]), data):
            found.append([field.path, field.start, field.end, _plain(field.value)])
    except ParseStopped as error:
        stopped = str(error)
    return {"fields": found, "stopped": stopped}


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return [value.name, value.value]
    if isinstance(value, bytes | bytearray):
        return {}
    return value if value is None or isinstance(value, int | float) else str(value)


if __name__ == "__main__":
    main()
