"""LevelDB writers that acknowledge records too early, and one that works correctly."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from conformance.adapterkit import Refused, Request, Skipped, payloads, serve
from conformance.saving import sync_to_disk
from reference_impl.leveldb_log.writer import Writer

WAY = sys.argv.pop(1)


def write(path: Path, request: Request) -> None:
    if "acknowledged" not in request:
        raise Refused("it writes only what it acknowledges")
    if WAY == "is-not-here":
        raise Skipped("nothing is installed")
    acknowledged = request["acknowledged"]
    with path.open("ab") as log:
        if WAY not in ("never-syncs", "forgets-the-folder"):
            sync_to_disk(path.parent)
        for count, payload in enumerate(payloads(request), 1):
            if WAY == "acknowledges-first":
                acknowledged(count)
            Writer(log, path.stat().st_size).append(payload)
            log.flush()
            if WAY == "does-not-wait":
                sibling = threading.Thread(target=os.fdatasync, args=[log.fileno()])
                sibling.start()
                acknowledged(count)
                sibling.join()
                continue
            if WAY != "never-syncs":
                os.fdatasync(log.fileno())
            if WAY != "acknowledges-first":
                acknowledged(count)


serve(
    {
        "name": WAY,
        "version": "",
        "formats": ["leveldb-log"],
        "profiles": ["write", "append"],
        "reports": ["records"],
        "acknowledges": True,
    },
    lambda path, request: {"records": [], "signals": []},
    write,
    write,
)
