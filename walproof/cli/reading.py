"""Who reads a log: the executable specification, or for a large log the bulk scanner."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from reference_impl.answer import Event
from reference_impl.formats import Context, Format
from walproof.summary.model import WORTH_A_KERNEL
from walproof.summary.summary import size_of


def is_worth_a_scanner(format_id: str, path: Path) -> bool:
    """Whether a log is large, and its scanner is installed. Raises ``OSError``."""
    if size_of(path) < WORTH_A_KERNEL:
        return False
    with contextlib.suppress(ModuleNotFoundError):
        from walproof.scan import has_kernel

        return has_kernel(format_id)
    return False


def events(format: Format, path: Path, context: Context) -> Iterator[Event]:
    """The answer in pieces, in the profile ``recover``; the same from both. ``OSError``."""
    if not is_worth_a_scanner(format.id, path):
        return format.read(path, "recover", context)
    from walproof.scan.answers import read

    return read(format.id, path, context)
