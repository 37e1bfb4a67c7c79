"""A SQLite WAL reader that uses the Python parser generated from ksy/sqlite_wal.ksy.

The parser finds the header and the slots. This module verifies the checksums and the chain of
frames, and determines the verdict. It was written from spec/sqlite-wal.md alone and shares no code
with ``reference_impl``.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path
from sys import byteorder
from typing import Any

from conformance.adapterkit import record
from conformance.kaitai.compile import compiled

SqliteWal = compiled("sqlite_wal").SqliteWal
MAGIC = 0x377F0682
VERSION = 3007000
PAGE_SIZES = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]
ORDERS = ["little", "big"]
JOURNAL = bytes.fromhex("d9d505f920a163d7")
U4 = 1 << 32

Value = tuple[int, int]


class Refused(Exception):
    """Raised if the log is refused. The argument is the reason code."""


def words(data: bytes, order: str) -> array[int]:
    """Return the data as 32-bit numbers."""
    numbers = array("I", data)
    if order != byteorder:
        numbers.byteswap()
    return numbers


def forward(value: Value, data: bytes, order: str) -> Value:
    """Return the checksum after ``data``, from the value before it (SQW-006)."""
    s, t = value
    numbers = words(data, order)
    for at in range(0, len(numbers), 2):
        s = (s + numbers[at] + t) % U4
        t = (t + numbers[at + 1] + s) % U4
    return s, t


def backward(value: Value, data: bytes, order: str) -> Value:
    """Return the checksum before ``data``, from the value after it (SQW-009)."""
    s, t = value
    numbers = words(data, order)
    for at in range(len(numbers) - 2, -1, -2):
        t = (t - numbers[at + 1] - s) % U4
        s = (s - numbers[at] - t) % U4
    return s, t


@dataclass
class Slot:
    """A slot, with the checksums before and after it, and the number of the slot that it follows.

    If the slot is broken padding, ``padding_of`` is the number of its commit frame (SQW-015).
    """

    number: int
    at: int
    page: int
    db_pages: int
    salts: tuple[int, int]
    stored: Value
    head: bytes
    image: bytes
    before: Value = (0, 0)
    computed_before: Value = (0, 0)
    follows: int | None = None
    padding_of: int | None = None
    after: Value | None = None
    bad_salts: bool = False
    bad_checksum: bool = False
    returned: bool = False

    @property
    def covered(self) -> bytes:
        """The bytes that the checksum covers."""
        return self.head + self.image


@dataclass
class Start:
    """The page size, byte order and salts of the frames, and the header's checksum if known."""

    page_size: int
    order: str
    salts: tuple[int, int]
    value: Value | None
    is_damaged: bool = False


def slots_of(log: bytes, page_size: int) -> list[Slot]:
    """Return all whole slots for a page size, regardless of the size in the header."""
    parsed = SqliteWal.from_bytes(log[:8] + page_size.to_bytes(4, "big") + log[12:])
    made = []
    for number, frame in enumerate(parsed.frames, 1):
        head, at = frame.header, 32 + (number - 1) * (24 + page_size)
        salts, stored = (head.salt_1, head.salt_2), (head.checksum_1, head.checksum_2)
        made.append(
            Slot(
                number, at, head.page_number, head.db_pages, salts, stored,
                log[at : at + 8], frame.page,
            )
        )  # fmt: skip
    return made


def find_start(log: bytes) -> Start | None:
    """Return the start of a log, or None for an unfinished header (SQW-020)."""
    if log.startswith(JOURNAL):
        raise Refused("rollback-journal")
    parsed = SqliteWal.from_bytes(log)
    if parsed.has_header:
        header = parsed.header
        order = ORDERS[header.magic & 1]
        value = forward((0, 0), log[:24], order)
        salts = (header.salt_1, header.salt_2)
        if header.magic | 1 == MAGIC | 1 and value == (header.checksum_1, header.checksum_2):
            if not header.has_page_size:
                raise Refused("bad-page-size")
            if header.version != VERSION:
                raise Refused("bad-version")
            return Start(header.page_size, order, salts, value)
        for attempt in (rebuilt, linked):
            if found := attempt(log):
                return found
    heads = [(MAGIC + bit).to_bytes(4, "big")[: len(log)] for bit in (0, 1)]
    if log[:4] in heads or not log[:32].strip(b"\0"):
        return None
    raise Refused("bad-magic")


def rebuilt(log: bytes) -> Start | None:
    """Return the start that makes frame 1 valid, or None (SQW-026)."""
    stored = int.from_bytes(log[24:28], "big"), int.from_bytes(log[28:32], "big")
    by_stored: Start | None = None
    for page_size in PAGE_SIZES:
        if len(log) < 56 + page_size:
            break
        first = slots_of(log[: 56 + page_size], page_size)[0]
        if not first.page:
            break
        for order in ORDERS:
            value = backward(first.stored, first.covered, order)
            magic = (MAGIC + ORDERS.index(order)).to_bytes(4, "big")
            known = magic + VERSION.to_bytes(4, "big")
            a, b = forward((0, 0), known, order)
            size_word = int.from_bytes(page_size.to_bytes(4, "big"), order)
            own = b"".join(n.to_bytes(4, "big") for n in first.salts)
            for salts in (own, log[16:24]):
                s, _ = backward(value, salts, order)
                if s == (a + b + size_word) % U4:
                    numbers = int.from_bytes(salts[:4], "big"), int.from_bytes(salts[4:], "big")
                    return Start(page_size, order, numbers, value, is_damaged=True)
            if by_stored is None and value == stored:
                by_stored = Start(page_size, order, first.salts, value, is_damaged=True)
    return by_stored


def linked(log: bytes) -> Start | None:
    """Return the start that the first two linked slots determine, or None (SQW-027)."""
    for unsure in (False, True):
        for page_size in reversed(PAGE_SIZES):
            for one, other in pairwise(slots_of(log, page_size)):
                if not one.salts == other.salts != (0, 0) or not other.page:
                    continue
                fits = [o for o in ORDERS if backward(other.stored, other.covered, o) == one.stored]
                if len(fits) == 1 + unsure:
                    return Start(page_size, fits[0], other.salts, None, is_damaged=True)
    return None


@dataclass
class Reader:
    """One log with a start, and the records and losses found so far."""

    log: bytes
    start: Start
    slots: list[Slot] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    lost: list[dict[str, Any]] = field(default_factory=list)
    committed: int = 0

    def __post_init__(self) -> None:
        self.slots = slots_of(self.log, self.start.page_size)
        self.size = 24 + self.start.page_size

    def at(self, number: int) -> int:
        """Return the offset of a slot (SQW-004)."""
        return 32 + (number - 1) * self.size

    def stored(self, number: int) -> Value | None:
        """Return the stored checksum after a slot."""
        return self.slots[number - 1].stored if number else self.start.value

    def lose(self, at: int, to: int, reason: str) -> None:
        """Report ``[at, to)`` as lost."""
        self.lost.append({"from": at, "to": to, "reason": reason})

    def take(self, slots: list[Slot], is_padding: bool, **more: Any) -> None:
        """Add a transaction, unless it is padding (SQW-012 to SQW-014)."""
        commit = slots[-1]
        if not is_padding:
            payload = b"".join(slot.image for slot in slots)
            fields = {
                "frame": slots[0].number,
                "pages": [slot.page for slot in slots],
                "db_pages": commit.db_pages,
                **more,
            }
            self.records.append(record(payload, slots[0].at, len(slots) * self.size) | fields)
        for slot in slots:
            slot.returned = True

    def answer(self, strict: bool) -> dict[str, Any]:
        """Read the log and return the answer."""
        if self.start.is_damaged:
            if strict:
                return self.stopped(0, "header-checksum")
            self.lose(0, 32, "header-checksum")
        bad = 1  # SQLite reads only the slots before this one
        value = self.start.value
        open_slots: list[Slot] = []
        for slot in self.slots if value else ():
            assert value is not None
            value = forward(value, slot.covered, self.start.order)
            if slot.salts != self.start.salts or not slot.page or slot.stored != value:
                break
            bad += 1
            open_slots.append(slot)
            if slot.db_pages:
                self.take(open_slots, self.repeats(open_slots, self.committed))
                open_slots, self.committed = [], slot.number
        end = self.at(self.committed + 1)
        reason, torn = self.tail(bad, strict)
        if strict and reason:
            return self.stopped(end, reason)
        reason = "header-checksum" if self.start.is_damaged else reason
        return {
            "verdict": "damaged" if reason else "torn" if torn else "intact",
            "reason": reason or torn,
            "records": self.records,
            "lost": sorted(self.lost, key=lambda lost: lost["from"]),
            "end": None if reason else end,
        }

    def stopped(self, at: int, reason: str) -> dict[str, Any]:
        """Return the answer in the profile ``strict``, which stops at an offset (SQW-043)."""
        return {
            "verdict": "damaged",
            "reason": reason,
            "records": self.records,
            "lost": [{"from": at, "to": len(self.log), "reason": reason}],
            "end": None,
        }

    def repeats(self, slots: list[Slot], before: int) -> bool:
        """Return whether a transaction is padding after a commit frame (SQW-014)."""
        commit = self.slots[before - 1].covered if before else b""
        return len(slots) == 1 and slots[0].covered == commit

    def tail(self, bad: int, strict: bool) -> tuple[str | None, str | None]:
        """Return the codes of the damage and of the torn end after the committed frames."""
        proven = self.prove()
        after = self.slots[self.committed :]
        own = [s.number for s in after if self.is_own(s) or s.follows is not None or s.padding_of]
        last = own[-1] if own else self.committed
        ending = last
        for slot in self.slots[last:]:
            if slot.salts != (0, 0):
                break
            ending = slot.number
        is_cut = self.is_cut(ending)
        piece = self.log[self.at(len(self.slots) + 1) :]
        if ending == len(self.slots) and piece and not piece[:16].strip(b"\0"):
            ending += 1  # SQW-032
        marks = [n for n in own if self.is_mark(self.slots[n - 1])]
        in_transactions = {s.number: group for group in proven for s in group}
        ends = {group[-1].number for group in proven}

        def is_padding(number: int) -> bool:
            group = in_transactions.get(number)
            is_whole = group is not None and self.is_padding(group, ends)
            return is_whole or self.slots[number - 1].padding_of is not None

        reason = None
        first_mark = next((n for n in marks if not is_padding(n)), None)
        if first_mark and (first_mark in in_transactions or self.goes_on(first_mark, last, is_cut)):
            reason = self.code(self.slots[bad - 1])
            if not strict:
                self.return_proven(proven)
                self.lose_slots(marks[-1])
        first = (marks[-1] if reason else self.committed) + 1
        torn = None
        if is_cut:
            torn = "torn-frame"
        elif marks and not reason:
            torn = "bad-tail"
        elif ending >= first:
            torn = "uncommitted"
        if torn and not (strict and reason):
            end = len(self.log)
            self.lose(self.at(first), end if is_cut else min(end, self.at(ending + 1)), torn)
        return reason, torn

    def is_own(self, slot: Slot) -> bool:
        """Return whether a slot has the salts of the log and is not blank (SQW-030)."""
        return slot.salts == self.start.salts and (slot.salts != (0, 0) or any(slot.head))

    def is_cut(self, ending: int) -> bool:
        """Return whether the file ends with a cut frame (SQW-033)."""
        piece = self.log[self.at(len(self.slots) + 1) :]
        is_next = ending == len(self.slots)
        if len(piece) < 16:
            return is_next and bool(piece.strip(b"\0"))
        salts = int.from_bytes(piece[8:12], "big"), int.from_bytes(piece[12:16], "big")
        waits = is_next and salts == (0, 0) and piece[:4] != bytes(4)
        return (salts == self.start.salts and piece[:16] != bytes(16)) or waits

    def goes_on(self, mark: int, last: int, is_cut: bool) -> bool:
        """Return whether frames other than repetitions follow a commit frame (SQW-016)."""
        commit = self.slots[mark - 1]
        later = self.slots[mark:last]
        if not is_cut and all(slot.covered == commit.covered for slot in later):
            return False
        number, head = last, self.log[self.at(last) : self.at(last) + 24]
        if is_cut:
            number = len(self.slots) + 1
            head = self.log[self.at(number) :][:24]
        if len(head) < 24:
            return True
        end = int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
        order, before = self.start.order, self.stored(mark - 1)
        values = [commit.stored, commit.stored]
        for _ in range(number - mark):
            values[0] = forward(values[0], commit.covered, order)
            if before is not None:
                s, t = values[1]
                start = (s - before[0]) % U4, (t - before[1]) % U4
                s, t = forward(start, bytes(len(commit.covered)), order)
                values[1] = (s + commit.stored[0]) % U4, (t + commit.stored[1]) % U4
        return end not in (values if before is not None else values[:1])

    def origin(self, number: int) -> int:
        """Return a slot, or the commit frame that the slot repeats as broken padding (SQW-015)."""
        padding_of = self.slots[number - 1].padding_of if number else None
        return number if padding_of is None else padding_of

    def prove(self) -> list[list[Slot]]:
        """Return the proven transactions by offset (SQW-035 to SQW-040)."""
        order = self.start.order
        proven: dict[Value, int] = {} if self.start.value is None else {self.start.value: 0}
        for slot in self.slots[: self.committed]:
            proven.setdefault(slot.stored, slot.number)
        places = {slot.stored: slot.number for slot in reversed(self.slots)} | proven
        computed = padded = self.stored(self.committed)
        waiting: list[Slot] = []
        moved: list[Slot] = []
        last = self.slots[self.committed - 1] if self.committed else None

        def set_padding(commit: Slot) -> None:
            value = self.stored_or_after(waiting[0].number - 1)
            for one in waiting:
                value = forward(value, commit.covered, order)
                one.padding_of, one.after = commit.number, value
                proven.setdefault(value, one.number)

        for slot in self.slots[self.committed :]:
            slot.bad_salts = slot.salts != self.start.salts
            slot.before = backward(slot.stored, slot.covered, order)
            if not slot.page or slot.stored in proven:
                pass
            elif slot.before == computed:
                slot.follows = self.origin(slot.number - 1)
                for earlier, one in pairwise([None, *waiting, slot]):
                    assert one is not None
                    if one is not slot:
                        one.after = forward(one.computed_before, one.covered, order)
                        # If this value is already proven, the slot is a copy of another slot.
                        one.bad_checksum = one.after not in proven
                        if not one.bad_checksum or not one.page:
                            continue
                        one.follows, one.before = self.origin(one.number - 1), one.computed_before
                        proven.setdefault(one.after, one.number)
                    if earlier and earlier.page and not earlier.bad_checksum:
                        moved.append(one)  # ``earlier`` is a copy, and ``one`` follows its original
            elif last and last.db_pages and slot.before == padded not in proven:
                set_padding(last)
                slot.follows = last.number
            elif not slot.bad_salts and slot.before in places:
                slot.follows = -1  # determined below
                moved.append(slot)
            if slot.follows is not None:
                waiting, computed, padded, last = [], slot.stored, slot.stored, slot
                proven[slot.stored] = slot.number
                continue
            if computed is not None:
                slot.computed_before = computed
                computed = forward(computed, slot.covered, order)
            slot.bad_checksum = slot.stored != computed
            waiting.append(slot)
            if last and last.db_pages and padded is not None:
                padded = forward(padded, last.covered, order)
                if slot.stored == padded and padded not in proven:
                    set_padding(last)
                    waiting, computed = [], padded
        for slot in moved:
            found = proven.get(slot.before, places.get(slot.before))
            slot.follows = None if found is None else self.origin(found)
        groups: list[list[Slot]] = []
        group: list[Slot] = []
        for slot in self.slots[self.committed :]:
            if slot.follows is None:
                group = []
                continue
            if not (group and slot.follows == slot.number - 1):
                group = []
                if not self.is_end(slot.follows):
                    continue
            group.append(slot)
            if slot.db_pages:
                groups.append(group)
                group = []
        return groups

    def stored_or_after(self, number: int) -> Value:
        """Return the checksum after a slot that is proven or is broken padding."""
        slot = self.slots[number - 1]
        return slot.after or slot.stored

    def is_padding(self, group: list[Slot], ends: set[int]) -> bool:
        """Return whether a transaction repeats the commit frame that it follows (SQW-014)."""
        before = self.followed(group)
        return (before <= self.committed or before in ends) and self.repeats(group, before)

    def size_word(self, slot: Slot) -> int | None:
        """Return the word ``z`` of the size that fits an unproven slot's checksum (SQW-040)."""
        before = self.stored(slot.number - 1)
        if slot.follows is not None or slot.number <= self.committed or before is None:
            return None
        s, t = backward(slot.stored, slot.image, self.start.order)
        return (t - before[1] - s) % U4

    def lost_size(self, slot: Slot) -> int | None:
        """Return the lost size of a slot as a word, or None if no size was lost (SQW-055)."""
        size = self.size_word(slot)
        before = self.stored(slot.number - 1)
        if slot.db_pages or not size or before is None:
            return None
        s, _ = backward(slot.stored, slot.image, self.start.order)
        page = int.from_bytes(slot.head[:4], self.start.order)  # type: ignore[arg-type]
        return size if s == (before[0] + page + before[1]) % U4 else None

    def is_mark(self, slot: Slot) -> bool:
        """Return whether a slot counts as a commit frame (SQW-015, SQW-055)."""
        is_commit = slot.db_pages != 0 or slot.padding_of is not None
        return is_commit or self.lost_size(slot) is not None

    def is_end(self, number: int) -> bool:
        """Return whether a transaction can begin after a slot (SQW-040)."""
        if not number:
            return True
        slot = self.slots[number - 1]
        if slot.db_pages:
            return self.size_word(slot) != 0
        size = self.lost_size(slot)
        return size is not None and size % ((1 << 34) // self.start.page_size) != 0

    def return_proven(self, groups: list[list[Slot]]) -> None:
        """Add the transactions of the chain and then all others, depth first (SQW-039)."""
        ends = {group[-1].number for group in groups}
        after: dict[int, list[list[Slot]]] = {}
        for group in groups:
            after.setdefault(self.followed(group), []).append(group)
        done: set[int] = set()
        chain = [] if self.start.value is None else after.get(self.committed, [])
        while len(chain) == 1:
            self.take(chain[0], self.is_padding(chain[0], ends))
            done.add(chain[0][-1].number)
            chain = after.get(chain[0][-1].number, [])
        starts = [one for one in groups if self.followed(one) not in ends - done]
        stack = [*reversed(groups), *reversed(starts)]
        while stack:
            group = stack.pop()
            if group[-1].number not in done:
                done.add(group[-1].number)
                self.take(group, self.is_padding(group, ends), after_loss=True)
                stack += reversed(after.get(group[-1].number, []))

    def followed(self, group: list[Slot]) -> int:
        """Return the slot that a proven transaction follows."""
        before = group[0].follows
        assert before is not None
        return before

    def is_in_place(self, slot: Slot) -> bool:
        """Return whether a slot follows the slot before it."""
        if slot.follows == slot.number - 1 or slot.before == self.stored(slot.number - 1):
            return True
        earlier = self.slots[slot.number - 2] if slot.number > 1 else None
        return slot.bad_checksum or (earlier is not None and slot.before == earlier.after)

    def code(self, slot: Slot) -> str:
        """Return the reason code of a lost slot (SQW-041)."""
        previous = self.slots[slot.number - 2] if slot.number > 1 else None
        if not self.is_own(slot):
            return "frame-salt"
        if not slot.page:
            return "page-zero"
        if slot.follows is not None and slot.bad_checksum:
            return "frame-checksum"
        if slot.follows is not None:
            return "partial-transaction" if self.is_in_place(slot) else "broken-link"
        earlier = [self.start.value, *(one.stored for one in self.slots[: slot.number - 1])]
        if slot.stored in earlier:
            return "broken-link"
        if previous is None:
            return "unanchored" if self.start.value is None else "frame-checksum"
        return "frame-checksum" if self.is_own(previous) else "unanchored"

    def lose_slots(self, last: int) -> None:
        """Report the lost slots and fields, up to the last commit frame (SQW-041)."""
        slots = self.slots[self.committed : last]
        codes = [
            "" if slot.returned and self.is_in_place(slot) else self.code(slot) for slot in slots
        ]
        for code, group in groupby(zip(codes, slots, strict=True), key=lambda pair: pair[0]):
            members = [slot for _, slot in group]
            if code:
                self.lose(members[0].at, members[-1].at + self.size, code)
                continue
            for slot in members:
                if slot.bad_salts:
                    self.lose(slot.at + 8, slot.at + 16, "frame-salt")
                if slot.bad_checksum:
                    self.lose(slot.at + 16, slot.at + 24, "frame-checksum")


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer for one log."""
    log = path.read_bytes()
    empty: dict[str, Any] = {"verdict": "intact", "reason": None, "records": [], "lost": []}
    if not log:
        return {**empty, "end": 0}
    try:
        start = find_start(log)
    except Refused as refused:
        return {**empty, "verdict": "refused", "reason": str(refused), "end": None}
    if start is None:
        lost = [{"from": 0, "to": len(log), "reason": "torn-header"}]
        return {**empty, "verdict": "torn", "reason": "torn-header", "lost": lost, "end": 0}
    return Reader(log, start).answer(request["profile"] == "strict")
