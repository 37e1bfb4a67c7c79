"""Write a database with LevelDB through plyvel, and print the live tables that LevelDB reports.

Usage: ``write_leveldb.py FOLDER``. Bytes are printed in hexadecimal.
"""

import json
import random
import re
import shutil
import sys
import time
from pathlib import Path

import plyvel

folder = Path(sys.argv[1])
chance = random.Random(17)


def write(database, operations):
    with database.write_batch() as batch:
        for op, key, value in operations:
            if op == "put":
                batch.put(key, value)
            else:
                batch.delete(key)


def sstables(database):
    """Return the live tables of ``VersionSet``: level, number, size, two internal keys."""
    level, tables = None, []
    for line in database.get_property(b"leveldb.sstables").decode().splitlines():
        if heading := re.fullmatch(r"--- level (\d+) ---", line):
            level = int(heading[1])
        elif line:
            number, size, keys = re.fullmatch(r" (\d+):(\d+)\[(.*)\]", line).groups()
            tables.append([level, int(number), int(size), keys])
    return sorted(tables)


def settled_tables(database):
    """Return the live tables after all compactions."""
    tables = None
    while tables != (tables := sstables(database)):
        time.sleep(0.5)
    return tables


# The writes exceed the buffer of 64 KiB many times, so LevelDB writes, merges and deletes tables.
database = plyvel.DB(str(folder), create_if_missing=True, write_buffer_size=64 << 10)
for n in range(3000):
    put = ("put", b"users/%05d" % n, chance.randbytes(chance.randrange(80)))
    write(database, [put, ("delete", b"gone/%d" % n, b"")])
database.compact_range(start=b"users/00100", stop=b"users/00900")
for n in range(900):
    write(database, [("put", b"%d" % n, chance.randbytes(100)), ("delete", b"users/%05d" % n, b"")])
first = settled_tables(database)
database.close()
shutil.copy(next(folder.glob("MANIFEST-*")), folder / "first")
print(json.dumps({"first": first}))
