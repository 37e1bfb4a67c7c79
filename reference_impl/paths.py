"""Locate the project's data: in the repository, or in ``walproof/wheel_data`` of a wheel."""

from __future__ import annotations

from pathlib import Path

# The directory that holds ``conformance`` and ``reference_impl``: the repository, or the package
# ``walproof`` of a wheel.
PACKAGES = Path(__file__).resolve().parent.parent

_WHEEL = PACKAGES / "wheel_data"
# True for packages from a wheel. Their output goes to the user's directories.
IS_INSTALLED = _WHEEL.is_dir()

# The directory that makes the packages importable.
IMPORT_ROOT = PACKAGES.parent if IS_INSTALLED else PACKAGES

# The directory that holds ``spec/``, ``ksy/`` and ``vectors/``.
ROOT = _WHEEL if IS_INSTALLED else PACKAGES

SPEC = ROOT / "spec"
GRAMMARS = ROOT / "ksy"
VECTORS = ROOT / "vectors"


# Compiled parsers of the grammars, which a wheel contains so that it does not need Node.js.
PARSERS = _WHEEL / "kaitai"


def cache() -> Path:
    """Return the platform's cache directory for files that can be rebuilt. It may not exist yet."""
    # A checkout does not need this module, and starts faster without it.
    from platformdirs import user_cache_path

    return user_cache_path("walproof", appauthor=False)


# Everything that set-up builds or downloads. It is never committed.
BUILD = cache() if IS_INSTALLED else ROOT / ".build"

# The default directory for reports, relative to the working directory.
REPORTS = Path("reports")
