"""Adapter for the scanners in ``walproof.scanners``."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.adapterkit import Request, serve
from conformance.compare import every_part
from reference_impl.answer import collect
from reference_impl.formats import FORMATS
from reference_impl.paths import IS_INSTALLED
from walproof.formats import plugin_for
from walproof.log import Log
from walproof.scanners import answers


def version() -> str:
    """Return the versions of Walproof and numba, which compiles the kernels."""
    kernels = ", ".join(format_id for format_id in FORMATS if plugin_for(format_id).has_scanner)
    if not kernels:
        return f"{__version__} (no numba: the executable specification, in columns)"
    return f"{__version__} (numba {importlib.metadata.version('numba')}; kernels: {kernels})"


def read(path: Path, request: Request) -> dict[str, Any]:
    """Return the scanner's answer, converted from columns to records."""
    return collect(answers.read(Log(request["format"], path, context=request["context"]))).to_json()


if __name__ == "__main__":
    output = sys.argv.pop(1)
    # By default, numba stores kernels in the user's cache, which is inaccessible in the sandbox.
    if IS_INSTALLED:
        os.environ.setdefault("NUMBA_CACHE_DIR", output)
    serve(
        {
            "name": "fast-scan",
            "version": version(),
            "formats": list(FORMATS),
            "profiles": ["recover"],
            "reports": every_part(FORMATS),
        },
        read,
    )
