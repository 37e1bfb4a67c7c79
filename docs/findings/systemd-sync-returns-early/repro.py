"""journalctl --sync returns before the journal is on the disk. As root, with strace and unshare.

strace stands for a slow disk: each fsync of journald takes a second more.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

NAME = "repro"
if sys.argv[1:] != ["inside"]:  # journald gets a /run, an /etc/systemd and a /var/log of its own
    inside = [sys.executable, __file__, "inside"]
    os.execvp("unshare", ["unshare", "--mount", "--net", "--propagation", "private", *inside])

journald = shutil.which("systemd-journald") or "/lib/systemd/systemd-journald"
calls = pathlib.Path(tempfile.mkdtemp()) / "calls"
for place in ("/run", "/etc/systemd", "/var/log"):
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], check=True)
for place in (
    "/run/systemd/journal",
    "/run/systemd/system",
    "/run/log/journal",
    "/var/log/journal",
):
    os.makedirs(place)
pathlib.Path(f"/etc/systemd/journald@{NAME}.conf").write_text(
    "[Journal]\nStorage=persistent\nSystemMaxFileSize=1M\nAudit=\n"
)
slow = ["strace", "-f", "-qq", "-ttt", "-e", "trace=fsync", "-e", "inject=fsync:delay_enter=1s"]
daemon = subprocess.Popen(
    [*slow, "-o", str(calls), journald, NAME], stderr=subprocess.DEVNULL, start_new_session=True
)
to = f"/run/systemd/journal.{NAME}/socket"
while not os.path.exists(to):
    time.sleep(0.1)
time.sleep(6)  # the file is made, and synced when it is new
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client:
    client.sendto(b"PRIORITY=6\nMESSAGE=this must not be lost\n", to)
begin = time.time()
subprocess.run(["journalctl", f"--namespace={NAME}", "--sync"], check=True)
took = time.time() - begin
os.killpg(daemon.pid, 15)
daemon.wait(30)
shown = calls.read_text().splitlines()
after = [line for line in shown if float(line.split()[1]) > begin]
print("expected: --sync takes at least the second that the fsync takes")
if not after:
    print("actual:   there is no fsync")
elif took < 1:
    print("actual:   --sync returns at once, and the fsync takes a second")
else:
    print("actual:   --sync takes at least the second that the fsync takes")
