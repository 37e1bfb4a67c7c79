"""Run systemd-journald on a damaged file, and print the results in the format of ``../opener``.

The id of this machine replaces the machine id in the file.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "systemd-journal-remote"))
sys.path.insert(0, str(Path(__file__).resolve().parents[4]))
import journal
from journal import messages, of_this_machine, say

from lab.formats.systemd_journal.journald import NAME, SECONDS, journald, prepare, send

JOURNALD = ["/lib/systemd/systemd-journald"]
JOURNALCTL = ("journalctl", f"--namespace={NAME}")
ENVIRONMENT = journal.ENVIRONMENT | {"SYSTEMD_LOG_TARGET": "console"}
ITS_OWN = re.compile(r"running as PID|stopped as PID|request to sync|^-- |^$|SIGTERM")
#: Matches the machine id and the time in a file name.
OF_THIS_RUN = re.compile(r"(?<=/)[0-9a-f]{32}\.|@[0-9a-f-]+(?=\.journal)")


def run(*command: str) -> subprocess.CompletedProcess[bytes]:
    """Run a program, and wait until it ends."""
    return subprocess.run(
        command, capture_output=True, env=ENVIRONMENT, check=False, timeout=SECONDS
    )


def served(folder: Path, kind: str, message: bytes) -> None:
    """Start the daemon, send it a message, read its entries, and stop it."""
    with tempfile.TemporaryFile() as said:
        with journald(JOURNALD, folder, ENVIRONMENT, said) as daemon:
            if daemon.poll() is None:
                send(b"PRIORITY=6\nMESSAGE=%s\n" % message)
                run(*JOURNALCTL, "--sync")
                entries(kind)
        said.seek(0)
        report_lines(said.read())
    if daemon.returncode:
        sys.exit(f"systemd-journald ended with {daemon.returncode}")


def entries(kind: str) -> None:
    """Print the sequence number and message of each entry, without the daemon's own entries."""
    done = run(*JOURNALCTL, "-o", "json", "--all")
    for message in messages(done.stdout, lambda entry: not entry.get("_TRANSPORT")):
        say({kind: message})
    report_lines(done.stderr)


def report_lines(said: bytes) -> None:
    """Print what a program reports about damage."""
    for line in said.decode(errors="replace").splitlines():
        if not ITS_OWN.search(line):
            say({"said": OF_THIS_RUN.sub("", line)})


def main(mode: str, folder: Path, log: Path) -> None:
    """Start the daemon twice, in a new mount namespace."""
    if mode == "start":
        inside = [sys.executable, __file__, "inside", str(folder), str(log)]
        os.execvp("unshare", ["unshare", "--mount", "--net", "--propagation", "private", *inside])
    prepare("1M")
    folder.mkdir()
    (folder / "system.journal").write_bytes(of_this_machine(log))
    served(folder, "item", b"written after the damage")
    say({"again": True})
    served(folder, "later", b"written after that")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
