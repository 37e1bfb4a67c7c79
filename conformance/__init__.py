"""The conformance harness: command line, protocol, runner, comparison, reports, recipes."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The repository."""

VECTORS = ROOT / "vectors"
BUILD = ROOT / ".build"
"""Everything that set-up builds or downloads; never committed."""

__version__ = "0.1.0"
