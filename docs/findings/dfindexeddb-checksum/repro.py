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
data[data.index(b"value1")] ^= 0x20  # one bit: "value1" becomes "Value1"
path.write_bytes(data)

values = [key.value.decode() for key in log.FileReader(str(path)).GetParsedInternalKeys()]
print("dfindexeddb:", values)
sys.exit("Value1" in values)
