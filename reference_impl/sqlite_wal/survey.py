"""Prove frames of a SQLite write-ahead log after its checksum chain is broken.

Each frame stores the checksum of the log up to the frame's end. Computing backwards from there
gives the checksum before the frame, which identifies the previous slot.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from reference_impl.answer import Lost, ReasonCode
from reference_impl.sqlite_wal.layout import (
    COVERED,
    FRAME_HEADER_SIZE,
    FrameHeader,
    Slots,
    State,
    advance,
    covered,
    rewind,
)
from reference_impl.sqlite_wal.opening import Opening


@dataclass(slots=True)
class Transaction:
    """A proven transaction in the slots ``[first, last]``."""

    first: int
    last: int
    is_after_loss: bool = True
    is_padding: bool = False


@dataclass(slots=True)
class _Slot:
    """A slot of the survey."""

    header: FrameHeader
    #: The checksum before the slot, or None if it is unknown.
    before: State | None = None
    #: The number of the slot whose checksum this frame continues. None if the frame is not proven.
    follows: int | None = None
    #: The checksum after the slot. A proven frame may store a different checksum.
    computed: State | None = None
    #: The number of the commit frame that this slot repeats if it is broken padding.
    repeats: int | None = None
    transaction: Transaction | None = None


def is_repetition(commit: bytes | None, slot: bytes) -> bool:
    """Return whether a slot has the page number, size and image of a commit frame (SQW-014)."""
    return commit is not None and covered(commit) == covered(slot)


def _add(state: State, other: State) -> State:
    return (state[0] + other[0]) & 0xFFFFFFFF, (state[1] + other[1]) & 0xFFFFFFFF


def _subtract(state: State, other: State) -> State:
    return (state[0] - other[0]) & 0xFFFFFFFF, (state[1] - other[1]) & 0xFFFFFFFF


class Survey:
    """The slots after the last committed frame."""

    def __init__(self, slots: Slots, opening: Opening, committed: int, value: State | None) -> None:
        self.slots = slots
        self.opening = opening
        self.committed = committed
        self.found: dict[int, _Slot] = {}
        # For each checksum, ``first`` contains the first slot that stores it, and ``proven`` the
        # first proven slot after which the log has this checksum.
        self.first: dict[State, int] = {}
        self.proven: dict[State, int] = {}
        if opening.checksum is not None:
            self.first[opening.checksum] = self.proven[opening.checksum] = 0
        for number in range(1, slots.count + 1):
            header = slots.header(number)
            self.first.setdefault(header.checksum, number)
            if number > committed:
                self.found[number] = _Slot(header)
            else:
                self.proven.setdefault(header.checksum, number)
        self._prove(value)

    def advance(self, state: State, data: bytes) -> State:
        """Return the checksum after ``data`` (SQW-006)."""
        return advance(state, data, self.opening.order)

    def rewind(self, state: State, data: bytes) -> State:
        """Return the checksum before ``data``, given the checksum after it (SQW-009)."""
        return rewind(state, data, self.opening.order)

    def is_of_generation(self, number: int) -> bool:
        """Return whether a slot has the salts of the log, or is proven without them (SQW-030)."""
        slot = self.found[number]
        is_known = slot.follows is not None or slot.repeats is not None
        return slot.header.has_salts(self.opening.salts) or is_known

    def is_commit(self, number: int) -> bool:
        """Return whether a slot counts as a commit frame (SQW-015, SQW-055)."""
        slot = self.found[number]
        is_marked = slot.header.db_pages != 0 or slot.repeats is not None
        return is_marked or self._sizes(number)[1] != 0

    def is_padding(self, number: int) -> bool:
        """Return whether a slot is whole or broken padding (SQW-014, SQW-015)."""
        slot = self.found[number]
        return slot.repeats is not None or (
            slot.transaction is not None and slot.transaction.is_padding
        )

    def _prove(self, running: State | None) -> None:
        """Find the slot that each frame continues (SQW-015, SQW-035 to SQW-038).

        ``running`` is the checksum after the last committed slot.
        """
        elsewhere: list[tuple[_Slot, State]] = []
        last = self.committed
        start = last + 1
        commit = covered(self.slots.data(last)) if last else None
        # This checksum would result if all slots after the commit frame ``last`` repeated that
        # frame.
        repeated = running
        for number, slot in self.found.items():
            data = self.slots.data(number)
            header = slot.header
            has_salts = header.salts == self.opening.salts
            slot.computed = header.checksum
            if header.page:
                slot.before = self.rewind(header.checksum, covered(data))
            is_new = header.checksum not in self.proven
            can_be_proven = slot.before is not None and is_new
            if can_be_proven and slot.before == running:
                slot.follows = self._confirm(range(start, number))
            elif can_be_proven and commit and slot.before == repeated not in self.proven:
                self._set_padding(range(start, number), last, commit)
                slot.follows = last
            elif can_be_proven and has_salts and slot.before in self.first:
                elsewhere.append((slot, slot.before))
            else:
                if running is not None:
                    running = self.advance(running, covered(data))
                slot.computed = running
                if commit and repeated is not None:
                    repeated = self.advance(repeated, commit)
                    if is_new and repeated == header.checksum:
                        self._set_padding(range(start, number + 1), last, commit)
                        start, running = number + 1, repeated
                continue
            start, running, repeated = number + 1, header.checksum, header.checksum
            last, commit = number, covered(data) if header.db_pages else None
            self.proven[header.checksum] = number
        for slot, value in elsewhere:
            slot.follows = self._unpadded(self.proven.get(value, self.first[value]))

    def _confirm(self, run: range) -> int:
        """Mark a run of frames as proven, and return the slot that the next frame continues.

        If a slot is a copy, the next frame continues the first slot with the same checksum
        (SQW-038).
        """
        place = run.start - 1
        for number in run:
            slot = self.found[number]
            before, place = place, number
            if slot.header.page:
                assert slot.computed is not None
                place = self.proven.setdefault(slot.computed, number)
                if place == number:
                    slot.before = self._value_after(number - 1)
                    slot.follows = self._unpadded(before)
        return self._unpadded(place)

    def _set_padding(self, run: range, last: int, commit: bytes) -> None:
        """Mark a run of slots as broken padding that repeats commit frame ``last`` (SQW-015)."""
        for number in run:
            slot = self.found[number]
            slot.repeats = last
            before = self._value_after(number - 1)
            assert before is not None
            slot.computed = self.advance(before, commit)
            self.proven.setdefault(slot.computed, number)

    def _value_after(self, number: int) -> State | None:
        """Return the checksum after a slot: stored if the slot is committed, otherwise computed."""
        slot = self.found.get(number)
        return slot.computed if slot else self._stored(number)

    def _unpadded(self, number: int) -> int:
        """Return the slot itself or, for broken padding, the commit frame it repeats (SQW-015)."""
        slot = self.found.get(number)
        return number if slot is None or slot.repeats is None else slot.repeats

    def ends_in_repetition(self, mark: int, last: int, checksum: State) -> bool:
        """Return whether repeating slot ``mark`` up to ``last`` gives the checksum (SQW-016)."""
        commit = covered(self.slots.data(mark))
        before, after = self._stored(mark - 1), self._stored(mark)
        assert after is not None
        # The checksum is linear: if it advances from two values over the same bytes, the difference
        # between the results does not depend on those bytes. The checksums before and after a
        # damaged commit frame therefore determine the checksum of each repetition.
        whole = shown = after
        for _ in range(mark, last):
            whole = self.advance(whole, commit)
            if before is not None:
                difference = _subtract(shown, before)
                shown = _add(after, self.advance(difference, bytes(len(commit))))
        return checksum == whole or (before is not None and checksum == shown)

    def transactions(self) -> list[Transaction]:
        """Return the proven transactions in the order in which they were written (SQW-039)."""
        transactions: list[Transaction] = []
        first: int | None = None
        for number, slot in self.found.items():
            if slot.follows is None:
                first = None
                continue
            if first is None or slot.follows != number - 1:
                first = number if self._ends_transaction(slot.follows) else None
            if first is not None and slot.header.db_pages:
                transactions.append(Transaction(first, number))
                first = None
        for transaction in transactions:
            for number in range(transaction.first, transaction.last + 1):
                self.found[number].transaction = transaction
        for transaction in transactions:
            transaction.is_padding = self._is_padding(transaction)
        return self._in_order(transactions)

    def _is_padding(self, transaction: Transaction) -> bool:
        """Return whether a transaction repeats the commit frame that it follows (SQW-014)."""
        before = self._followed(transaction)
        if transaction.first != transaction.last or not before:
            return False
        if before > self.committed and self.found[before].transaction is None:
            return False  # the previous transaction is lost
        return is_repetition(self.slots.data(before), self.slots.data(transaction.last))

    def _in_order(self, transactions: list[Transaction]) -> list[Transaction]:
        """Order transactions: first the chain after the committed frames, then the other chains."""
        followers: dict[int, list[Transaction]] = {}
        for transaction in transactions:
            followers.setdefault(self._followed(transaction), []).append(transaction)
        ordered: dict[int, Transaction] = {}
        end = self.committed
        while len(following := followers.get(end, [])) == 1:
            transaction = following[0]
            transaction.is_after_loss = False
            ordered[transaction.first] = transaction
            end = transaction.last
        others = [transaction for transaction in transactions if transaction.is_after_loss]
        ends = {other.last for other in others}
        # If transactions form a ring, none of them is the first. Only a manipulated log contains a
        # ring.
        starts = [other for other in others if self._followed(other) not in ends]
        for start in [*starts, *others]:
            waiting = [start]
            while waiting:
                transaction = waiting.pop()
                if transaction.first not in ordered:
                    ordered[transaction.first] = transaction
                    waiting += reversed(followers.get(transaction.last, []))
        return list(ordered.values())

    def _followed(self, transaction: Transaction) -> int:
        number = self.found[transaction.first].follows
        assert number is not None
        return number

    def _ends_transaction(self, number: int) -> bool:
        """Return whether a transaction can begin right after this slot (SQW-040)."""
        if number <= self.committed:
            return number == 0 or self.slots.header(number).db_pages != 0
        if self.found[number].header.db_pages:
            return self._sizes(number)[0] != 0
        # A flipped bit in the image can only result in sizes whose last bits are zero.
        page_size = self.slots.slot_size - FRAME_HEADER_SIZE
        return self._sizes(number)[1] % (2**34 // page_size) != 0

    def _sizes(self, number: int) -> tuple[int | None, int]:
        """Return the database size that fits the checksum of an unproven slot (SQW-040).

        The second value is the same size if the checksum also fits the page number, otherwise 0. If
        the slot stores size 0, the second value is its lost size (SQW-055).
        """
        before = self._stored(number - 1)
        if self.found[number].follows is not None or before is None:
            return None, 0
        data, order = self.slots.data(number), self.opening.order
        image = data[FRAME_HEADER_SIZE:]
        first, second = self.rewind(FrameHeader.of(data).checksum, image)
        (page,) = struct.unpack(f"{order}I", data[:4])
        size = (second - before[1] - first) & 0xFFFFFFFF
        return size, size if first == (before[0] + page + before[1]) & 0xFFFFFFFF else 0

    def code(self, number: int) -> str:
        """Return the reason code for a slot that is wholly or partly lost (SQW-036, SQW-041)."""
        slot = self.found[number]
        if not slot.header.has_salts(self.opening.salts):
            return ReasonCode("frame-salt", "SQW-041")
        if not slot.header.page:
            return "page-zero"
        if slot.follows is not None:
            if slot.header.checksum != slot.computed:
                return ReasonCode("frame-checksum", "SQW-041")
            return "partial-transaction" if self._is_in_place(number) else "broken-link"
        if self.first[slot.header.checksum] != number:
            return "broken-link"
        is_anchored = self._is_anchored(number)
        return ReasonCode("frame-checksum", "SQW-041") if is_anchored else "unanchored"

    def _is_in_place(self, number: int) -> bool:
        """Return whether the frame's checksum continues that of the previous slot."""
        # Compare with the previous slot's computed checksum only if it proves this frame (SQW-036).
        before = self.found[number].before
        return before in (self._stored(number - 1), self._value_after(number - 1))

    def _stored(self, number: int) -> State | None:
        if number == 0:
            return self.opening.checksum
        return self.slots.header(number).checksum

    def _is_anchored(self, number: int) -> bool:
        """Return whether the slot before a frame belongs to this generation (SQW-041)."""
        if number == 1:
            return self.opening.checksum is not None
        return self.slots.header(number - 1).has_salts(self.opening.salts)

    def lost(self, last: int) -> Iterator[Lost]:
        """Yield the lost ranges up to a slot, merging neighbours with the same code (SQW-041)."""
        start, code = 0, ""
        for number in range(self.committed + 1, last + 1):
            slot, at = self.found[number], self.slots.at(number)
            whole = "" if slot.transaction and self._is_in_place(number) else self.code(number)
            if whole != code:
                if code:
                    yield Lost(start, at, code)
                start, code = at, whole
            if not whole:
                yield from self._lost_fields(slot, at)
        if code:
            yield Lost(start, self.slots.at(last + 1), code)

    def _lost_fields(self, slot: _Slot, at: int) -> Iterator[Lost]:
        """Yield the damaged salts and checksum of a frame that is proven without them (SQW-036)."""
        if slot.header.salts != self.opening.salts:
            yield Lost(at + COVERED, at + COVERED + 8, ReasonCode("frame-salt", "SQW-036"))
        if slot.header.checksum != slot.computed:
            code = ReasonCode("frame-checksum", "SQW-036")
            yield Lost(at + 16, at + FRAME_HEADER_SIZE, code)
