import pathlib
import sqlite3
import sys

import turso

path = pathlib.Path("legacy.db")
for name in ("legacy.db", "legacy.db-wal"):
    pathlib.Path(name).unlink(missing_ok=True)
database = sqlite3.connect(path)
database.execute("CREATE TABLE t(a)")
database.execute("INSERT INTO t VALUES('kept since 2009')")
database.commit()
database.close()

# SQLite before 3.7.0 (2010) left these four bytes of the header 0.
data = bytearray(path.read_bytes())
data[28:32] = bytes(4)
path.write_bytes(data)
database = sqlite3.connect(path)
print("SQLite:", database.execute("SELECT * FROM t").fetchall(), path.stat().st_size, "bytes")
database.close()

connection = turso.connect(str(path))
print("Turso: ", connection.execute("SELECT * FROM t").fetchall())
connection.close()
print("after Turso closed the database:", path.stat().st_size, "bytes")
sys.exit(0 if path.stat().st_size == len(data) else 1)
