"""Name the optional extra of Walproof that installs a missing package."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

#: For each package, the name of the extra in ``pyproject.toml`` that installs it. A user installs
#: an extra with ``pip install 'walproof[fast]'``.
EXTRA_OF = {
    "matplotlib": "spark",
    "numba": "fast",
    "numpy": "fast",
    "pyarrow": "fast",
    "pyspark": "spark",
}


def advice(missing: ModuleNotFoundError) -> str | None:
    """Return the installation advice for a missing package, or None if no extra includes it."""
    package = (missing.name or "").partition(".")[0]
    if package not in EXTRA_OF:
        return None
    return f"needs {package}, which is not installed: pip install 'walproof[{EXTRA_OF[package]}]'"


@contextlib.contextmanager
def naming_the_extra(user: str) -> Iterator[None]:
    """Name the missing extra in any ``ModuleNotFoundError`` that the block raises.

    ``user`` is the part of Walproof that needs the package.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (needed := advice(error)) is None:
            raise
        raise ModuleNotFoundError(f"{user} {needed}", name=error.name) from None
