"""Open LevelDB databases through plyvel on request, one request per input line.

A request is ``{"action": "write" | "open", "folder": …}``. The reply is ``{"items":
{key: value}}`` or ``{"refused": message}``. With the argument ``comparator``, the database has a
custom comparator, as in IndexedDB.
"""

import json
import random
import shutil
import sys
from typing import Any

import plyvel

RANDOM = random.Random(1)
COMPARATOR = {
    "comparator": lambda left, right: (left > right) - (left < right),
    "comparator_name": b"idb_cmp1",
}


def write(folder: str, options: dict[str, Any]) -> None:
    """Write a database with tables and a log, and copy it while it is open."""
    busy = f"{folder}.busy"
    # Opening a database moves its log into a table. With four or more tables, a compaction may
    # deadlock if the comparator is in Python.
    for first in range(0, 200, 100):
        with plyvel.DB(busy, create_if_missing=True, **options) as database:
            for number in range(first, first + 100):
                value = f"value {number} {RANDOM.randbytes(30).hex()}"
                database.put(b"key%06d" % number, value.encode())
    with plyvel.DB(busy, **options) as database:
        for number in range(40):
            database.put(b"late%03d" % number, b"late value %d " % number + b"." * (40 + number))
        shutil.copytree(busy, folder)


def read(folder: str, options: dict[str, Any]) -> dict[str, str]:
    """Return all keys and values that LevelDB returns."""
    with plyvel.DB(folder, **options) as database:
        return {key.decode("latin-1"): value.decode("latin-1") for key, value in database}


def answer(action: str, folder: str) -> dict[str, Any]:
    """Carry out a request; return the reply."""
    options = COMPARATOR if sys.argv[1] == "comparator" else {}
    try:
        if action == "write":
            write(folder, options)
            return {"items": {}}
        return {"items": read(folder, options)}
    except Exception as error:
        return {"refused": f"{type(error).__name__}: {error}"}


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(answer(request["action"], request["folder"])), flush=True)
