"""Damage KahaDB journals in a sweep. Checksums of batches are optional in this format."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from conformance.contents import Contents
from reference_impl.answer import Answer, Record
from reference_impl.kahadb_journal.layout import EOF_RECORD, file_id
from walproof.sweep.format_sweep import FormatSweep, LogState
from walproof.sweep.history_writer import HistoryWriter

#: For each end marker, the preallocation methods of the releases that write it (KDB-012, KDB-014).
_PREALLOCATIONS = {
    "record": ("none", "sparse", "zeros"), "zeros": ("none", "last-byte"), "none": ("none",),
}  # fmt: skip


class KahaDBSweep(FormatSweep):
    """In this format, checksums are optional, and payloads may contain batches."""

    enters_payloads = True
    appends_exactly = True
    pairs_tell = False

    def may_refuse(self, before: Answer, contents: Contents) -> bool:
        """Return True if a directory has the name of a data file (KDB-024)."""
        if isinstance(contents, bytes):
            return False
        folders = {name.partition("/")[0] for name in contents if "/" in name}
        return any(file_id(name) is not None for name in folders)

    def tells_payloads(self, files: Mapping[str, bytes], records: Sequence[Record]) -> bool:
        """Return whether every payload in a log has a checksum."""
        # After damage, a reader may mistake a batch inside a payload for a real one.
        return not any(b"WRITE BATCH" in record.payload for record in records) and all(
            any(files[record.file or ""][batch + 20 : batch + 28])
            for record in records
            if (batch := int(record.fields["batch"])) >= 0
        )

    def reach(self, control: LogState, file: str, start: int, end: float) -> tuple[int, float]:
        """Damage destroys the batches that it touches (KDB-048)."""
        batches = sorted(
            {int(r.fields["batch"]) for r in control.records if r.file in (None, file)}
        )
        first = max((at for at in batches if at <= start), default=0)
        # The previous batch may also be lost (see the limits in the chapter).
        if _has_batches(control):
            first = max((at for at in batches if at < first), default=0)
        return first, min((at for at in batches if at >= end), default=math.inf)

    def tears_look_damaged(self, control: LogState, answer: Answer) -> bool:
        """Return True if a torn batch may look damaged, as at the end of a file (KDB-042).

        It may also look damaged if the type of a record was not written, or if a payload contains a
        batch, which a reader may find.
        """
        if answer.reason == "unknown-type" or _has_batches(control):
            return True
        sizes = {name: len(data) for name, data in control.files.items()}
        return any(
            record.at + record.size + len(EOF_RECORD) >= sizes[record.file or ""]
            for record in control.records
        )

    def write_history(self, log: HistoryWriter) -> None:
        """Write checked and unchecked batches, in files with and without preallocated space."""
        chance = log.chance
        is_folder = chance.random() < 0.5
        log.name = "kahadb" if is_folder else "db-1.log"
        eof = chance.choice(("record", "record", "zeros", "none"))
        choices = {
            "folder": is_folder,
            "checksum": chance.random() < 0.7,
            "eof": eof,
            "preallocation": chance.choice(_PREALLOCATIONS[eof]),
            "max_file_length": chance.choice((500, 1000, 3000)),
        }
        log.write([], **choices)
        for number in range(chance.randrange(1, 7)):
            batch = {"batch": number} if chance.random() < 0.5 else {}
            log.append(log.records(4, **batch), **choices)
            if chance.random() < 0.15:
                log.crash()


def _has_batches(control: LogState) -> bool:
    """Return whether a payload contains a batch."""
    return any(b"WRITE BATCH" in record.payload for record in control.records)


SWEEP = KahaDBSweep()
