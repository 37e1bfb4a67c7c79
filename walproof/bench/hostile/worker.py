"""Reads one log and prints the processor time and the memory that it took, as a line of JSON.

``python -m walproof.bench.hostile.worker LOG FORMAT READER``. Events are let go as they come.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from walproof.bench.readers import READERS


def held(what: str) -> int:
    """Bytes in memory: ``VmRSS`` now, or ``VmHWM`` at most so far."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:  # no Linux: the most it ever held, which may be that of its parent
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(what))


def main(log: Path, format_id: str, reader: str) -> None:
    """Read the log once."""
    read_once = READERS[reader](format_id)
    before, started = held("VmRSS"), time.process_time()
    read_once(log)
    seconds = time.process_time() - started
    print(json.dumps({"seconds": seconds, "peak_bytes": held("VmHWM") - before}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
