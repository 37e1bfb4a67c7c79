"""RepairDB gives a damaged value back as a good one."""

import glob
import tempfile

import plyvel

folder = tempfile.mkdtemp()
db = plyvel.DB(folder, create_if_missing=True)
for n in range(4):
    db.put(b"key%d" % n, b"value%d" % n, sync=True)
db.close()

(log,) = glob.glob(folder + "/*.log")
with open(log, "r+b") as file:
    data = bytearray(file.read())
    data[data.index(b"value1")] ^= 0x20  # one bit of the second value
    file.seek(0)
    file.write(data)

plyvel.repair_db(folder)
db = plyvel.DB(folder, paranoid_checks=True)
found = db.iterator(verify_checksums=True)
print("expected: value1, or nothing, for key1")
print("actual:  ", dict(found)[b"key1"].decode(), "for key1")
