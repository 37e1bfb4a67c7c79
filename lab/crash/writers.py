"""Who can be recorded by name: the implementations of the suite, and programs only for this."""

from __future__ import annotations

from pathlib import Path

from conformance import registry
from conformance.registry import Implementation
from walproof.implementations import FOLDER as TOOLS

FOLDER = Path(__file__).with_name("implementations")
"""Writers that answer no vector: they are asked what they call safe, and nothing else."""


def all_writers() -> list[Implementation]:
    """All that ``lab crash --writer`` takes: the executable specification, then by name."""
    return registry.all_implementations(TOOLS, FOLDER)


def is_boxed(implementation: Implementation) -> bool:
    """Whether it may be judged in a box; one that mounts folders of its own may not."""
    return bool(registry.declared(implementation.folder).get("boxed", True))
