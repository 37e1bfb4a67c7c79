"""Compile the kernels into the cache of numba by reading every vector once.

The script fails if pyarrow or numpy is missing.
"""

from __future__ import annotations

import os
import sys

from conformance.vectors import load_all
from reference_impl.paths import IS_INSTALLED
from walproof.scan import scanner
from walproof.scan.log import Log
from walproof.scan.model import Wanted

if IS_INSTALLED:  # as in adapter.py
    os.environ.setdefault("NUMBA_CACHE_DIR", sys.argv[1])

for vector in load_all().values():
    if vector.operation == "read":
        log = Log(vector.input, vector.body.get("context", {}))
        for _ in scanner(str(vector.body["format"])).scan(log, Wanted()):
            pass
