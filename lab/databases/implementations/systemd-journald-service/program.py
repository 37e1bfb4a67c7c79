"""Run systemd-journald on a damaged file, and print the results as in ``../opener``.

The daemon uses fixed directories. The program therefore runs the daemon in a mount namespace with
another ``/run``, ``/etc/systemd`` and ``/var/log/journal``. A network namespace disconnects the
daemon from the audit system. The machine id in the file becomes that of this machine.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "systemd-journald"))
import journal
from journal import machine_id, messages, of_this_machine, say

JOURNALD = "/lib/systemd/systemd-journald"
NAME = "walproof"
SOCKET = Path(f"/run/systemd/journal.{NAME}/socket")
JOURNALCTL = ("journalctl", f"--namespace={NAME}")
ENVIRONMENT = journal.ENVIRONMENT | {"SYSTEMD_LOG_TARGET": "console"}
SECONDS = 20
ITS_OWN = re.compile(r"running as PID|stopped as PID|request to sync|^-- |^$|SIGTERM")
#: Machine id and time in file names.
OF_THIS_RUN = re.compile(r"(?<=/)[0-9a-f]{32}\.|@[0-9a-f-]+(?=\.journal)")


def run(*command: str) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end."""
    return subprocess.run(
        command, capture_output=True, env=ENVIRONMENT, check=False, timeout=SECONDS
    )


def mount(*words: str) -> None:
    """Mount something in this namespace."""
    subprocess.run(["mount", *words], check=True)


def is_other_mount_namespace() -> bool:
    """Return whether this mount namespace differs from that of process 1."""
    mine = Path("/proc/self/ns/mnt")
    for process in (1, os.getppid()):
        with suppress(OSError):
            return Path(f"/proc/{process}/ns/mnt").readlink() != mine.readlink()
    return False


def prepare(folder: Path, log: Path) -> None:
    """Create the daemon's directories in this namespace, and put the damaged file there."""
    if not is_other_mount_namespace():
        sys.exit("not in a mount namespace of its own: the mode is start")
    folder.mkdir()
    mount("-t", "tmpfs", "tmpfs", "/run")
    mount("-t", "tmpfs", "tmpfs", "/etc/systemd")
    Path(f"/etc/systemd/journald@{NAME}.conf").write_text(
        "[Journal]\nStorage=persistent\nRateLimitIntervalSec=0\nSystemMaxFileSize=1M\nAudit=\n"
    )
    for path in ("/run/systemd/journal", "/run/log/journal", "/run/systemd/system"):
        Path(path).mkdir(parents=True)
    mount("--bind", str(folder), "/var/log/journal")
    place = Path("/var/log/journal", f"{machine_id()}.{NAME}")
    place.mkdir()
    (place / "system.journal").write_bytes(of_this_machine(log))


def served(kind: str, message: bytes) -> None:
    """Start the daemon, send a message to it, read its entries, and stop it."""
    with subprocess.Popen(
        [JOURNALD, NAME], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT
    ) as daemon:
        try:
            until = time.monotonic() + SECONDS
            while not SOCKET.exists() and daemon.poll() is None and time.monotonic() < until:
                time.sleep(0.02)
            if daemon.poll() is None:
                with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
                    to.sendto(b"PRIORITY=6\nMESSAGE=%s\n" % message, str(SOCKET))
                run(*JOURNALCTL, "--sync")
                entries(kind)
        finally:
            daemon.terminate()
            _, text = daemon.communicate(timeout=SECONDS)
    SOCKET.unlink(missing_ok=True)
    report_lines(text)
    if daemon.returncode:
        sys.exit(f"systemd-journald ended with {daemon.returncode}")


def entries(kind: str) -> None:
    """Print the sequence number and message of each entry, without the daemon's own entries."""
    done = run(*JOURNALCTL, "-o", "json", "--all")
    for message in messages(done.stdout, lambda entry: not entry.get("_TRANSPORT")):
        say({kind: message})
    report_lines(done.stderr)


def report_lines(said: bytes) -> None:
    """Print the messages of a program about damage."""
    for line in said.decode(errors="replace").splitlines():
        if not ITS_OWN.search(line):
            say({"said": OF_THIS_RUN.sub("", line)})


def main(mode: str, folder: Path, log: Path) -> None:
    """Start it twice, in a mount namespace that is made first."""
    if mode == "start":
        inside = [sys.executable, __file__, "inside", str(folder), str(log)]
        os.execvp("unshare", ["unshare", "--mount", "--net", "--propagation", "private", *inside])
    prepare(folder, log)
    served("item", b"written after the damage")
    say({"again": True})
    served("later", b"written after that")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
