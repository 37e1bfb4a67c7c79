"""Finds what a room knows of a format by the format's id: no list names the formats twice."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from reference_impl.formats import named
from reference_impl.register import registers


@cache
def module_of(format_id: str, room: str, part: str = "") -> Any:
    """The module or folder of a format in the package ``room``, or its module ``part`` there.

    It is called like the format, with ``_`` for ``-``. Raises ``UnknownFormat`` for an id that is
    none of ours, and ``ModuleNotFoundError``.
    """
    name = f"{room}.{registers()[named(format_id).id].module}"
    return importlib.import_module(f"{name}.{part}" if part else name)
