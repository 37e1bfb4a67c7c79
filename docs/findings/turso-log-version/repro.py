import pathlib
import shutil
import sqlite3
import sys

import turso

for name in ("live.db", "live.db-wal", "live.db-shm", "copy.db", "copy.db-wal", "copy.db-shm"):
    pathlib.Path(name).unlink(missing_ok=True)
live = sqlite3.connect("live.db")
live.execute("PRAGMA journal_mode=WAL")
live.execute("CREATE TABLE t(a)")
live.execute("PRAGMA wal_checkpoint")
live.execute("INSERT INTO t VALUES('one')")
live.commit()
shutil.copy("live.db", "copy.db")  # as a killed process leaves them
shutil.copy("live.db-wal", "copy.db-wal")
live.close()

log = pathlib.Path("copy.db-wal")
data = bytearray(log.read_bytes())
data[7] ^= 1  # the version becomes 3007001, so that the checksum of the header is wrong
log.write_bytes(data)

connection = turso.connect("copy.db")
connection.execute("INSERT INTO t VALUES('two')")
connection.commit()
shutil.copy("copy.db-wal", "left.db-wal")  # Turso is killed
shutil.copy("copy.db", "left.db")
print("version in the log:", int.from_bytes(pathlib.Path("left.db-wal").read_bytes()[4:8], "big"))
print("Turso: ", turso.connect("left.db").execute("SELECT * FROM t").fetchall())
try:
    print("SQLite:", sqlite3.connect("left.db").execute("SELECT * FROM t").fetchall())
except sqlite3.OperationalError as error:
    print("SQLite:", error)
    sys.exit(1)
