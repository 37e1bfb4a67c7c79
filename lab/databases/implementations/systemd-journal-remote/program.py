"""Run journalctl and systemd-journal-remote on a damaged journal."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from journal import ENVIRONMENT, messages, of_this_machine, say

REMOTE = "/lib/systemd/systemd-journal-remote"
NO_WORD = re.compile(r"^PASS:|^=>|^-- |^$|^[0-9a-f]{6}: Unused data|verification key")
MORE = (
    b"__REALTIME_TIMESTAMP=4000000000000000\n__MONOTONIC_TIMESTAMP=4000000000\n"
    b"_BOOT_ID=00000000000000000000000000000009\nMESSAGE=written after the damage\n\n"
)


def run(*command: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a program. If a signal ends the program, exit with status 1."""
    done = subprocess.run(command, input=stdin, capture_output=True, env=ENVIRONMENT, check=False)
    if done.returncode < 0:
        sys.stderr.write(f"{command[0]} was ended by signal {-done.returncode}\n")
        sys.exit(1)
    return done


def report_lines(done: subprocess.CompletedProcess[bytes]) -> None:
    """Print what a program reports about damage."""
    for line in re.split(r"[\r\n]", done.stderr.decode(errors="replace")):
        if not NO_WORD.search(line):
            say({"said": line})


def entries(folder: Path, kind: str) -> None:
    """Print the sequence number and message of each entry in a folder."""
    done = run("journalctl", f"--directory={folder}", "-o", "json", "--all")
    for message in messages(done.stdout):
        say({kind: message})
    report_lines(done)


def main(mode: str, folder: Path, log: Path) -> None:
    """Read the journal, append to it, and read it again."""
    folder.mkdir()
    path = folder / "system.journal"
    path.write_bytes(of_this_machine(log))
    entries(folder, "item")
    if mode == "verify":
        report_lines(run("journalctl", f"--file={path}", "--verify"))
    done = run(REMOTE, f"--output={path}", "--split-mode=none", "-", stdin=MORE)
    say({"again": True})
    if done.returncode:
        say({"refused": done.stderr.decode(errors="replace").strip()[-200:]})
        return
    entries(folder, "later")


main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
