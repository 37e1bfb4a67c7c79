import pathlib
import shutil
import sys

import plyvel
from dfindexeddb.leveldb import log

shutil.rmtree("db", ignore_errors=True)
db = plyvel.DB("db", create_if_missing=True)
for n in range(3):
    db.put(b"key%d" % n, b"value%d" % n, sync=True)
db.close()

path = pathlib.Path("db/000003.log")
data = bytearray(path.read_bytes())
second = 7 + data[4]  # offset of the second record
data[second + 6] ^= 1  # one bit: its type FULL (1) becomes 0
path.write_bytes(data)

values = [key.value.decode() for key in log.FileReader(str(path)).GetParsedInternalKeys()]
print("dfindexeddb:", values)
sys.exit("value2" not in values)
