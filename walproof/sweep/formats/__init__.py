"""What a sweep knows of each format: how to damage its logs, and what its answers can promise.

Each format has a module here whose ``KIND`` is a :class:`~walproof.sweep.formats.kind.Kind`.
"""

from __future__ import annotations

from walproof.by_format import module_of
from walproof.sweep.formats.kind import Kind


def kind(format_id: str) -> Kind:
    """What is known of a format. Raises ``UnknownFormat``."""
    found: Kind = module_of(format_id, __name__).KIND
    return found
