import os
import pathlib
import subprocess
import sys

HEAD = "__REALTIME_TIMESTAMP=17000000000000{0:02}\n__MONOTONIC_TIMESTAMP=10{0:02}\n"
BOOT = "_BOOT_ID=00000000000000000000000000000001\n"
MESSAGES = ["first", "second", "third " * 100, "fourth"]
entries = "".join(
    f"{HEAD.format(n)}{BOOT}MESSAGE={text}\n\n" for n, text in enumerate(MESSAGES, start=1)
)

path = pathlib.Path("test.journal")
path.unlink(missing_ok=True)
subprocess.run(
    ["systemd-journal-remote", "--output", str(path), "-"],
    input=entries.encode(),
    env={**os.environ, "SYSTEMD_JOURNAL_COMPRESS": "XZ"},
    check=True,
    capture_output=True,
)

data = bytearray(path.read_bytes())
data[data.index(b"\xfd7zXZ\0") + 40] ^= 1  # one bit of the compressed third message
path.write_bytes(data)

shown = subprocess.run(
    ["journalctl", "--file", str(path), "--output", "short"], capture_output=True, text=True
)
print("exit status", shown.returncode, shown.stderr.strip())
for text in MESSAGES:
    print(f"{text[:6].strip()}:", "shown" if text[:6] in shown.stdout else "not shown")
sys.exit("fourth" not in shown.stdout)
