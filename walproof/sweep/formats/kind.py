"""What there is to know of a format, to damage its logs and to judge what readers say of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.kaitai.field_map import Field
from reference_impl.answer import Event, Record

Edit = tuple[int, int, bytes]
"""Replace ``[lo, hi)`` of the control by these bytes; ``lo`` is -1 for the end of the log."""

Span = tuple[int, int]


@dataclass(frozen=True)
class Seal:
    """What one checksum covers: a field of the grammar, its leaf with the checksum, and how.

    ``edit`` gives the right checksum for damaged bytes, from the field and all fields of the file;
    ``reseal`` does it with the recipes' verb; ``in_folders`` says that the verb knows logs of
    several files. ``is_there`` says whether an undamaged field has a checksum at all.
    """

    unit: str
    edit: Callable[[bytes, Field, Sequence[Field]], Edit]
    reseal: Callable[[Any, str, str], None]
    in_folders: bool = False
    is_there: Callable[[bytes, Field], bool] = lambda data, unit: True


def by_path(log: Any, path: str, file: str) -> None:
    """The verb ``reseal`` of the recipes."""
    log.reseal(path)


class Kind:
    """A format with a checksum over each payload and none over structure."""

    cost = 3.0
    """What reading a tiny log costs, in units of 0.1 ms, for each of its files."""

    seals: Sequence[Seal] = ()
    """The checksums over structure."""

    read_in_memory: Callable[[bytes, str], Iterator[Event]] | None = None
    """How the executable specification reads the bytes of a log of one file, in a profile."""

    may_end_anywhere = False
    """Whether a log may be intact though records are missing at its end."""

    enters_payloads = False
    """Whether a reader that looks for the next record after damage may find one in a payload."""

    pairs_tell = True
    """Whether a record is still known to be right after two damages: not if one of them can switch
    the checksum off."""

    selecting: Collection[str] = ()
    """Keys of the context that choose among records: then nobody can say which are missing."""

    def may_join(self, record: Record) -> bool:
        """Whether a record may be made from fragments of several that were moved."""
        return False

    def is_made_of(self, payload: bytes, written: Collection[bytes]) -> bool:
        """Whether a payload that nobody wrote can be made of parts that were, each under a checksum
        of its own: then a reader returns it, and says that the log is damaged."""
        return False

    def tells_payloads(self, files: Mapping[str, bytes], records: Sequence[Record]) -> bool:
        """Whether a log has a checksum over each payload: else changes and losses go unnoticed."""
        return True

    def covers(self, data: bytes, spans: Sequence[Span]) -> bool:
        """Whether records and lost ranges, sorted, and framing cover a log of one file."""
        return True
