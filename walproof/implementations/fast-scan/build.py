"""Compiles the kernels into numba's cache. Ends with an error where pyarrow or numpy is absent."""

from __future__ import annotations

from reference_impl.formats import FORMATS
from walproof.scan import scanner

for format_id in FORMATS:
    scanner(format_id)
