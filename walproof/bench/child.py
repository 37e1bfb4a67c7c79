"""What a command takes: ``python -I -S child.py COMMAND…`` prints it as JSON.

The command's output goes nowhere. It is started by a small process: Linux counts what the one that
starts it holds as held by the command. What the command starts is counted with it, also what it
never waits for: that is inherited, and waited for, here.
"""

import ctypes
import json
import os
import resource
import sys

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def main(command: list[str]) -> None:
    """Print seconds of processor time, the most that one process held, and the exit status."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, nowhere, place) for place in (0, 1, 2)]
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = {
        "seconds": used.ru_utime + used.ru_stime,
        "peak_bytes": used.ru_maxrss * 1024,
        "status": os.waitstatus_to_exitcode(status),
    }
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[1:])
