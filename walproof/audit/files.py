"""The rows of the table ``files``: each file of each log, from what was counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from walproof.audit.lake import Found
from walproof.audit.tables import FILES
from walproof.audit.tally import FileTally, Tally
from walproof.lake.names import shown
from walproof.tables.rows import file_name

NOTHING_BUT_ZEROS = "nothing but zeros"


def file_rows(found: Found, tally: Tally) -> Iterator[tuple[dict[str, Any], FileTally]]:
    """A row for each file of a log, and for each that the log names and that is missing.

    Each comes with what was counted in its file. Times are microseconds since 1970.
    """
    known = {member.name: member for member in found.members}
    for name in dict.fromkeys([*known, *tally.files]):
        member = known.get(name)
        path = file_name(found.source.path, name)
        size = member.size if member else 0
        of_file = tally.files.get(name, FileTally(size))
        verdict, reason = _verdict(tally, name, of_file)
        row = {
            "file": shown(path),
            "log": found.log,
            "format": tally.format,
            "size": size,
            "modified": int(member.modified * 1_000_000) if member else None,
            "verdict": verdict,
            "reason": reason,
            "log_verdict": tally.verdict,
            "log_reason": tally.reason,
            "records": of_file.records,
            "record_bytes": of_file.record_bytes,
            "lost_ranges": of_file.lost_ranges,
            "lost_bytes": of_file.lost_bytes,
            "first_time": of_file.first_time,
            "last_time": of_file.last_time,
            "error": tally.error,
            "remark": NOTHING_BUT_ZEROS if of_file.is_blank else None,
        }
        yield row, of_file
    if not known and not tally.files:
        nothing = dict.fromkeys(("records", "record_bytes", "lost_ranges", "lost_bytes"), 0)
        row = {
            "file": shown(found.source.path),
            "log": found.log,
            "format": tally.format,
            "size": 0,
            "log_verdict": tally.verdict,
            "log_reason": tally.reason,
            "error": tally.error,
            **nothing,
        }
        yield dict.fromkeys(FILES.names) | row, FileTally()


def _verdict(tally: Tally, name: str | None, of_file: FileTally) -> tuple[str | None, str | None]:
    """The reader's verdict for a log of one file; of several, what was lost in this one."""
    if tally.format is None or name is None or tally.verdict == "refused":
        return tally.verdict, tally.reason
    if of_file.first_fault is not None:
        return of_file.first_fault
    return (None, None) if tally.error else ("intact", None)
