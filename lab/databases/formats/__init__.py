"""The damaged logs of each format, and what their records mean to a system that opens them.

The module of a format is a :class:`~lab.databases.model.OfFormat`. A format without one has no
system here.
"""

from __future__ import annotations

from typing import cast

from lab.databases.model import OfFormat
from reference_impl.formats import FORMATS
from walproof.by_format import module_of


def of_format(format_id: str) -> OfFormat | None:
    """What is known of a format; None where no system is asked. Raises ``UnknownFormat``."""
    try:
        return cast(OfFormat, module_of(format_id, __name__))
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith(__name__):
            return None
        raise


def formats() -> list[str]:
    """The formats that have systems here, in their order."""
    return [one for one in FORMATS if of_format(one) is not None]
