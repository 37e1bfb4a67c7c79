"""Write a database with RocksDB, through rocksdict; print its batches and RocksDB's live tables.

``write_rocksdb.py FOLDER``. Bytes are in hexadecimal.
"""

import json
import shutil
import sys
from pathlib import Path

from rocksdict import CompactOptions, Options, Rdict, WriteBatch

folder = sys.argv[1]
options = Options(raw_mode=True)
options.set_enable_blob_files(True)
options.set_min_blob_size(1000)
database = Rdict(folder, options)
other = database.create_column_family("other", Options(raw_mode=True))
database.create_column_family("short-lived", Options(raw_mode=True))
database.drop_column_family("short-lived")
for n in range(50):
    database[b"key%02d" % n] = b"value%d" % n if n % 10 else b"blob" * 500
    if n % 20 == 19:
        database.flush()
other[b"only"] = b"there"
other.flush()
database.compact_range(None, None, CompactOptions())
database[b"key99"] = b"last"
database.flush()
tables = [
    [int(f["name"][1:7]), f["level"], f["size"], f["start_key"].hex(), f["end_key"].hex()]
    for f in database.live_files()
]
before = database.latest_sequence_number()

default = database.get_column_family_handle("default")
batches = []
family = database.get_column_family_handle("other")
for make in (
    lambda batch: batch.put(b"users/42", b"Zo\xc3\xab"),
    lambda batch: (batch.put(b"a", b""), batch.delete(b"b"), batch.put(b"c", b"d", family)),
    lambda batch: (batch.delete_range(b"a", b"m"), batch.delete_range(b"n", b"z", family)),
    lambda batch: batch.delete(b"\x00", family),
    lambda batch: (
        batch.put_entity(b"row", [b"", b"city"], [b"default", b"Basel"]),
        batch.put_entity(b"row", [b"town"], [b"Bern"]),
    ),
):
    batch = WriteBatch(raw_mode=True)
    batch.set_default_column_family(default)
    make(batch)
    batches.append(batch.len())
    database.write(batch)
last = database.latest_sequence_number()
shutil.copy(max(Path(folder).glob("*.log")), Path(folder, "written"))  # closing moves it to a table
other.close()
database.close()
blobs = sorted(int(path.stem) for path in Path(folder).glob("*.blob"))
output = {"batches": batches, "before": before, "last": last, "tables": sorted(tables)}
print(json.dumps(output | {"blobs": blobs}))
