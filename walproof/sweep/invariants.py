"""Check the invariants of spec/conventions.md for an answer to a damaged control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.contents import Contents, by_name
from reference_impl.answer import Answer, Record
from walproof.formats import plugin_for
from walproof.sweep.controls import Control
from walproof.sweep.specification import Reference

INVENTED = "record-invented"
OUT_OF_ORDER = "record-order"
SILENT_LOSS = "loss-unlisted"
UNACCOUNTED = "unaccounted"
NOT_AGAIN = "not-the-same-again"
RAISES = "raises"
CHANGED_REFUSING = "changed-while-refusing"
#: Violations of the rules for ``end``, and for a writer that appends at ``end``.
NOT_READ, NO_END, CUT_LOSES, NOT_READ_AT_END = (
    "append-not-read", "append-without-end", "cut-loses", "append-at-end-not-read",
)  # fmt: skip

MEANING: Mapping[str, str] = {
    INVENTED: "returns a record that was never written",
    OUT_OF_ORDER: "returns records out of order, or a record twice",
    SILENT_LOSS: "omits a record, and no lost range touches its position",
    UNACCOUNTED: "skips bytes that are neither in a record, nor lost, nor framing",
    NOT_AGAIN: "gives a different answer on a second read, or after a cut at `end`",
    RAISES: "raises an exception",
    CHANGED_REFUSING: "changes the log although it refuses",
    NOT_READ: "writes records, and a later read omits one of them or of the log",
    NO_END: "appends to a file whose `end` is null",
    CUT_LOSES: "loses records when the log is cut at `end`",
    NOT_READ_AT_END: "cannot continue at `end`: after the cut a later read omits a record",
}


class Written:
    """The records of a control, prepared for comparing answers with them.

    ``imported`` contains logs from which damage may copy bytes. ``expected`` contains the records
    that readers return.
    """

    def __init__(
        self,
        control: Control,
        imported: Sequence[Control] = (),
        expected: Sequence[Record] | None = None,
    ) -> None:
        self.control = control
        self.expected = control.records if expected is None else expected
        self.payloads = [record.payload for record in control.stored_records]
        self.written = frozenset(self.payloads)
        self.with_imported = self.written.union(
            record.payload for log in imported for record in log.stored_records
        )
        self.files = [data for log in (control, *imported) for data in log.files.values()]
        self.format_sweep = plugin_for(control.format).sweep
        self.tells_payloads = self.format_sweep.tells_payloads(control.files, control.records)

    def faults(self, output: Answer, contents: Contents, shifts: bool, forges: bool) -> list[str]:
        """Return the invariants that an answer violates.

        ``shifts`` and ``forges`` are those of the :class:`~walproof.sweep.enumeration.DamagedLog`.
        """
        if output.verdict == "refused":
            return []
        records = output.records
        broken: list[str] = []
        remaining = iter(self.payloads)
        detects = self.tells_payloads and not forges
        if detects and not all(record.payload in remaining for record in records):
            noticed = output.verdict != "intact"
            if not all(self._was_written(record, shifts, noticed) for record in records):
                broken.append(INVENTED)
            elif not shifts and all(self._is_whole(record) for record in records):
                broken.append(OUT_OF_ORDER)
        may_end = self.format_sweep.may_end_anywhere and output.verdict == "intact"
        if (
            self.tells_payloads
            and not (shifts or forges or may_end)
            and len(records) < len(self.expected)
            and not self._accounted_for(output, contents)
        ):
            broken.append(SILENT_LOSS)
        if isinstance(contents, bytes) and not self.format_sweep.covers(contents, _spans(output)):
            broken.append(UNACCOUNTED)
        return broken

    def _is_whole(self, record: Record) -> bool:
        return not record.fields.get("missing") and record.payload in self.written

    def _was_written(self, record: Record, shifts: bool, noticed: bool) -> bool:
        """Return whether a record may have been written; false if the format rules this out."""
        payload = record.payload
        if record.fields.get("missing"):
            return True
        if noticed and payload not in self.written:
            # A reader may join parts of another generation like parts of this log.
            parts = self.with_imported if shifts else self.written
            if self.format_sweep.is_made_of(payload, parts):
                return True
        if not shifts and not self.format_sweep.enters_payloads:
            return payload in self.written
        if payload in self.with_imported or any(
            payload in written for written in self.with_imported
        ):
            return True
        # A rename can make a file outside the log part of the log. A reader may then return data
        # as the other log stores it, such as a frame that this log does not decompress.
        if shifts and any(payload in data for data in self.files):
            return True
        return self.format_sweep.may_join(record)

    def _accounted_for(self, output: Answer, contents: Contents) -> bool:
        """Return whether a lost range touches each missing record whose bytes are not framing."""
        files = by_name(contents)
        positions = {(record.file, record.at) for record in output.records}
        for record in self.expected:
            if (record.file, record.at) in positions:
                continue
            file = record.file or ""
            before, after = self.control.files[file], files.get(file, b"")
            if not self.format_sweep.is_framing(before, after, record) and not any(
                gap.file == record.file and gap.start < record.at + record.size
                and record.at < gap.end for gap in output.lost
            ):  # fmt: skip
                return False
        return True


def _spans(output: Answer) -> list[tuple[int, int]]:
    records = [(record.at, record.at + record.size) for record in output.records]
    return sorted(records + [(gap.start, gap.end) for gap in output.lost])


def same_again(
    reader: Reference,
    control: Control,
    contents: Contents,
    output: Answer,
    profile: str = "recover",
) -> bool:
    """Return whether a second read, and a read of the log cut at ``end``, confirm ``output``."""
    if reader.read(control, contents, profile) != output:
        return False
    cut = cut_at_end(contents, output)
    return cut is None or reader.read(control, cut, profile).records == output.records


def cut_at_end(contents: Contents, output: Answer) -> Contents | None:
    """Return the log cut at ``end``, as before an append; None if an append is forbidden."""
    end, file = output.end, output.end_file
    if end is None:
        return None
    if isinstance(contents, bytes):
        return contents[:end]
    if file is None or file not in contents:
        return None
    return {**contents, file: contents[file][:end]}
