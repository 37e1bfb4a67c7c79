"""Words of this room: items, and damaged logs that a system is asked to open."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from conformance.contents import Contents
from reference_impl.answer import Answer
from reference_impl.formats import Context

Item = tuple[str, str]
"""What a system returns: a name (a key, the id of a message, an index) and a value, as text."""


@dataclass(frozen=True)
class Case:
    """One damaged log. ``id`` is that of a scenario, with a word of its own if there are several.

    ``control`` is the log before the damage, ``operations`` says what was done to it.
    """

    id: str
    scenario: str
    log: Contents
    control: Contents
    operations: Sequence[str]
    name: str = ""
    """How the log is called where that matters."""
    context: Context = field(default_factory=dict)

    def undamaged(self) -> Case:
        """The same before the damage."""
        return replace(self, log=self.control, operations=())


@dataclass(frozen=True)
class Due:
    """What there was, and what the executable specification says is left."""

    written: frozenset[Item]
    left: frozenset[Item]
    verdict: str

    @property
    def gone(self) -> frozenset[Item]:
        """What was acknowledged and cannot be read any more: whoever opens the log must say so."""
        return self.written - self.left if self.verdict in ("damaged", "refused") else frozenset()


class OfFormat(Protocol):
    """What the module of a format in ``formats`` offers."""

    def cases(self) -> Sequence[Case]:
        """The damaged logs; the first one has no damage, and its id is ``none``."""

    def items(self, answer: Answer, context: Mapping[str, Any]) -> frozenset[Item]:
        """What the records of an answer mean to a system that opened the log."""

    def place(self, case: Case, folder: Path) -> Path:
        """Put the log into a new folder as a system's program expects it; the path it is told."""


MOST_SHOWN = 48
"""Bytes of a name or value that stand as they are; longer ones by their SHA-256."""


def shortened(data: bytes) -> str:
    """Bytes as an item has them: text, hexadecimal, or a digest of what is long."""
    if len(data) > MOST_SHOWN:
        return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()[:16]}"
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        text = ""
    return text if text.isprintable() and (text or not data) else f"0x{data.hex()}"
