import pathlib
import signal
import subprocess
import sys

from dissect.target import Target

ENTRY = b"""__REALTIME_TIMESTAMP=1700000000000000
__MONOTONIC_TIMESTAMP=1000
_BOOT_ID=00000000000000000000000000000001
MESSAGE=hello

"""

folder = pathlib.Path("image/var/log/journal/0123456789abcdef0123456789abcdef")
folder.mkdir(parents=True, exist_ok=True)
pathlib.Path("image/etc").mkdir(exist_ok=True)
journal = folder / "system.journal"
journal.unlink(missing_ok=True)
subprocess.run(["systemd-journal-remote", "--output", str(journal), "-"], input=ENTRY, check=True)

data = bytearray(journal.read_bytes())
array = int.from_bytes(data[176:184], "little")  # header: entry_array_offset
data[array + 16 : array + 24] = data[176:184]  # next_entry_array_offset: the array itself
journal.write_bytes(data)


def stop(*_):
    print("still reading after 10 s")
    sys.exit(1)


signal.signal(signal.SIGALRM, stop)
signal.alarm(10)
records = list(Target.open("image").journal())
print(f"{len(records)} records")
