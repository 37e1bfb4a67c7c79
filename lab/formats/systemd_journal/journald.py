"""Run systemd-journald as a separate service, for the adapters of ``crash`` and ``databases``.

The daemon uses fixed directories, so an adapter runs in a mount namespace with its own directories.
A network namespace disconnects the daemon from the audit system of the machine.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

NAME = "walproof"
OWN = Path(f"/run/systemd/journal.{NAME}")
#: The daemon receives records on the first socket, and requests from journalctl on the second.
SOCKETS = (OWN / "socket", OWN / "io.systemd.journal")
SECONDS = 30


def journal_folder() -> Path:
    """Return the directory in which the daemon stores its journal."""
    return Path(f"/var/log/journal/{Path('/etc/machine-id').read_text().strip()}.{NAME}")


def mount(*words: str) -> None:
    """Mount a file system in this mount namespace."""
    subprocess.run(["mount", *words], check=True)


def unmount(folder: Path) -> None:
    """Unmount a directory in this mount namespace, even if it is in use."""
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def is_other_mount_namespace() -> bool:
    """Return whether this mount namespace differs from that of process 1, or else of the parent."""
    mine = Path("/proc/self/ns/mnt")
    for process in (1, os.getppid()):
        with suppress(OSError):
            return Path(f"/proc/{process}/ns/mnt").readlink() != mine.readlink()
    return False


def prepare(max_file_size: str) -> None:
    """Create directories that only this process and its children can see.

    Ends the program if other processes could see them.
    """
    if not is_other_mount_namespace():
        sys.exit("not started in a mount namespace of its own: unshare --mount --net does that")
    for place in ("/run", "/etc/systemd", "/var/log"):
        mount("-t", "tmpfs", "tmpfs", place)
    Path(f"/etc/systemd/journald@{NAME}.conf").write_text(
        "[Journal]\nStorage=persistent\nRateLimitIntervalSec=0\nAudit=\n"
        f"SystemMaxFileSize={max_file_size}\n"
    )
    folders = ("/run/systemd/journal", "/run/log/journal", "/run/systemd/system", journal_folder())
    for path in folders:
        Path(path).mkdir(parents=True)


@contextmanager
def journald(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], said: BinaryIO
) -> Iterator[subprocess.Popen[bytes]]:
    """Run journald with its journal in a directory; yield the process once it listens or has ended.

    The process is stopped at the end of the block. Its messages go to the file ``said``, because
    nothing would read a pipe while the process runs. Raises ``TimeoutError`` if journald does not
    listen.
    """
    mount("--bind", str(folder), str(journal_folder()))
    try:
        process = subprocess.Popen(
            [*command, NAME], stdout=subprocess.DEVNULL, stderr=said, env=environment
        )
        try:
            until = time.monotonic() + SECONDS
            while process.poll() is None and not all(each.exists() for each in SOCKETS):
                if time.monotonic() > until:
                    raise TimeoutError("systemd-journald does not listen")
                time.sleep(0.01)
            yield process
        finally:
            process.terminate()
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        for each in SOCKETS:
            each.unlink(missing_ok=True)
        unmount(journal_folder())


def send(record: bytes) -> None:
    """Send a record in the export format to the socket of journald."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
        to.sendto(record, str(SOCKETS[0]))
