"""Open RocksDB databases through rocksdict on request, one request per input line.

A request is ``{"action": "write" | "open", "folder": …}``; ``write`` also needs
``variant``. The reply is ``{"items": {key: value}}`` or ``{"refused": message}``.
"""

import json
import random
import shutil
import sys
from pathlib import Path
from typing import Any

from rocksdict import Options, Rdict, WriteOptions

RANDOM = random.Random(1)
OF_TABLES = [b"key%06d" % number for number in range(300)]
OF_LOG = [b"late%03d" % number for number in range(40)]
#: The total size of a key and its value. It is fixed, so that an older record begins exactly where
#: a recycled log ends.
PAIR_BYTES = 120


def options_of(variant: str) -> Options:
    """Return the options for writing a variant."""
    options = Options(raw_mode=True)
    if variant == "recycled":
        options.set_recycle_log_file_num(2)
    if variant == "families":
        options.set_enable_blob_files(True)
        options.set_min_blob_size(200)
    return options


def write(folder: str, variant: str) -> None:
    """Write a database with three tables and a log; copy it while it is open."""
    busy = f"{folder}.busy"
    database = Rdict(busy, options_of(variant))
    families = [database]
    if variant == "families":
        families.append(database.create_column_family("second", options_of(variant)))

    def put(family: Any, key: bytes, value: bytes) -> None:
        size = PAIR_BYTES - len(key)
        family[key] = value[:size].ljust(size, b".") if variant == "recycled" else value

    synced = WriteOptions()
    synced.sync = True
    for family in families:
        family.set_write_options(synced)
    for number, key in enumerate(OF_TABLES):
        size = 120 if variant == "families" and number % 10 == 9 else 20
        for family in families:
            put(family, key, f"value {number} {RANDOM.randbytes(size).hex()}".encode())
            if number % 100 == 99:
                family.flush()
    for key in OF_LOG:
        for family in families:
            put(family, key, b"late value of %s " % key + b"." * (40 + int(key[4:])))
    shutil.copytree(busy, folder)
    database.close()


def read(folder: str) -> dict[str, str]:
    """Return all keys and values of all column families."""
    names = Rdict.list_cf(folder) if Path(folder, "CURRENT").exists() else ["default"]
    families = {name: Options(raw_mode=True) for name in names if name != "default"}
    database = Rdict(folder, Options(raw_mode=True), families or None)
    items = {}
    for name in names:
        family = database if name == "default" else database.get_column_family(name)
        for key in [*OF_TABLES, *OF_LOG]:
            # Keys are read one by one, because an iterator would stop at the first damaged block.
            try:
                value = family.get(key)
            except Exception:
                continue
            if value is not None:
                items[f"{name}: {key.decode()}"] = value.decode("latin-1")
    database.close()
    return items


def answer(action: str, folder: str, variant: str) -> dict[str, Any]:
    """Carry out a request; return the reply."""
    try:
        if action == "write":
            write(folder, variant)
            return {"items": {}}
        return {"items": read(folder)}
    except Exception as error:
        return {"refused": f"{type(error).__name__}: {error}"}


for line in sys.stdin:
    request = json.loads(line)
    print(
        json.dumps(answer(request["action"], request["folder"], request.get("variant", ""))),
        flush=True,
    )
