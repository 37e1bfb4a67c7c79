"""Flip a bit of the second key in a log, repair the database, and count the surviving keys."""

import ctypes
import pathlib
import shutil
import sys
import tempfile

rocksdb = ctypes.CDLL("lib/librocksdbjni-linux64.so")  # also exports include/rocksdb/c.h


def call(name, *arguments, can_fail=False):
    function = getattr(rocksdb, f"rocksdb_{name}")
    function.restype = ctypes.c_size_t
    error = ctypes.c_char_p()
    given = [ctypes.c_void_p(each) if isinstance(each, int) else each for each in arguments]
    result = function(*given, *[ctypes.byref(error)] * can_fail)
    if error.value:
        sys.exit(error.value.decode())
    return result


def repaired(recycle):
    """Return how many of 400 keys RepairDB keeps, and its messages about corruption."""
    folder = pathlib.Path(tempfile.mkdtemp())
    options = call("options_create")
    call("options_set_create_if_missing", options, 1)
    call("options_set_recycle_log_file_num", options, recycle)
    database = call("open", options, bytes(folder / "made"), can_fail=True)
    sync = call("writeoptions_create")
    call("writeoptions_set_sync", sync, 1)
    for n in range(400):
        key, value = b"key%03d" % n, bytes(1000)
        call("put", database, sync, key, len(key), value, len(value), can_fail=True)
    left = shutil.copytree(folder / "made", folder / "left")  # as a killed process leaves it
    call("close", database)
    (log,) = left.glob("*.log")
    data = bytearray(log.read_bytes())
    data[data.index(b"key001")] ^= 1
    log.write_bytes(data)

    call("repair_db", options, bytes(left), can_fail=True)
    messages = [line for line in (left / "LOG").read_text().splitlines() if "dropping" in line]
    database = call("open", options, bytes(left), can_fail=True)
    keys = call("create_iterator", database, call("readoptions_create"))
    call("iter_seek_to_first", keys)
    count = 0
    while call("iter_valid", keys) & 0xFF:
        count += 1
        call("iter_next", keys)
    call("iter_destroy", keys)
    call("close", database)
    return count, [line.partition("; ")[2] for line in messages]


count, messages = repaired(recycle=0)
print(f"recycle_log_file_num 0: {count} of 400 keys; messages: {messages}")
count, messages = repaired(recycle=1)
print(f"recycle_log_file_num 1: {count} of 400 keys; messages: {messages}")
sys.exit(not messages)
