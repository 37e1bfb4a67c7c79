"""What the lake knows of each format: its options, its folders, the order of its files.

Each format has a module here whose ``KIND`` is a :class:`~walproof.lake.formats.kind.Kind`.
"""

from __future__ import annotations

from walproof.by_format import module_of
from walproof.lake.formats.kind import Kind


def kind(format_id: str) -> Kind:
    """What is known of a format. Raises ``UnknownFormat``."""
    found: Kind = module_of(format_id, __name__).KIND
    return found
