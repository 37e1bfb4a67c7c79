"""Check the properties of an answer to a damaged log (spec/conventions.md, "Invariants")."""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from conformance.contents import Contents, by_name, write_contents
from conformance.damage.operations import Edit
from reference_impl.answer import Answer, NewRecord, Record
from walproof.formats import plugin_for
from walproof.log import Log
from walproof.new_log import ABOUT_THE_FILE, CannotWrite, read_survivors
from walproof.sweep.controls import Control

INVENTED = "record-invented"
OUT_OF_ORDER = "record-order"
SILENT_LOSS = "loss-unlisted"
UNACCOUNTED = "unaccounted"
NOT_AGAIN = "not-the-same-again"
RAISES = "raises"
CHANGED_REFUSING = "changed-while-refusing"
#: Each of these faults violates a rule for ``end``, or for writers that append at ``end``.
NOT_READ, NO_END, CUT_LOSES, NOT_READ_AT_END = (
    "append-not-read", "append-without-end", "cut-loses", "append-at-end-not-read",
)  # fmt: skip
NOT_SPARED, TORN_LOSES, TORN_DAMAGED, NO_PREFIX, NOT_RECOVERED = (
    "spared-record-lost", "torn-write-loses", "torn-write-damaged", "strict-no-prefix",
    "recovery-differs",
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
    NOT_SPARED: "omits a record that the damage cannot reach",
    TORN_LOSES: "omits a record from before a torn write",
    TORN_DAMAGED: "takes a torn write for damage",
    NO_PREFIX: "is not the beginning of the answer in the profile `recover`",
    NOT_RECOVERED: "has records that cannot form a new log",
}

#: Numbers in the first MAX_AIMED_BYTES bytes of a lost range suggest payload sizes of up to
#: MAX_AIMED_PAYLOAD bytes.
MAX_AIMED_BYTES, MAX_AIMED_PAYLOAD = 64, 4096
_ORDERS: tuple[Literal["little", "big"], ...] = ("little", "big")


class Reference:
    """Reads logs with the executable specification.

    ``folder`` is a scratch folder, preferably in memory.
    """

    def __init__(self, format: str, folder: Path) -> None:
        self.format = format
        self.folder = folder

    def read(self, control: Control, contents: Contents, profile: str = "recover") -> Answer:
        """Return the answer for a log. Raises the reader's exceptions, which count as findings."""
        path = self.folder / control.name
        replace_log(contents, path)
        return Log(self.format, path, profile=profile, context=control.context).answer()


def replace_log(contents: Contents, path: Path) -> None:
    """Replace the log at a path with these contents."""
    if isinstance(contents, bytes):
        path.unlink(missing_ok=True)
    elif path.exists():
        shutil.rmtree(path)
    write_contents(contents, path)


class WrittenRecords:
    """The records of a control, prepared for comparison with answers.

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
        # A generated log may still contain records from its earlier states.
        earlier = (record for state in control.earlier for record in state.records)
        self.written = frozenset([*self.payloads, *(record.payload for record in earlier)])
        self.with_imported = self.written.union(
            record.payload for log in imported for record in log.stored_records
        )
        self.files = [data for log in (control, *imported) for data in log.files.values()]
        self.format_sweep = plugin_for(control.format).sweep
        self.tells_payloads = self.format_sweep.tells_payloads(control.files, control.records)

    def faults(
        self, output: Answer, contents: Contents, shifts: bool, forges: bool, is_pair: bool = False
    ) -> list[str]:
        """Return the invariants that an answer violates.

        ``shifts`` is true if the damage may have moved, repeated, removed or replaced whole units.
        ``forges`` is true if the damage recomputed a checksum or may have disabled one.
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
        # In a pair, one change may shorten the log, and the other may damage it.
        may_end = self.format_sweep.may_end_anywhere and (is_pair or output.verdict == "intact")
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
        return not record.fields.get("missing") and record.payload in self.payloads

    def _was_written(self, record: Record, shifts: bool, noticed: bool) -> bool:
        """Return whether the record may have been written, as far as the format can tell."""
        payload = record.payload
        if record.fields.get("missing") or self.format_sweep.is_undetected(payload, self.written):
            return True
        if noticed and payload not in self.written:
            # A reader may join parts of another generation with parts of this log, because they
            # look alike.
            parts = self.with_imported if shifts else self.written
            if self.format_sweep.is_made_of(payload, parts):
                return True
        if not shifts and not self.format_sweep.enters_payloads:
            return payload in self.written
        if payload in self.with_imported or any(
            payload in written for written in self.with_imported
        ):
            return True
        # After a renaming, a foreign file may be part of the log. A reader may then return data as
        # the foreign file stores it. For example, a frame may be compressed only there.
        if shifts and any(payload in data for data in self.files):
            return True
        return self.format_sweep.may_join(record)

    def _accounted_for(self, output: Answer, contents: Contents) -> bool:
        """Return whether each missing record is now framing, or a lost range touches it."""
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
    """Return whether rereading the log, and reading it cut at ``end``, both confirm ``output``."""
    if reader.read(control, contents, profile) != output:
        return False
    cut = cut_at_end(contents, output)
    return cut is None or reader.read(control, cut, profile).records == output.records


def cut_at_end(contents: Contents, output: Answer) -> Contents | None:
    """Return the log cut at ``end``, as before an append, or None if appends are forbidden."""
    end, file = output.end, output.end_file
    if end is None:
        return None
    if isinstance(contents, bytes):
        return contents[:end]
    if file is None or file not in contents:
        return None
    return {**contents, file: contents[file][:end]}


# -- one damage ------------------------------------------------------------------------------------

#: For each file, the range from the first changed byte to the end of the last one. The end is
#: infinite if later bytes moved.
Touched = Mapping[str, tuple[int, float]]


def touched_by(edits: Sequence[Edit]) -> Touched | None:
    """Return the ranges that edits changed, or None if an edit added or removed a file."""
    touched: dict[str, tuple[int, float]] = {}
    for edit in edits:
        if edit.delete:
            return None
        keeps = edit.remove == len(edit.insert)
        end = edit.at + edit.remove if keeps else math.inf
        start, last = touched.get(edit.file, (edit.at, end))
        touched[edit.file] = min(start, edit.at), max(last, end)
    return touched


def spared(control: Control, touched: Touched, shifts: bool) -> list[Record]:
    """Return the records of a control that must survive damage to these bytes.

    These are the records before the damage in log order. If the damage affects one file and
    ``shifts`` no whole units, they also include the records beyond the reach of the damage.
    """
    order = list(dict.fromkeys(record.file or "" for record in control.records))
    if not all(file in order for file in touched):
        return []
    sweep = plugin_for(control.format).sweep
    reach = {file: sweep.reach(control, file, *span) for file, span in touched.items()}
    limit = min((order.index(file) for file in reach), default=len(order))
    ends = {file: last for file, (_, last) in reach.items() if len(reach) == 1 and not shifts}

    def is_spared(record: Record) -> bool:
        file = record.file or ""
        if order.index(file) < limit:
            return True
        if order.index(file) > limit:
            return any(last < math.inf for last in ends.values())
        is_before = record.at + record.size <= reach[file][0]
        return is_before or record.at >= ends.get(file, math.inf)

    kept = [record for record in control.records if is_spared(record)]
    return kept[:-1] if sweep.may_cost_neighbour else kept


def has_all(answer: Answer, records: Sequence[Record]) -> bool:
    """Return whether an answer contains these records, with the same positions and payloads."""
    found = {(record.file, record.at, record.payload) for record in answer.records}
    return all((record.file, record.at, record.payload) in found for record in records)


def torn_write_faults(control: Control, answer: Answer) -> list[str]:
    """Return the properties that an answer to a log with a torn last write violates."""
    faults = []
    # A rollback or a new generation removes records, so compare only records that are in both
    # states.
    kept = [
        new
        for old, new in zip(control.earlier[0].records, control.records, strict=False)
        if (old.file, old.at, old.payload) == (new.file, new.at, new.payload)
    ]
    if not has_all(answer, kept):
        faults.append(TORN_LOSES)
    if answer.verdict not in ("intact", "torn") and not has_all(answer, control.records):
        looks_damaged = plugin_for(control.format).sweep.tears_look_damaged(control, answer)
        if not looks_damaged:
            faults.append(TORN_DAMAGED)
    return faults


# -- profiles, recovery, appends -------------------------------------------------------------------


def difference_in_strict(answer: Answer, strict: Answer) -> str:
    """Return how ``strict`` contradicts the answer in ``recover``, or an empty string."""
    if answer.verdict != "damaged":
        return "" if strict == answer else "an undamaged log has two answers"
    if (strict.verdict, strict.reason) != ("damaged", answer.reason):
        return f"strict says {strict.verdict} {strict.reason or ''}".strip()
    if strict.end is not None:
        return "strict returns an end after damage"
    rest = iter(answer.records)
    if not all(record in rest for record in strict.records):
        return "strict returns a record that recover does not"
    return ""


def is_recovered(log: Log, new: Path, control: Control) -> bool:
    """Write the records of a log to a new log.

    Return whether a reader returns the same records from the new log. A log with records that the
    damage has changed is not tested, because a writer may refuse them.
    """
    survivors = read_survivors(log)
    true_records = [_content(record) for record in control.records]
    is_true = all(_content(record) in true_records for record in survivors.records)
    if survivors.end.verdict == "refused" or not survivors.records or not is_true:
        return True
    try:
        survivors.write(new)
    except CannotWrite:
        return False
    return True


def _content(record: Record) -> tuple[bytes, dict[str, object]]:
    return record.payload, {k: v for k, v in record.fields.items() if k not in ABOUT_THE_FILE}


def continues(before: Sequence[Record], new: Sequence[NewRecord], after: Answer) -> bool:
    """Return whether, after an append, a log contains both its earlier and the new records.

    An append may make a lost record provable, but must not remove any record.
    """
    found = iter([record.payload for record in after.records])
    expected = [record.payload for record in before] + [record.payload for record in new]
    return all(payload in found for payload in expected)


def aimed_sizes(contents: Contents, before: Answer) -> list[int]:
    """Return payload sizes with which an append may end at an offset stored in lost bytes.

    Any 2, 4 or 8 bytes in a lost range before ``end`` may be a size, a count or an offset.
    """
    data = by_name(contents).get(before.end_file or "")
    if before.end is None or data is None:
        return []
    overhead = min((r.size - len(r.payload) for r in before.records), default=0)
    sizes = set()
    for gap in before.lost:
        if gap.file != before.end_file or gap.start >= before.end:
            continue
        for at in range(gap.start, min(gap.end, gap.start + MAX_AIMED_BYTES)):
            for width in (2, 4, 8):
                for order in _ORDERS:
                    number = int.from_bytes(data[at : at + width], order)
                    for target in (number, at + number, gap.start + number):
                        for header in (0, 4, 28):
                            size = target + header - before.end - overhead
                            if 0 <= size <= MAX_AIMED_PAYLOAD:
                                sizes.add(size)
    return sorted(sizes)
