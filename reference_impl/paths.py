"""Locate the project's data in the repository or, in a wheel, in ``walproof/wheel_data``."""

from __future__ import annotations

from pathlib import Path

# This directory contains ``conformance`` and ``reference_impl``: the repository or, in a wheel, the
# package ``walproof``.
PACKAGES = Path(__file__).resolve().parent.parent

_WHEEL = PACKAGES / "wheel_data"
# True if Walproof was installed from a wheel. Commands then write to the user's directories.
IS_INSTALLED = _WHEEL.is_dir()

# The packages can be imported if this directory is on ``sys.path``.
IMPORT_ROOT = PACKAGES.parent if IS_INSTALLED else PACKAGES

# This directory contains ``spec/``, ``ksy/`` and ``vectors/``.
ROOT = _WHEEL if IS_INSTALLED else PACKAGES

SPEC = ROOT / "spec"
GRAMMARS = ROOT / "ksy"
VECTORS = ROOT / "vectors"


# A wheel contains the compiled parsers of the grammars, so that it does not need Node.js.
PARSERS = _WHEEL / "kaitai"


def cache() -> Path:
    """Return the platform's cache directory for files that can be rebuilt. It may not exist yet."""
    # A checkout does not need this module and starts faster without it, so import it only here.
    from platformdirs import user_cache_path

    return user_cache_path("walproof", appauthor=False)


# This directory contains everything that the set-up builds or downloads. It is never committed.
BUILD = cache() if IS_INSTALLED else ROOT / ".build"

# Reports go to this directory by default, relative to the working directory.
REPORTS = Path("reports")
