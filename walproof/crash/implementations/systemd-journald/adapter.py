"""Adapter: systemd-journald as a service, which says that records are safe; for ``walproof crash``.

The daemon's folders are fixed, so ``unshare`` starts this adapter in a mount namespace, which gets
another ``/run``, ``/etc/systemd`` and ``/var/log``, and the daemon serves a journal namespace. The
folder of the log is mounted where it keeps that. In a network namespace it neither sees nor changes
the auditing of the machine.

A record goes to the native socket; then ``journalctl --sync`` promises that it is "safely stored on
disk".
"""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))
from conformance.adapterkit import Refused, Skipped, payloads, serve
from conformance.implementations.systemd import adapter as systemd

NAME = "walproof"
FOLDER = Path(f"/var/log/journal/{Path('/etc/machine-id').read_text().strip()}.{NAME}")
OWN = Path(f"/run/systemd/journal.{NAME}")
SOCKETS = (OWN / "socket", OWN / "io.systemd.journal")
"""Where the daemon listens: for records, and for what journalctl asks of it."""
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
    """Mount something in this namespace. The call itself tells the recorder where the log is."""
    done = libc.mount(
        source.encode(), os.fsencode(place), kind and kind.encode(), ctypes.c_ulong(flags), None
    )
    if done:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(place))


def prepare() -> None:
    """Folders that only this adapter and what it starts can see."""
    for place in ("/run", "/etc/systemd", "/var/log"):
        mount("tmpfs", Path(place), "tmpfs", 0)
    Path(f"/etc/systemd/journald@{NAME}.conf").write_text(CONFIGURATION)
    for path in ("/run/systemd/journal", "/run/log/journal", "/run/systemd/system", FOLDER):
        Path(path).mkdir(parents=True)


@contextmanager
def daemon(folder: Path) -> Iterator[None]:
    """journald with its journal in a folder, until it has closed it. Raises :class:`Refused`."""
    mount(str(folder), FOLDER, None, BIND)
    environment = systemd.ENVIRONMENT | {"SYSTEMD_LOG_TARGET": "console"}
    try:
        with subprocess.Popen(
            [*JOURNALD, NAME], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
        ) as process:
            try:
                until = time.monotonic() + SECONDS
                while not all(one.exists() for one in SOCKETS) and process.poll() is None:
                    if time.monotonic() > until:
                        raise Refused("systemd-journald does not listen")
                    time.sleep(0.01)
                yield
            finally:
                process.terminate()
                _, said = process.communicate(timeout=SECONDS)
        if process.returncode:
            sys.stderr.buffer.write(said[-2000:])
            raise Refused(f"systemd-journald ended with {process.returncode}")
    finally:
        for one in SOCKETS:
            one.unlink(missing_ok=True)
        libc.umount2(os.fsencode(FOLDER), DETACH)


def send(payload: bytes) -> None:
    """Log a record. Its fields in export format are what the socket takes."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
        to.sendto(payload, str(SOCKETS[0]))


def synchronize() -> None:
    """Ask as an administrator does: it returns when everything before it is on the disk."""
    done = systemd.run(*systemd.JOURNALCTL, f"--namespace={NAME}", "--sync")
    if done.returncode:
        raise Refused(done.stderr.decode(errors="replace").strip()[-200:])


def write(path: Path, request: dict[str, Any]) -> None:
    """Start the daemon where no journal is, or one that it may go on with; log each record."""
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
