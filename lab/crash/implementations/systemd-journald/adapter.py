"""Adapter for ``lab crash``: run systemd-journald as a service and report when records are safe.

The daemon uses fixed directories. ``unshare`` therefore starts this adapter in a mount namespace
with its own ``/run``, ``/etc/systemd`` and ``/var/log``. A network namespace disconnects the daemon
from the audit system of the machine.

The adapter sends each record to the native socket. It then runs ``journalctl --sync``, which
returns when the record is "safely stored on disk".
"""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))
from conformance.adapterkit import Refused, Skipped, payloads, serve
from conformance.implementations.systemd import adapter as systemd

NAME = "walproof"
FOLDER = Path(f"/var/log/journal/{Path('/etc/machine-id').read_text().strip()}.{NAME}")
OWN = Path(f"/run/systemd/journal.{NAME}")
#: The sockets of the daemon: for records, and for journalctl's requests.
SOCKETS = (OWN / "socket", OWN / "io.systemd.journal")
CONFIGURATION = """\
[Journal]
Storage=persistent
RateLimitIntervalSec=0
SystemMaxFileSize=512K
Audit=
"""
SECONDS = 30
BIND, DETACH = 4096, 2
if systemd.ROOT.is_dir():
    JOURNALD = systemd.unpacked("usr/lib/systemd/systemd-journald")
else:
    JOURNALD = ["/lib/systemd/systemd-journald"]
libc = ctypes.CDLL(None, use_errno=True)


def mount(source: str, place: Path, kind: str | None, flags: int) -> None:
    """Mount a directory in this namespace, with a call that the recorder can see."""
    done = libc.mount(
        source.encode(), os.fsencode(place), kind and kind.encode(), ctypes.c_ulong(flags), None
    )
    if done:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(place))


def is_other_mount_namespace() -> bool:
    """Return whether this mount namespace differs from that of process 1."""
    mine = Path("/proc/self/ns/mnt")
    for process in (1, os.getppid()):
        with suppress(OSError):
            return Path(f"/proc/{process}/ns/mnt").readlink() != mine.readlink()
    return False


def prepare() -> None:
    """Create directories that only this adapter and its children can see.

    Ends the program if other processes could see them.
    """
    if not is_other_mount_namespace():
        sys.exit("not started in a mount namespace of its own: unshare --mount --net does that")
    for place in ("/run", "/etc/systemd", "/var/log"):
        mount("tmpfs", Path(place), "tmpfs", 0)
    Path(f"/etc/systemd/journald@{NAME}.conf").write_text(CONFIGURATION)
    for path in ("/run/systemd/journal", "/run/log/journal", "/run/systemd/system", FOLDER):
        Path(path).mkdir(parents=True)


@contextmanager
def daemon(folder: Path) -> Iterator[None]:
    """Run journald with its journal in a directory. Raises :class:`Refused`."""
    mount(str(folder), FOLDER, None, BIND)
    environment = systemd.ENVIRONMENT | {"SYSTEMD_LOG_TARGET": "console"}
    try:
        # A file takes whatever it says: nobody reads a pipe while records are written.
        with tempfile.TemporaryFile() as message:
            process = subprocess.Popen(
                [*JOURNALD, NAME], stdout=subprocess.DEVNULL, stderr=message, env=environment
            )
            try:
                listens(process, message)
                yield
            finally:
                ended(process)
            if process.returncode:
                raise Refused(why(process, message))
    finally:
        for each in SOCKETS:
            each.unlink(missing_ok=True)
        libc.umount2(os.fsencode(FOLDER), DETACH)


def listens(process: subprocess.Popen[bytes], said: BinaryIO) -> None:
    """Wait until journald listens. Raises :class:`Refused` if it ends or takes too long."""
    until = time.monotonic() + SECONDS
    while process.poll() is None and not all(each.exists() for each in SOCKETS):
        if time.monotonic() > until:
            raise Refused("systemd-journald does not listen")
        time.sleep(0.01)
    if process.poll() is not None:
        raise Refused(why(process, said))


def ended(process: subprocess.Popen[bytes]) -> None:
    """Have journald close its journal and end."""
    process.terminate()
    try:
        process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def why(process: subprocess.Popen[bytes], said: BinaryIO) -> str:
    """Return the exit status of journald, and its last message."""
    said.seek(0)
    words = said.read().decode(errors="replace").strip()[-200:]
    return f"systemd-journald ended with {process.returncode}: {words or 'no word'}"


def send(payload: bytes) -> None:
    """Send a record in the export format to the socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
        to.sendto(payload, str(SOCKETS[0]))


def synchronize() -> None:
    """Wait until all earlier records are on the disk."""
    done = systemd.run(*systemd.JOURNALCTL, f"--namespace={NAME}", "--sync")
    if done.returncode:
        raise Refused(done.stderr.decode(errors="replace").strip()[-200:])


def write(path: Path, request: dict[str, Any]) -> None:
    """Start the daemon with a new or a usable journal, and log each record."""
    if path.name != "system.journal":
        raise Skipped("journald calls its file system.journal")
    before = set(path.parent.iterdir())
    with daemon(path.parent):
        for count, payload in enumerate(payloads(request), 1):
            send(payload)
            synchronize()
            if "acknowledged" in request:
                request["acknowledged"](count)
    for renamed in set(path.parent.iterdir()) - before - {path}:
        renamed.replace(path)
        raise Refused("the old file was renamed and a new one begun")


if __name__ == "__main__":
    prepare()
    serve(
        {
            "name": "systemd-journald",
            "version": systemd.version(),
            "language": "C",
            "formats": ["systemd-journal"],
            "profiles": ["recover", "append"],
            "also_writes": True,
            "acknowledges": True,
            "reports": ["records", "signals"],
            "homepage": "https://github.com/systemd/systemd",
            "issues": "https://github.com/systemd/systemd/issues",
        },
        systemd.read,
        write,
        write,
    )
