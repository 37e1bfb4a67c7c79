import pathlib
import subprocess
import sys

HEAD = "__REALTIME_TIMESTAMP=17000000000{0:05}\n__MONOTONIC_TIMESTAMP=1{0:05}\n"
BOOT = "_BOOT_ID=00000000000000000000000000000001\n"
entries = "".join(f"{HEAD.format(n)}{BOOT}MESSAGE=message {n}\n\n" for n in range(2000))

path = pathlib.Path("test.journal")
path.unlink(missing_ok=True)
subprocess.run(
    ["systemd-journal-remote", "--output", str(path), "-"],
    input=entries.encode(),
    check=True,
    capture_output=True,
)

data = bytearray(path.read_bytes())


def number(at):
    return int.from_bytes(data[at : at + 8], "little")


table, size = number(104), number(112)  # data_hash_table_offset, data_hash_table_size
for bucket in range(table, table + size, 16):
    head, tail = number(bucket), number(bucket + 8)
    if head != tail:  # two fields share this bucket
        data[head + 24 : head + 32] = data[bucket : bucket + 8]  # next_hash_offset: itself
        break
path.write_bytes(data)

try:
    subprocess.run(["journalctl", "--verify", "--file", str(path)], timeout=20, capture_output=True)
    print("journalctl --verify ended")
except subprocess.TimeoutExpired:
    print("journalctl --verify is still running after 20 s")
    sys.exit(1)
