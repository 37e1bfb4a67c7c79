import pathlib
import shutil
import sqlite3
import sys

from dissect.database.sqlite3 import SQLite3

for name in ("live.db", "live.db-wal", "live.db-shm", "copy.db", "copy.db-wal", "copy.db-shm"):
    pathlib.Path(name).unlink(missing_ok=True)
live = sqlite3.connect("live.db")
live.execute("PRAGMA journal_mode=WAL")
live.execute("CREATE TABLE t(a)")
live.execute("PRAGMA wal_checkpoint")
live.execute("INSERT INTO t VALUES('pay 100 euros')")
live.commit()
shutil.copy("live.db", "copy.db")
shutil.copy("live.db-wal", "copy.db-wal")
live.close()

log = pathlib.Path("copy.db-wal")
data = bytearray(log.read_bytes())
data[data.rindex(b"100 euros")] ^= 8  # one bit: 1 becomes 9; the checksum of the frame is wrong
log.write_bytes(data)

with open("copy.db", "rb") as database, open("copy.db-wal", "rb") as wal:
    read = [row.a for row in SQLite3(database, wal).table("t").rows()]
print("dissect.database:", read)
print("SQLite:          ", [a for (a,) in sqlite3.connect("copy.db").execute("SELECT a FROM t")])
sys.exit(1 if read else 0)
