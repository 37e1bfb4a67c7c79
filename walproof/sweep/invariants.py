"""The invariants of spec/conventions.md, for any answer to a damaged control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.contents import Contents, by_name
from reference_impl.answer import Record
from walproof.formats import plugin_for
from walproof.sweep.controls import Control
from walproof.sweep.specification import Reference, Seen

INVENTED = "record-invented"
OUT_OF_ORDER = "record-order"
SILENT_LOSS = "loss-unlisted"
UNACCOUNTED = "unaccounted"
NOT_AGAIN = "not-the-same-again"
RAISES = "raises"
CHANGED_REFUSING = "changed-while-refusing"
NOT_READ, NO_END, CUT_LOSES, NOT_READ_AT_END = (
    "append-not-read", "append-without-end", "cut-loses", "append-at-end-not-read",
)  # fmt: skip
"""What is wrong with ``end``, or with a writer that goes on there."""

MEANING: Mapping[str, str] = {
    INVENTED: "returns a record that nobody wrote",
    OUT_OF_ORDER: "returns records in another order than they were written, or one twice",
    SILENT_LOSS: "does not return a record, and no lost range touches where it was",
    UNACCOUNTED: "passes over bytes that are neither in a record, nor lost, nor framing",
    NOT_AGAIN: "gives another answer when the log is read again, or cut at `end` and read again",
    RAISES: "raises an exception",
    CHANGED_REFUSING: "refuses, and changes what is there",
    NOT_READ: "writes records, and a record of the log or of those is not read again",
    NO_END: "appends to a file whose `end` is null",
    CUT_LOSES: "loses records when the log is cut at `end`",
    NOT_READ_AT_END: "cannot go on at `end`: after the cut a record is not read again",
}


class Written:
    """What a control holds, prepared for comparing answers with it."""

    def __init__(
        self,
        control: Control,
        others: frozenset[bytes] = frozenset(),
        expected: Sequence[Record] | None = None,
    ) -> None:
        """``others`` are payloads of older generations whose bytes come in with some damages.

        ``expected`` are the records that the undamaged log gives; None for all of them.
        """
        self.control = control
        self.expected = control.records if expected is None else expected
        self.payloads = [record.payload for record in control.records]
        self.known = frozenset(self.payloads)
        self.with_others = self.known | others
        self.format_sweep = plugin_for(control.format).sweep
        self.tells_payloads = self.format_sweep.tells_payloads(control.files, control.records)

    def faults(self, seen: Seen, contents: Contents, shifts: bool, forges: bool) -> list[str]:
        """The invariants that an answer breaks; ``shifts`` says that whole units may have moved.

        The order of records that were moved, and the loss of those that were replaced, are
        nothing that a format without sequence numbers can tell; ``forges`` says that checksums
        were made to match, so that nothing can be told.
        """
        if seen.end.verdict == "refused":
            return []
        records = seen.records
        broken: list[str] = []
        rest = iter(self.payloads)
        tells = self.tells_payloads and not forges
        if tells and not all(record.payload in rest for record in records):
            noticed = seen.end.verdict != "intact"
            if not all(self._was_written(record, shifts, noticed) for record in records):
                broken.append(INVENTED)
            elif not shifts and all(self._is_whole(record) for record in records):
                broken.append(OUT_OF_ORDER)
        may_end = self.format_sweep.may_end_anywhere and seen.end.verdict == "intact"
        if (
            self.tells_payloads
            and not (shifts or forges or may_end)
            and len(records) < len(self.expected)
            and not self._accounted_for(seen, contents)
        ):
            broken.append(SILENT_LOSS)
        if isinstance(contents, bytes) and not self.format_sweep.covers(contents, _spans(seen)):
            broken.append(UNACCOUNTED)
        return broken

    def _is_whole(self, record: Record) -> bool:
        """Whether a record is one that was written, with nothing missing."""
        return not record.fields.get("missing") and record.payload in self.known

    def _was_written(self, record: Record, shifts: bool, noticed: bool) -> bool:
        """Whether a record can be one that was written, as far as the format can tell.

        ``noticed`` says that the answer is not `intact`: parts of several records may then be
        joined, where no checksum covers which belong together. Where units move, a log inside a
        payload may come to light, and fragments of several records may stand in a row. A record
        that says that some of its fields are missing passes.
        """
        payload = record.payload
        if record.fields.get("missing"):
            return True
        if noticed and payload not in self.known:
            # What comes in from another generation joins as well as what was there.
            parts = self.with_others if shifts else self.known
            if self.format_sweep.is_made_of(payload, parts):
                return True
        if not shifts and not self.format_sweep.enters_payloads:
            return payload in self.known
        if payload in self.with_others or any(payload in known for known in self.with_others):
            return True
        # A file that is no part of the control may become one under another name.
        if shifts and any(payload in data for data in self.control.files.values()):
            return True
        return self.format_sweep.may_join(record)

    def _accounted_for(self, seen: Seen, contents: Contents) -> bool:
        """Whether each record that is missing, and not cut off, lies where something was lost.

        What is left of it may be zeros: then it reads as space that was never written.
        """
        files = by_name(contents)
        there = {(record.file, record.at) for record in seen.records}
        for record in self.expected:
            if (record.file, record.at) in there:
                continue
            data = files.get(record.file or "", b"")
            if any(data[record.at : record.at + record.size]) and not any(
                gap.file == record.file and gap.start < record.at + record.size
                and record.at < gap.end for gap in seen.lost
            ):  # fmt: skip
                return False
        return True


def _spans(seen: Seen) -> list[tuple[int, int]]:
    """Records and lost ranges, sorted."""
    records = [(record.at, record.at + record.size) for record in seen.records]
    return sorted(records + [(gap.start, gap.end) for gap in seen.lost])


def same_again(
    reader: Reference, control: Control, contents: Contents, seen: Seen, profile: str = "recover"
) -> bool:
    """Whether reading twice changes nothing, and cutting the log at ``end`` keeps its records."""
    if reader.read(control, contents, profile) != seen:
        return False
    left = cut_at_end(contents, seen)
    return left is None or reader.read(control, left, profile).records == seen.records


def cut_at_end(contents: Contents, seen: Seen) -> Contents | None:
    """What a writer leaves of a log before it appends; None where it may not append."""
    end, file = seen.end.end, seen.end.file
    if end is None:
        return None
    if isinstance(contents, bytes):
        return contents[:end]
    if file is None or file not in contents:
        return None
    return {**contents, file: contents[file][:end]}
