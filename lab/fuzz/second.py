"""The second reader of a format, in this process: the parser's fields and the chapter's rules."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from conformance.registry import FOLDER
from reference_impl.register import registers

NAME = "kaitai-python"
SecondReader = Callable[[Path, str, Mapping[str, Any]], dict[str, Any]]
"""A path, a profile and a context → an answer as JSON."""


def second_reader(format: str) -> SecondReader:
    """The second reader of a format. Its modules are beside its adapter, as it imports them."""
    if str(FOLDER / NAME) not in sys.path:
        sys.path.insert(0, str(FOLDER / NAME))
    read = import_module(registers()[format].module).read
    return functools.partial(_read, read, format)


def _read(
    read: Callable[[Path, dict[str, Any]], dict[str, Any]],
    format: str,
    path: Path,
    profile: str,
    context: Mapping[str, Any],
) -> dict[str, Any]:
    return read(path, {"format": format, "profile": profile, "context": dict(context)})
