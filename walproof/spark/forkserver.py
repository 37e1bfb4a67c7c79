"""A process that has loaded what Spark's Python daemons need, and forks them.

A session on this machine starts it before the JVM, which takes seconds to start on the other
processor. Daemons come to it by :mod:`walproof.spark.handover`. It ends when the process that
started it ends, by whatever cause: its standard input is a pipe of that process.
"""

from __future__ import annotations

import contextlib
import functools
import marshal
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from walproof.spark.daemon import load
from walproof.spark.handover import PID_BYTES, VARIABLE, received, stamp
from walproof.spark.unzipped import unzip

LIKE_A_WORKER = {"PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "YES", "OMP_NUM_THREADS": "1"}
"""What Spark starts its workers with, unless somebody else says something. The interpreter or a
library looks at it once."""
FAILED = 1


@contextlib.contextmanager
def told(loaded: Sequence[str]) -> Iterator[None]:
    """Start the server of this process, and tell it to those who are started meanwhile.

    There is one for the same modules. Nothing happens where there cannot be any (not Linux, a long
    name of the temporary folder): daemons load for themselves then. ``loaded`` is for
    :func:`~walproof.spark.daemon.load`.
    """
    path = _started(tuple(loaded)) if loaded and hasattr(os, "pidfd_open") else None
    if path is None:
        yield
        return
    os.environ[VARIABLE] = str(path)
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)


@functools.cache
def _started(loaded: tuple[str, ...]) -> Path | None:
    try:
        folder = Path(tempfile.mkdtemp(prefix="walproof-spark-"))
    except OSError:
        return None
    path = folder / "socket"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        try:
            listener.bind(str(path))
        except OSError:  # a long name, or a file system without sockets
            folder.rmdir()
            return None
        listener.listen()
        number = str(listener.fileno())
        # Its standard input stays open until this process ends.
        _SERVERS.append(
            subprocess.Popen(
                [sys.executable, "-m", __name__, number, str(folder), *loaded],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                pass_fds=[listener.fileno()],
                env={**LIKE_A_WORKER, **os.environ},
                start_new_session=True,  # Ctrl-C is for the program, which then ends it
            )
        )
    return path


_SERVERS: list[subprocess.Popen[bytes]] = []


def serve(listener: socket.socket) -> socket.socket | None:
    """Fork a child for each who asks, until standard input ends.

    Returns twice or more: None in the server, in each child the connection to who asked.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    poll = select.poll()
    poll.register(0, select.POLLIN)
    poll.register(listener, select.POLLIN)
    while True:
        ready = [number for number, _ in poll.poll()]
        if 0 in ready and not os.read(0, 1):
            return None
        if listener.fileno() in ready:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                return connection
            connection.close()


def become(connection: socket.socket) -> list[str] | None:
    """Be the daemon that asks; its arguments. None where this process cannot be it."""
    with connection:
        head, descriptors, _, _ = socket.recv_fds(connection, PID_BYTES, 3)
        head += received(connection, PID_BYTES - len(head))
        said = received(connection, int.from_bytes(head, "little"))
        theirs, arguments, folder, environment = marshal.loads(said)
        if theirs != stamp():
            connection.sendall(bytes(PID_BYTES))
            return None
        os.chdir(folder)
        for own, given in enumerate(descriptors):
            os.dup2(given, own)
            os.close(given)
        os.environb.clear()
        os.environb.update(environment)
        before = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        sys.path[:0] = [one for one in before if one and one not in sys.path]
        unzip()
        connection.sendall(os.getpid().to_bytes(PID_BYTES, "little"))
    return list(arguments)


def main(number: str, folder: str, *loaded: str) -> None:
    """Load, serve; in a child, be Spark's daemon."""
    load(loaded)
    with socket.socket(fileno=int(number)) as listener:
        connection = serve(listener)
    if connection is None:
        shutil.rmtree(folder, ignore_errors=True)
        return
    status = FAILED
    try:
        arguments = become(connection)
        if arguments is not None:
            status = _daemon(arguments)
    finally:
        os._exit(status)


def _daemon(arguments: list[str]) -> int:
    from pyspark import daemon

    sys.argv = [daemon.__file__, *arguments]
    try:
        daemon.manager()
    except SystemExit as end:
        with contextlib.suppress(OSError):
            sys.stderr.flush()
        return end.code if isinstance(end.code, int) else FAILED
    return 0


if __name__ == "__main__":
    main(*sys.argv[1:])
