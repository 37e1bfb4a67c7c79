"""Finding logs, and what is left of logs, in bytes that know nothing of files: ``walproof carve``.

Each format has a module in ``formats/`` with a class ``Carver`` (:mod:`walproof.carve.base`). The
image is gone through once, a window at a time (:mod:`walproof.carve.engine`). Fixed bytes that the
formats name are looked for in one pass (:mod:`walproof.carve.search`); what follows them is judged
by the format, with a budget for what turns out to be none (:mod:`walproof.carve.image`).
"""

from __future__ import annotations

from walproof.by_format import module_of
from walproof.carve.base import Carver
from walproof.carve.image import Image


def carver(format_id: str, image: Image, align: int) -> Carver:
    """What finds logs of a format in an image. Raises ``UnknownFormat``."""
    made: Carver = module_of(format_id, f"{__name__}.formats").Carver(image, align)
    return made
