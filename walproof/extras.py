"""The optional parts of Walproof: what a command lacks, and what to install."""

from __future__ import annotations

EXTRA_OF = {
    "msgpack": "fast",
    "numba": "fast",
    "numpy": "fast",
    "pyarrow": "fast",
    "pyspark": "spark",
}
"""Package → the extra of ``pyproject.toml`` that installs it (``pip install 'walproof[fast]'``)."""


def advice(missing: ModuleNotFoundError) -> str | None:
    """What is missing and how to get it, or None if no extra has it: then it is a defect."""
    package = (missing.name or "").partition(".")[0]
    if package not in EXTRA_OF:
        return None
    return f"needs {package}, which is not here: pip install 'walproof[{EXTRA_OF[package]}]'"
