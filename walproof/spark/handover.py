"""A Python that Spark starts lets a process go on that has loaded everything already.

The first query of a session starts four daemons of Python, one after the other: one for each kind
of worker. Each imports PySpark, pyarrow and the readers, half a second of it. Where the session
has a fork server (:mod:`walproof.spark.forkserver`), a daemon that has just begun asks it for a
child, which takes over its arguments, environment and standard streams, and then only waits for
that child. Whatever is in the way of it, the daemon goes on by itself, as if nothing had been.

This is imported whenever a worker of Spark begins, so it imports little.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket

VARIABLE = "WALPROOF_SPARK_FORKSERVER"
"""Variable of the environment: the socket that the fork server listens on."""
DAEMONS = ("pyspark.daemon", "walproof.spark.daemon")
"""What Spark starts with ``python -m``, and may be handed over."""
PID_BYTES = 8
SECONDS = 30
"""How long the fork server may take to answer: it may still be loading."""


def stamp() -> tuple[str, tuple[int, ...], int]:
    """What an interpreter is from its start on, and must be in both: flags, and how it hashes."""
    return sys.version, tuple(sys.flags), hash("walproof")


def hand_over() -> None:
    """Where this process is a daemon of Spark and there is a fork server, do not return.

    Returns when there is none, or when it does not take over. The process ends with status 0 when
    the child has ended, however that ended: Spark looks at what a daemon does, not at its status.
    """
    words = sys.orig_argv[1:]
    if VARIABLE not in os.environ or words[:1] != ["-m"] or words[1] not in DAEMONS:
        return
    try:
        child = _asked(words[2:])
    except (OSError, ValueError):
        return
    if child is not None:
        _wait(child)
        os._exit(0)


def _asked(arguments: list[str]) -> int | None:
    """A descriptor of the process that goes on; None where the fork server does not want it."""
    # `socket` is written in Python on top of this, and imports seven milliseconds of it.
    import _socket
    import marshal  # nothing is to be imported for it, and the other side is the same Python

    streams = b"".join(one.to_bytes(4, sys.byteorder) for one in (0, 1, 2))
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        server.settimeout(SECONDS)
        server.connect(os.environ[VARIABLE])
        said = marshal.dumps((stamp(), arguments, os.fsencode(os.getcwd()), dict(os.environb)))  # noqa: PTH109
        head = len(said).to_bytes(PID_BYTES, "little")
        server.sendmsg([head], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
        server.sendall(said)
        pid = int.from_bytes(received(server, PID_BYTES), "little")
    finally:
        server.close()
    return os.pidfd_open(pid) if pid else None


def received(connection: _socket.socket, size: int) -> bytes:
    """So many bytes. Raises ``ConnectionError`` when the other side is gone before."""
    found = b""
    while len(found) < size:
        more = connection.recv(size - len(found))
        if not more:
            raise ConnectionError("the other side is gone")
        found += more
    return found


def _wait(child: int) -> None:
    """Wait for the child to end; what ends this process ends it, too."""
    import select
    import signal

    def passed_on(number: int, _: object) -> None:
        signal.pidfd_send_signal(child, signal.Signals(number))

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, passed_on)
    # The child has these from here on; Spark waits for an end of what it reads.
    nothing = os.open(os.devnull, os.O_RDWR)
    for own in (0, 1, 2):
        os.dup2(nothing, own)
    select.select([child], [], [])
