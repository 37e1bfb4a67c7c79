"""One flipped bit in a length ends the log for DB::Open, paranoid or not."""

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
    second = 7 + int.from_bytes(data[4:6], "little")  # where the second record begins
    data[second + 5] ^= 0x80  # the highest bit of its length
    file.seek(0)
    file.write(data)

db = plyvel.DB(folder, paranoid_checks=True)
print("expected: Corruption")
print("actual:   opened, with", [key.decode() for key, _ in db])
