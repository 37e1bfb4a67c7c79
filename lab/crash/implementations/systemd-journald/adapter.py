"""Adapter for ``lab crash``: run systemd-journald as a service and report when records are safe.

The adapter sends each record to the native socket. It then runs ``journalctl --sync``, which
returns once the record is "safely stored on disk".
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))
from conformance.adapterkit import Refused, Skipped, payloads, serve
from conformance.implementations.systemd import adapter as systemd
from lab.formats.systemd_journal.journald import NAME, journald, prepare, send

if systemd.ROOT.is_dir():
    JOURNALD = systemd.unpacked("usr/lib/systemd/systemd-journald")
else:
    JOURNALD = ["/lib/systemd/systemd-journald"]


@contextmanager
def daemon(folder: Path) -> Iterator[None]:
    """Run journald with a directory for its journal. Raises :class:`Refused`."""
    environment = systemd.ENVIRONMENT | {"SYSTEMD_LOG_TARGET": "console"}
    with tempfile.TemporaryFile() as message:
        try:
            with journald(JOURNALD, folder, environment, message) as process:
                if process.poll() is not None:
                    raise Refused(why(process, message))
                yield
        except TimeoutError as error:
            raise Refused(str(error)) from None
        if process.returncode:
            raise Refused(why(process, message))


def why(process: subprocess.Popen[bytes], said: BinaryIO) -> str:
    """Return the exit status of journald, and its last message."""
    said.seek(0)
    words = said.read().decode(errors="replace").strip()[-200:]
    return f"systemd-journald ended with {process.returncode}: {words or 'no word'}"


def synchronize() -> None:
    """Wait until all earlier records are on the disk."""
    done = systemd.run(*systemd.JOURNALCTL, f"--namespace={NAME}", "--sync")
    if done.returncode:
        raise Refused(done.stderr.decode(errors="replace").strip()[-200:])


def write(path: Path, request: dict[str, Any]) -> None:
    """Start the daemon with a new or an existing journal, and log each record."""
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
    prepare("512K")
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
