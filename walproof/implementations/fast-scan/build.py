"""Compiles the kernels into numba's cache. Ends with an error where pyarrow or numpy is absent."""

from __future__ import annotations

from walproof.scan import MODULES, scanner

for format_id in MODULES:
    scanner(format_id)
