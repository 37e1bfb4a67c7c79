"""Machines of their own inside this one: Linux namespaces, which are gone with their processes.

A head and nodes, joined by a bridge that nobody else sees. A node has its own network, its own
processes, its own ``/tmp`` and ``/dev/shm``, and this project's folder is empty there, except for
the Python environment and Java. One folder is shared by all under the same path. ``root`` makes
namespaces, and so does everybody where user namespaces are allowed.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from conformance import ROOT
from pyspark_journal.java import java_home

NET = "10.77.0."
SETTLE_SECONDS = 30.0
APART = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
SHAPE = ("root", "tbf", "burst", "16kbit", "latency", "500ms", "rate")
SLOW_LO = ("qdisc", "add", "dev", "lo", *SHAPE, "1mbit")


class NoNamespaces(Exception):
    """Nobody makes namespaces here, or a program for them is missing; the message says which."""


class Place:
    """Where a process runs: here, on the loopback interface."""

    address = "127.0.0.1"
    scratch: Path | None = None
    """A folder that nobody else sees, if there is one."""

    def within(self, command: Sequence[str]) -> list[str]:
        """The command that runs ``command`` there."""
        return list(command)

    def settle(self, pid: int) -> None:
        """Called when that command has been started, as this process."""


class Head(Place):
    """The machine of the master, the driver and the store, with the files of this one.

    Raises :class:`NoNamespaces`.
    """

    address = f"{NET}1"

    def __init__(self) -> None:
        apart = ["unshare", *(["--map-root-user"] if os.getuid() else []), "--net"]
        bridge = (
            f"ip link set lo up && ip link add lan type bridge && ip link set lan up"
            f" && ip address add {self.address}/24 dev lan && echo ready && exec cat"
        )
        try:
            self.holder = subprocess.Popen(
                [*apart, "sh", "-c", bridge],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        except OSError as error:
            raise NoNamespaces(str(error)) from None
        assert self.holder.stdout is not None
        if (said := self.holder.stdout.readline().strip()) != "ready":
            self.holder.wait()
            raise NoNamespaces(said or "unshare said nothing")
        for needed in (["mount", "-t", "tmpfs", "own", "/tmp"], ["tc", *SLOW_LO]):
            tried = subprocess.run(self.within([*APART, *needed]), capture_output=True, text=True)
            if tried.returncode:
                self.holder.communicate()
                raise NoNamespaces(tried.stderr.strip())

    def enter(self, pid: int) -> list[str]:
        """The start of a command that runs in the network of a process."""
        user = ["--user", "--preserve-credentials"] if os.getuid() else []
        return ["nsenter", "--target", str(pid), *user, "--net"]

    def within(self, command: Sequence[str]) -> list[str]:
        """See :class:`Place`."""
        return [*self.enter(self.holder.pid), *command]

    def __enter__(self) -> Head:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.holder.communicate()


class Node(Place):
    """A machine that is there as long as the one command that is run in it."""

    scratch = Path("/tmp/spark")

    def __init__(self, head: Head, number: int, shared: Path) -> None:
        self.head = head
        self.port = f"node{number}"
        self.address = f"{NET}{number + 2}"
        self.shared = shared
        self.pid = 0

    def within(self, command: Sequence[str]) -> list[str]:
        """See :class:`Place`."""
        script = _view(self.shared, self.address)
        return self.head.within([*APART, "sh", "-c", script, "node", *command])

    def settle(self, pid: int) -> None:
        """Give it a cable, as soon as it has left the network of the head."""
        self.pid = pid
        others = (_network(os.getpid()), _network(self.head.holder.pid))
        until = time.monotonic() + SETTLE_SECONDS
        while _network(pid) in others:
            if time.monotonic() > until:
                raise TimeoutError(f"{self.port} has no network of its own")
            time.sleep(0.01)
        cable = ["ip", "link", "add", self.port, "type", "veth", "peer", "name", "eth0"]
        _run(self.head.within([*cable, "netns", str(pid)]))
        _run(self.head.within(["ip", "link", "set", self.port, "master", "lan", "up"]))

    def slow_down(self, mbit: int) -> None:
        """From now on no more than so many megabits a second go in or out."""
        shape = [*SHAPE, f"{mbit}mbit"]
        _run(self.head.within(["tc", "qdisc", "replace", "dev", self.port, *shape]))
        _run([*self.head.enter(self.pid), "tc", "qdisc", "replace", "dev", "eth0", *shape])

    def speed_up(self) -> None:
        """The opposite of :meth:`slow_down`."""
        _run(self.head.within(["tc", "qdisc", "delete", "dev", self.port, "root"]))
        _run([*self.head.enter(self.pid), "tc", "qdisc", "delete", "dev", "eth0", "root"])


def _view(shared: Path, address: str) -> str:
    """What a node does before its command: its view of the files, and its end of the cable."""
    inside = [path for path in (Path(sys.prefix), java_home()) if path and ROOT in path.parents]
    lines = ["set -e"]
    # Held open, so that they are found again when something else lies on the way to them.
    kept = dict(enumerate([shared, *inside], start=3))
    lines += [f"exec {fd}<{shlex.quote(str(path))}" for fd, path in kept.items()]
    for covered in ("/tmp", "/dev/shm", str(ROOT)):
        # The checkout may lie below what was covered before it.
        place = shlex.quote(covered)
        lines.append(f"mkdir -p {place} && mount -t tmpfs own {place}")
    for fd, path in kept.items():
        place = shlex.quote(str(path))
        lines += [
            f"mkdir -p {place}",
            f"mount --no-canonicalize --bind /proc/self/fd/{fd} {place}",
            f"exec {fd}<&-",
        ]
    lines += [
        "cd /",
        "ip link set lo up",
        "until ip link set eth0 up 2>/dev/null; do sleep 0.02; done",
        f"ip address add {address}/24 dev eth0",
        'exec "$@"',
    ]
    return "\n".join(lines)


def _network(pid: int) -> str:
    return os.readlink(f"/proc/{pid}/ns/net")  # noqa: PTH115 -- it is a name, not a path


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"{shlex.join(command)}: {done.stderr.strip()}")
