"""Locate the project's data in the repository or, in a wheel, in ``walproof/wheel_data``."""

from __future__ import annotations

from pathlib import Path

# The directory that holds ``conformance`` and ``reference_impl``: the repository or, in a wheel,
# the package ``walproof``.
PACKAGES = Path(__file__).resolve().parent.parent

_WHEEL = PACKAGES / "wheel_data"
# True if Walproof was installed from a wheel. Output then goes to the user's directories.
IS_INSTALLED = _WHEEL.is_dir()

# The directory to put on ``sys.path`` to import the packages.
IMPORT_ROOT = PACKAGES.parent if IS_INSTALLED else PACKAGES

# The directory that holds ``spec/``, ``ksy/`` and ``vectors/``.
ROOT = _WHEEL if IS_INSTALLED else PACKAGES

SPEC = ROOT / "spec"
GRAMMARS = ROOT / "ksy"
VECTORS = ROOT / "vectors"


# The grammars' compiled parsers. A wheel contains them so that it does not need Node.js.
PARSERS = _WHEEL / "kaitai"


def cache() -> Path:
    """Return the platform's cache directory for files that can be rebuilt. It may not exist yet."""
    # Imported here because a checkout does not need this module and starts faster without it.
    from platformdirs import user_cache_path

    return user_cache_path("walproof", appauthor=False)


# Holds everything that the set-up builds or downloads. It is never committed.
BUILD = cache() if IS_INSTALLED else ROOT / ".build"

# The default directory for reports, relative to the working directory.
REPORTS = Path("reports")
