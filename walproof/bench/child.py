"""What a command takes: ``python -I -S child.py COMMAND…`` prints it as JSON.

The command's output goes nowhere. It is started by a small process: Linux counts what the one that
starts it holds as held by the command. What the command starts is counted with it, also what it
never waits for: that is inherited, and waited for, here. The daemon of Spark's Python workers lets
the kernel forget its children (SIGCHLD is ignored), and with them their time: so all descendants
are looked at ten times a second, too, and the larger sum holds.
"""

import ctypes
import json
import os
import resource
import sys
import threading

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h

SECONDS_BETWEEN_LOOKS = 0.1


class Looks:
    """Processor time of all descendants, by looking; each misses what it takes after the last."""

    def __init__(self) -> None:
        self.ticks: dict[tuple[int, bytes], int] = {}
        """By process id and start, since ids are given again."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self._thread.start()

    def seconds(self) -> float:
        """The sum, when all has ended."""
        self._ended.set()
        self._thread.join()
        return sum(self.ticks.values()) / os.sysconf("SC_CLK_TCK")

    def _look_on(self) -> None:
        while not self._ended.wait(SECONDS_BETWEEN_LOOKS):
            todo = _children(os.getpid())
            while todo:
                pid = todo.pop()
                todo += _children(pid)
                # proc(5): after the name in parentheses come state, ppid, …, 12: utime, stime, …
                if fields := _read(f"/proc/{pid}/stat").rpartition(b")")[2].split():
                    self.ticks[pid, fields[19]] = int(fields[11]) + int(fields[12])


def _children(pid: int) -> list[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - as above
    except OSError:
        return []
    found = (_read(f"/proc/{pid}/task/{thread}/children").split() for thread in threads)
    return [int(child) for of_one in found for child in of_one]


def _read(path: str) -> bytes:
    """The bytes of a file of the kernel's; none for a process that has ended meanwhile."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib takes a third of the start
            return file.read()
    except OSError:
        return b""


def main(command: list[str]) -> None:
    """Print seconds of processor time, the most that one process held, and the exit status."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, nowhere, place) for place in (0, 1, 2)]
    looks = Looks()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = {
        "seconds": max(used.ru_utime + used.ru_stime, looks.seconds()),
        "peak_bytes": used.ru_maxrss * 1024,
        "status": os.waitstatus_to_exitcode(status),
    }
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[1:])
