import pathlib
import shutil
import sqlite3
import sys

from sqlite_dissect.file.wal.wal import WriteAheadLog

for name in ("live.db", "live.db-wal", "live.db-shm"):
    pathlib.Path(name).unlink(missing_ok=True)
live = sqlite3.connect("live.db", isolation_level=None)
live.execute("PRAGMA journal_mode=WAL")
live.execute("PRAGMA cache_size=5")
live.execute("CREATE TABLE t(a)")
live.execute("INSERT INTO t VALUES('committed')")
live.execute("BEGIN")
live.executemany("INSERT INTO t VALUES(?)", [("x" * 3000,)] * 30)  # more than the cache holds
shutil.copy("live.db-wal", "copy.db-wal")  # as a killed process leaves it
live.close()

try:
    print(len(WriteAheadLog("copy.db-wal").frames), "frames")
except NotImplementedError as error:
    print(f"NotImplementedError: {error}")
    sys.exit(1)
