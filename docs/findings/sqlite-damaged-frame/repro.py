import pathlib
import shutil
import sys

import apsw

FILES = ("live.db", "live.db-wal", "live.db-shm", "copy.db", "copy.db-wal", "copy.db-shm")
for name in FILES:
    pathlib.Path(name).unlink(missing_ok=True)
live = apsw.Connection("live.db")
live.execute("PRAGMA journal_mode=WAL")
live.execute("PRAGMA wal_autocheckpoint=0")
live.execute("CREATE TABLE t(a)")
for number in range(1, 6):
    live.execute("INSERT INTO t VALUES(?)", (f"payment {number}",))  # each is synced
shutil.copy("live.db", "copy.db")  # as a power failure leaves them
shutil.copy("live.db-wal", "copy.db-wal")
live.close()

log = pathlib.Path("copy.db-wal")
data = bytearray(log.read_bytes())
data[data.index(b"payment 2")] ^= 1  # one bit, in the image of the second payment
log.write_bytes(data)

messages = []
apsw.config(apsw.SQLITE_CONFIG_LOG, lambda code, text: messages.append(text))
copy = apsw.Connection("copy.db")
rows = [a for (a,) in copy.execute("SELECT a FROM t")]
check = [text for (text,) in copy.execute("PRAGMA integrity_check")]
copy.close()
print("rows:", rows)
print("integrity_check:", check)
print(
    "payment 5 is still on the disk:",
    b"payment 5" in b"".join(path.read_bytes() for path in pathlib.Path().glob("copy.db*")),
)
sys.exit(1 if len(rows) < 5 else 0)
