"""Where the data of the project lie: in the repository, or in ``walproof_data`` of a wheel."""

from __future__ import annotations

from pathlib import Path

PACKAGES = Path(__file__).resolve().parent.parent
"""The folder that holds the packages: the repository, or ``site-packages``."""

_WHEEL = PACKAGES / "walproof_data"
IS_INSTALLED = _WHEEL.is_dir()
"""Whether the packages come from a wheel: what they make then goes to the user's folders."""

ROOT = _WHEEL if IS_INSTALLED else PACKAGES
"""The folder that holds ``spec/``, ``ksy/`` and ``vectors/``."""

SPEC = ROOT / "spec"
GRAMMARS = ROOT / "ksy"
VECTORS = ROOT / "vectors"


PARSERS = _WHEEL / "kaitai"
"""Parsers of the grammars that a wheel brings along: without Node.js, too, every byte is named."""


def cache() -> Path:
    """The folder for what can be made again, where the platform has it; it need not exist."""
    from platformdirs import user_cache_path  # a checkout does without, and starts sooner

    return user_cache_path("walproof", appauthor=False)


BUILD = cache() if IS_INSTALLED else ROOT / ".build"
"""Everything that set-up builds or downloads; never committed."""

REPORTS = Path("reports")
"""Where reports go unless a command is told otherwise: below the caller's folder."""
