"""Write journal files and append to them. ``builder.py`` builds their content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reference_impl.answer import NewRecord
from reference_impl.systemd_journal import appending, builder, layout
from reference_impl.systemd_journal.loading import loaded
from reference_impl.systemd_journal.objects import HashFunction, hash_of


def write(
    path: Path,
    records: Sequence[NewRecord],
    context: Mapping[str, Any],
    hash_function: HashFunction = hash_of,
) -> None:
    """Write records to a new file, with :class:`builder.Options` from the context.

    Raises ``OSError`` and ``ValueError``.
    """
    options = builder.Options.from_context(context)
    writer = builder.Writer(options, hash_function=hash_function)
    for record in records:
        writer.write(record)
    with path.open("xb") as log:
        log.write(writer.finish())


def copied(path: Path, context: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the context for copying a file in such a way that its cursors stay valid.

    The context contains the ids, the format options and the header size, and makes the copy keep
    the sequence numbers.
    """
    # systemd 252 and 253 cannot verify a file (`journalctl --verify`) that has later fields or
    # their flag.
    largest = layout.HEADER_FIELDS["tail_entry_offset"][0]
    with path.open("rb") as log:
        head = log.read(layout.HEADER_FULL)
    if len(head) < layout.HEADER_MIN:
        return {"header_size": largest, **context}
    header = layout.parse_header(head)
    settings: dict[str, Any] = {
        name: getattr(header, name).hex() for name in ("file_id", "machine_id", "seqnum_id")
    }
    settings["header_size"] = min(max(header.header_size & ~7, layout.HEADER_MIN), largest)
    settings["compact"] = header.compact
    settings["keyed"] = header.keyed
    settings["keeps_numbers"] = True
    for compression, (flag, _) in builder.COMPRESSIONS.items():
        if header.incompatible_flags & flag:
            settings["compression"] = compression
    return {**settings, **context}


def append(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Append to a file, or raise ``ValueError`` if it must not be appended to (SDJ-087)."""
    with loaded(path) as data:
        writer = appending.reopen(bytes(data), context)
    if not records:
        return
    for record in records:
        writer.write(record)
    whole = writer.finish()
    # Write the objects first and the header last, as systemd does. If a crash happens in between,
    # the header has the old counts.
    with path.open("r+b") as log:
        log.seek(writer.header.header_size)
        log.write(whole[writer.header.header_size :])
        log.seek(0)  # Seeking flushes the objects to the operating system.
        log.write(whole[: writer.header.header_size])
