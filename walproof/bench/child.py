"""What a command takes: ``python -I -S child.py COMMAND…`` prints it as JSON.

The command's output goes nowhere. It is started by a small process: Linux counts what the one that
starts it holds as held by the command.
"""

import json
import os
import sys


def main(command: list[str]) -> None:
    """Print seconds of processor time, the most bytes that were held, and the exit status."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, nowhere, place) for place in (0, 1, 2)]
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status, used = os.wait4(pid, 0)
    said = {
        "seconds": used.ru_utime + used.ru_stime,
        "peak_bytes": used.ru_maxrss * 1024,
        "status": os.waitstatus_to_exitcode(status),
    }
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[1:])
