"""Run the real LevelDB through plyvel: ``write FOLDER``, ``open FOLDER`` or ``repair FOLDER``.

``write`` leaves the database in the state of a killed process. ``open`` and ``repair`` print all
keys and values as JSON.
"""

import json
import os
import shutil
import sys

import plyvel

action, folder = sys.argv[1:]
if action == "write":
    database = plyvel.DB(f"{folder}.busy", create_if_missing=True, write_buffer_size=1 << 16)
    for number in range(3000):
        database.put(b"key%06d" % number, b"value %d " % number + os.urandom(40).hex().encode())
    database.compact_range()
    for number in range(20):
        database.put(b"late%03d" % number, b"late value %d" % number)
    shutil.copytree(f"{folder}.busy", folder)
    found = dict(database)
    database.close()
else:
    if action == "repair":
        plyvel.repair_db(folder)
    with plyvel.DB(folder, paranoid_checks=True) as database:
        found = dict(database)
print(json.dumps({key.decode(): value.decode() for key, value in found.items()}))
