"""The tools as implementations under test: the bulk scanners, and the generated parsers.

They stand beside those of ``conformance/implementations`` in every run of the command.
"""

from __future__ import annotations

from pathlib import Path

from conformance import registry

FOLDER = Path(__file__).resolve().parent


def all_implementations() -> list[registry.Implementation]:
    """The suite's implementations and ours: the executable specification first, then by name."""
    return registry.all_implementations(FOLDER)
