"""Map the fields of a file with any grammar, in the sandboxed process of ``walproof damage --ksy``.

``python -m walproof.damage.foreign_worker GRAMMAR`` exchanges JSON lines on stdin and stdout:
``{"data": hexadecimal}`` → ``{"fields": [[path, start, end, value], …], "stopped": reason}``. A
value is a number, a text, ``[name, number]`` for an enum, ``{}`` for bytes, or null for a field
with subfields. ``stopped`` is null if the grammar matches the whole file.
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
    sys.stdout = sys.stderr  # output of a parser must not mix with replies
    for line in sys.stdin:
        print(
            json.dumps(_fields(bytes.fromhex(json.loads(line)["data"]))), file=replies, flush=True
        )


def _fields(data: bytes) -> dict[str, object]:
    fields = []
    stopped = None
    try:
        for field in fields_by(Path(sys.argv[1]), data):
            fields.append([field.path, field.start, field.end, _plain(field.value)])
    except ParseStopped as error:
        stopped = str(error)
    return {"fields": fields, "stopped": stopped}


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return [value.name, value.value]
    if isinstance(value, bytes | bytearray):
        return {}
    return value if value is None or isinstance(value, int | float) else str(value)


if __name__ == "__main__":
    main()
