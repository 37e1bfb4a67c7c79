"""Compile the kernels into numba's cache by reading every vector once.

The script fails if pyarrow or numpy is missing.
"""

from __future__ import annotations

import os
import sys

from conformance.vectors import load_all
from reference_impl.paths import IS_INSTALLED
from walproof.log import Log
from walproof.scanners import scanner
from walproof.scanners.model import Wanted

if IS_INSTALLED:  # as in adapter.py
    os.environ.setdefault("NUMBA_CACHE_DIR", sys.argv[1])

for vector in load_all().values():
    if vector.operation == "read":
        log = Log(str(vector.body["format"]), vector.input, context=vector.body.get("context"))
        for _ in scanner(log.format).scan(log, Wanted()):
            pass
