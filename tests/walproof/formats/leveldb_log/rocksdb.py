"""Run the real RocksDB through rocksdict: ``write FOLDER`` or ``open FOLDER``.

``write`` leaves the database in the state of a killed process. Both commands print all keys and
values as JSON.
"""

import json
import shutil
import sys

from rocksdict import Options, Rdict, WriteOptions

action, folder = sys.argv[1:]
options = Options(raw_mode=True)
if action == "write":
    database = Rdict(f"{folder}.busy", options)
    for number in range(500):
        database[b"key%06d" % number] = b"value %d" % number
        if number % 200 == 199:
            database.flush()
    synced = WriteOptions()
    synced.sync = True
    database.set_write_options(synced)
    for number in range(20):
        database[b"late%03d" % number] = b"late value %d" % number
    shutil.copytree(f"{folder}.busy", folder)
else:
    database = Rdict(folder, options)
print(json.dumps({key.decode(): value.decode() for key, value in database.items()}))
database.close()
