"""Write three keys beside 5461 column families with timestamps, and open the database again."""

import ctypes
import pathlib
import shutil
import sys
import tempfile

FAMILIES = 5461
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


folder = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm"))
plain, timed = call("options_create"), call("options_create")
call("options_set_create_if_missing", plain, 1)
call("options_set_info_log_level", plain, 2)  # warnings
comparator = b"comparator=leveldb.BytewiseComparator.u64ts"
call("get_options_from_string", plain, comparator, timed, can_fail=True)
database = call("open", plain, bytes(folder / "made"), can_fail=True)
names = [b"family%d" % n for n in range(FAMILIES)]
new_names, size = (ctypes.c_char_p * FAMILIES)(*names), ctypes.c_size_t()
new = [database, timed, FAMILIES, new_names, ctypes.byref(size)]
call("create_column_families", *new, can_fail=True)
sync = call("writeoptions_create")
call("writeoptions_set_sync", sync, 1)
for key in (b"a", b"b", b"c"):
    call("put", database, sync, key, 1, b"value", 5, can_fail=True)  # in the default column family
left = shutil.copytree(folder / "made", folder / "left")  # as a killed process leaves it

count = FAMILIES + 1
all_names = (ctypes.c_char_p * count)(b"default", *names)
options = (ctypes.c_void_p * count)(plain, *[timed] * FAMILIES)
handles = (ctypes.c_void_p * count)()
existing = [plain, bytes(left), count, all_names, options, handles]
database = call("open_column_families", *existing, can_fail=True)
keys = []
for key in (b"a", b"b", b"c"):
    value = call(
        "get", database, call("readoptions_create"), key, 1, ctypes.byref(size), can_fail=True
    )
    keys += [key.decode()] if value else []
print("opened with the keys", keys)
for line in (left / "LOG").read_text().splitlines():
    if "dropping" in line:
        print(line.partition("log: ")[2])
shutil.rmtree(folder)
sys.exit(len(keys) < 3)
