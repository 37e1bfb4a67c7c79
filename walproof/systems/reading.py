"""Read a log with the executable specification, or a large log with the bulk scanner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reference_impl.answer import Event
from walproof.formats import plugin_for
from walproof.summary import model
from walproof.systems.model import by_specification


def is_worth_a_scanner(format_id: str, path: Path) -> bool:
    """Return whether a log is large and its scanner is installed. Raises ``OSError``."""
    return model.size_of(path) >= model.WORTH_A_KERNEL and plugin_for(format_id).has_scanner


def read_log(
    format_id: str, path: Path, profile: str, context: Mapping[str, Any]
) -> Iterator[Event]:
    """Yield the events of a log, using the scanner for large logs. Raises ``OSError``."""
    if profile != "recover" or not is_worth_a_scanner(format_id, path):
        return by_specification(format_id, path, profile, context)
    from walproof.scan.answers import read

    return read(format_id, path, context)
