"""Writing a journal file, and going on with one; ``builder.py`` makes the bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reference_impl.answer import NewRecord
from reference_impl.systemd_journal import appending, builder, layout
from reference_impl.systemd_journal.loading import loaded


def write(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """A new file from records; the context names options of :class:`builder.Options`."""
    made = builder.Writer(builder.Options.from_context(context))
    for record in records:
        made.write(record)
    with path.open("xb") as log:
        log.write(made.finish())


def copied(path: Path, context: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a copy of a file must be told: its ids and that numbers stay, for the cursors; its form.

    The size of the header stays, too: a release verifies no file with fields that it does not know.

    Numbers have gaps where files share them, as those of the system and of its users do.
    """
    with path.open("rb") as log:
        head = log.read(layout.HEADER_FULL)
    if len(head) < layout.HEADER_MIN:
        return context
    header = layout.parse_header(head)
    kept: dict[str, Any] = {
        name: getattr(header, name).hex() for name in ("file_id", "machine_id", "seqnum_id")
    }
    kept["header_size"] = min(max(header.header_size & ~7, layout.HEADER_MIN), layout.HEADER_FULL)
    kept["compact"] = header.compact
    kept["keyed"] = header.keyed
    kept["keeps_numbers"] = True
    for compression, (flag, _) in builder.COMPRESSIONS.items():
        if header.incompatible_flags & flag:
            kept["compression"] = compression
    return {**kept, **context}


def append(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Go on with a file. Raises ``ValueError`` if a new one must be begun (SDJ-087)."""
    with loaded(path) as data:
        made = appending.reopen(bytes(data), context)
    if not records:
        return
    for record in records:
        made.write(record)
    whole = made.finish()
    # As systemd does: objects first, the header last, so that a crash leaves the old counts.
    with path.open("r+b") as log:
        log.seek(made.header.header_size)
        log.write(whole[made.header.header_size :])
        log.seek(0)  # gives the objects to the system
        log.write(whole[: made.header.header_size])
