"""Walproof's own tools as implementations under test: the scanners and the generated parsers.

Each run tests them in addition to those in ``conformance/implementations``.
"""

from __future__ import annotations

from pathlib import Path

from conformance import registry

FOLDER = Path(__file__).resolve().parent


def all_implementations() -> list[registry.Implementation]:
    """Return all implementations, the executable specification first and the others by name."""
    return registry.all_implementations(FOLDER)
