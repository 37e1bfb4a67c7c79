"""journalctl --sync returns before the journal is on the disk. As root, with strace and unshare.

strace stands for a slow disk: each fsync of journald takes a second more.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

NAME = "repro"
if sys.argv[1:] != ["inside"]:  # journald gets a /run, an /etc/systemd and a /var/log of its own
    inside = [sys.executable, __file__, "inside"]
    os.execvp("unshare", ["unshare", "--mount", "--net", "--propagation", "private", *inside])
if os.readlink("/proc/self/ns/mnt") == os.readlink(f"/proc/{os.getppid()}/ns/mnt"):
    sys.exit("inside is for the script itself: start it without a word")

journald = shutil.which("systemd-journald") or "/lib/systemd/systemd-journald"
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


@contextlib.contextmanager
def slow_journald(calls):
    """journald with a slow disk, until it has ended; its fsyncs go to the file of calls."""
    slow = ["strace", "-f", "-qq", "-ttt", "-e", "trace=fsync", "-e", "inject=fsync:delay_enter=1s"]
    # strace keeps signals off itself: both are in a group of their own, which gets them.
    daemon = subprocess.Popen(
        [*slow, "-o", str(calls), journald, NAME],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield daemon
    finally:
        for how in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(daemon.pid, how)
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(30)
                break


with tempfile.TemporaryDirectory() as folder:
    calls = pathlib.Path(folder, "calls")
    with slow_journald(calls) as daemon:
        to = f"/run/systemd/journal.{NAME}/socket"
        until = time.time() + 30
        while not os.path.exists(to):
            if daemon.poll() is not None or time.time() > until:
                sys.exit("systemd-journald does not start")
            time.sleep(0.1)
        time.sleep(6)  # the file is made, and synced when it is new
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client:
            client.sendto(b"PRIORITY=6\nMESSAGE=this must not be lost\n", to)
        begin = time.time()
        subprocess.run(["journalctl", f"--namespace={NAME}", "--sync"], check=True, timeout=30)
        took = time.time() - begin
    shown = calls.read_text().splitlines()

after = [line for line in shown if float(line.split()[1]) > begin]
print("expected: --sync takes at least the second that the fsync takes")
if not after:
    print("actual:   there is no fsync")
elif took < 1:
    print("actual:   --sync returns at once, and the fsync takes a second")
else:
    print("actual:   --sync takes at least the second that the fsync takes")
