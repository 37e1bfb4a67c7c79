"""Find the offset at which reading continues after damage in a KahaDB data file.

The fast kernel (``kernel.walk``) reads valid batches and stops at anything else. This module
handles those cases. Requirement ids refer to spec/kahadb-journal.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from walproof.formats.kahadb_journal.scanner import kernel
from walproof.formats.kahadb_journal.scanner.checksums import SUM_OF_NOTHING, Sums
from walproof.scan.log import Source
from walproof.scan.window import WINDOW_BYTES, Window

HEADER = bytes.fromhex("0000001c02") + b"WRITE BATCH"
EOF = b"-qMa4"
CONTROL = kernel.CONTROL
STRETCH = 1 << 16
CHAIN_STRETCH = 1 << 14


@dataclass(frozen=True, slots=True)
class Claim:
    """The batch that the 28 bytes at an offset describe; ``end`` is None if it is impossible."""

    at: int
    is_header: bool
    size: int
    checksum: int
    end: int | None

    @property
    def start(self) -> int:
        """Return the offset of its records."""
        return self.at + CONTROL


@dataclass(frozen=True, slots=True)
class Finding:
    """Describe the content at an offset.

    ``go_on`` is the offset at which to continue, or None at the end of the scan. ``batch_end`` is
    set if the records of a valid batch follow, which ends there. ``reason`` is set if the bytes up
    to ``lost_to`` are lost. ``firm`` is true if the next offset does not depend on the content here
    (KDB-051).
    """

    go_on: int | None
    batch_end: int | None = None
    reason: str | None = None
    lost_to: int = 0
    torn: bool = False
    firm: bool = True
    #: Return whether a valid batch resolves a doubt because it ends after ``beyond``.
    settles: bool = False
    beyond: int = 0


class Chains:
    """Memoised targets of chains of records (KDB-045), computed in linear time (KDB-053)."""

    def __init__(self, damage: Damage) -> None:
        self.damage = damage
        self._window = Window(damage.window.source, CHAIN_STRETCH)
        self._keys = np.full(1024, -1, np.int64)
        self._values = np.zeros(1024, np.int64)
        self._noted = 0
        self._trail = np.zeros(256, np.int64)

    def from_(self, start: int) -> int | None:
        """Follow the sizes of records from ``start`` to the first offset in step."""
        window = self._window
        state = np.zeros(kernel.CHAIN_STATE, np.int64)
        state[kernel.CHAIN_AT] = start
        while True:
            why = kernel.follow(
                window.array, window.base, window.size, self.damage.fill,
                self._keys, self._values, self._trail, state,
            )  # fmt: skip
            at, target = int(state[kernel.CHAIN_AT]), int(state[kernel.CHAIN_TARGET])
            if why == kernel.CHAIN_NEEDS_BYTES:
                window.hold(at, 2 * kernel.RECORD_HEAD)
            elif why == kernel.TRAIL_FULL:
                self._trail = np.concatenate((self._trail, np.zeros_like(self._trail)))
            elif why == kernel.ASK and not self.damage.in_step(target):
                state[kernel.CHAIN_AT] = target
            else:
                break
        if why == kernel.FAILED or (why == kernel.KNOWN and target < 0):
            target = -1
        self._note(int(state[kernel.CHAIN_TRAIL]), target)
        return target if target >= 0 else None

    def _note(self, count: int, target: int) -> None:
        while 2 * (self._noted + count) > len(self._keys):
            keys = np.full(4 * len(self._keys), -1, np.int64)
            values = np.zeros(len(keys), np.int64)
            kernel.move(self._keys, self._values, keys, values)
            self._keys, self._values = keys, values
        kernel.note(self._keys, self._values, self._trail, count, target)
        self._noted += count


class Search:
    """A search for the next header of a batch of a given class (KDB-046)."""

    def __init__(self, damage: Damage, accepts: Callable[[Claim], bool]) -> None:
        self._damage = damage
        self._accepts = accepts
        # No such batch begins in [from, to). If a batch was found, it begins at ``to``.
        self._from = self._to = 0
        self._is_found = False

    def next(self, at: int, limit: int) -> int | None:
        """Return the next match in ``[at, limit)``; no range is searched twice (KDB-053)."""
        if self._from <= at <= self._to:
            if self._is_found or self._to >= limit:
                return self._to if self._is_found and self._to < limit else None
            start = self._to
        else:
            self._from = start = at
        header_at = self._damage.find_header(start, limit)
        while header_at is not None and not self._accepts(self._damage.claim(header_at)):
            header_at = self._damage.find_header(header_at + 1, limit)
        self._is_found = header_at is not None
        self._to = header_at if header_at is not None else max(start, limit)
        return header_at


class Damage:
    """Damage analysis of a data file. ``fill`` is the start of its preallocated space (KDB-013)."""

    def __init__(self, source: Source, fill: int) -> None:
        self.window = Window(source, STRETCH)
        self._text, self._text_at = b"", 0
        self.size = source.size
        self.fill = fill
        self.sums = Sums(self.window)
        self.chains = Chains(self)
        self._plausible = Search(self, self._is_plausible)
        self._places = Search(self, lambda each: self._is_plausible(each) or self._is_proven(each))

    # Classification of the content at an offset.

    def is_fill(self, at: int) -> bool:
        """Return whether only preallocated space follows."""
        if at >= self.size:
            return True
        if at < self.fill:
            left = self.fill - at
            return left < len(EOF) and EOF.endswith(self.window.peek(at, left))
        head = self.window.peek(at, len(EOF))
        return head[0] == 0 or head == EOF

    def in_step(self, at: int) -> bool:
        """Return whether an offset is in step (KDB-031)."""
        if at >= self.size:
            return at == self.size
        if self.is_fill(at):
            return True
        if at >= self.fill:
            return False
        head = self.window.peek(at, len(HEADER))
        if head == HEADER or head.startswith(EOF):
            return True
        return at + len(head) == self.size and (HEADER.startswith(head) or EOF.startswith(head))

    def is_marked(self, at: int) -> bool:
        """Return whether a header or a whole EOF record begins here (KDB-031)."""
        return self.window.peek(at, len(HEADER)).startswith((HEADER, EOF))

    def claim(self, at: int) -> Claim:
        """Return the batch that the bytes at an offset describe."""
        head = self.window.peek(at, CONTROL)
        if len(head) < CONTROL:
            return Claim(at, False, 0, 0, None)
        size = int.from_bytes(head[16:20], "big", signed=True)
        checksum = int.from_bytes(head[20:28], "big", signed=True)
        end = at + CONTROL + size if 0 <= size <= kernel.MAX_BATCH else None  # KDB-035
        return Claim(at, head.startswith(HEADER), size, checksum, end)

    # KDB-030, in its order

    def look(self, at: int) -> Finding:
        """Return the content of an offset at which a batch should begin."""
        if self.is_fill(at):
            return Finding(None)
        head = self.window.peek(at, CONTROL)
        if head.startswith(EOF):
            after: int | None = at + len(EOF)
            if self.window.peek(at + len(EOF), len(HEADER)) != HEADER:
                after = self._plausible.next(at + len(EOF), self.size)
            if after is None:
                return Finding(None)  # KDB-015
            beyond = self._highest_claim(at, after)
            return Finding(after, None, "early-eof", after, firm=False, beyond=beyond)  # KDB-039
        torn = self._torn_head(at, head)
        if torn is not None:
            return torn
        claim = self.claim(at)
        fault = self._fault(claim)
        if fault is None:
            return Finding(claim.start, batch_end=claim.end, settles=self._settles(claim))
        return self._after(claim, fault)

    def _torn_head(self, at: int, head: bytes) -> Finding | None:
        written = head[: max(0, self.fill - at)]
        upto = at + len(written)
        if 0 < len(written) < len(EOF) and EOF.startswith(written):
            return Finding(None, reason="torn-eof", lost_to=upto, torn=True)  # KDB-043
        if 0 < len(written) < len(HEADER) and HEADER.startswith(written):
            return Finding(None, reason="torn-header", lost_to=upto, torn=True)  # KDB-041
        if not head.startswith(HEADER):
            return None
        if len(head) < CONTROL:
            return Finding(None, reason="torn-header", lost_to=self.size, torn=True)
        claim = self.claim(at)
        if claim.size == 0 and claim.checksum <= 0 and self._is_unfinished(claim.start):
            return Finding(None, reason="torn-header", lost_to=claim.start, torn=True)
        return None

    def _is_unfinished(self, end: int) -> bool:
        """Return whether preallocated space begins before this end, with a zero (KDB-042)."""
        return self.fill < end < self.size and self.window.peek(end, 1) == b"\0"

    def _fault(self, claim: Claim) -> str | None:
        end = claim.end
        if not claim.is_header:
            return "bad-header"  # KDB-034
        if end is None or end > self.size:
            return "bad-size"  # KDB-035
        if claim.size == 0 and claim.checksum <= SUM_OF_NOTHING:  # KDB-033
            return None if self.in_step(end) else "bad-size"
        if claim.checksum > 0:
            return None if self._sum_holds(claim, end) else "checksum-mismatch"  # KDB-036
        if not self.in_step(end) and self._plausible.next(claim.start, end) is not None:
            return "bad-size"  # KDB-047
        return None if self._tiles(claim.start, end) else "bad-record"  # KDB-037

    def _sum_holds(self, claim: Claim, end: int) -> bool:
        """Return whether the checksum matches the bytes up to ``end``."""
        if not 0 < claim.checksum < 1 << 32 or end > self.size or end < claim.start:
            return False
        return self.sums.of(claim.start, end) == claim.checksum

    def _tiles(self, at: int, end: int) -> bool:
        while at < end:
            head = self.window.peek(at, len(HEADER))
            size = int.from_bytes(head[:4], "big", signed=True)
            if size < kernel.RECORD_HEAD or head == HEADER:
                return False
            at += size
            self.window.hold(at, len(HEADER))
        return at == end

    def _settles(self, claim: Claim) -> bool:
        """Return whether a valid batch would be found whatever bytes follow it (KDB-051)."""
        if claim.size == 0 or claim.checksum > 0:
            return True
        at, end = claim.start, claim.end
        while end is not None and at < end:
            head = self.window.peek(at, kernel.RECORD_HEAD)
            if head[4] != 1:
                return False
            at += int.from_bytes(head[:4], "big")
            self.window.hold(at, kernel.RECORD_HEAD)
        return True

    # KDB-044 to KDB-047, in the order of proof

    def _after(self, claim: Claim, fault: str) -> Finding:
        at, end = claim.at, claim.end
        if fault == "bad-header":
            return self._after_bad_header(claim)
        if end is not None and end <= self.size and self.in_step(end):
            inner = self._chain(claim, end)
            if inner is not None and inner < end and self._is_proof(claim, inner):
                return Finding(inner, None, fault, inner, firm=self._sum_holds(claim, inner))
            within = None if inner == end else self._plausible.next(at + 1, end)
            if within is not None and not self.is_marked(end):
                beyond = self._highest_claim(at, within)
                return Finding(within, None, fault, within, firm=False, beyond=beyond)
            if self._is_unfinished(end):
                return Finding(None, None, "torn-batch", end, torn=True)  # KDB-042
            return Finding(end, None, fault, end, firm=within is None)
        leads_out = end is not None and end > self.size
        chained = self._chain(claim, self.size)
        firm = chained is not None and (end is None or self._sum_holds(claim, chained))
        if leads_out and chained is not None and not self._is_proof(claim, chained):
            chained = None
        go_on = chained if chained is not None else self._places.next(at + 1, self.size)
        if go_on is None and leads_out:
            return Finding(None, None, "torn-batch", self.size, torn=True)  # KDB-042
        firm = firm and chained is not None and chained > claim.start
        stop = self._end_of_content(at) if go_on is None else go_on
        beyond = self._highest_claim(at, stop) if chained is None else 0
        return Finding(go_on, None, fault, stop, firm=firm, beyond=beyond)

    def _after_bad_header(self, claim: Claim) -> Finding:
        at, end = claim.at, claim.end
        by_size = end if end is not None and self._sum_holds(claim, end) else None  # KDB-044
        chained = by_size if by_size is not None else self._chain(claim, self.size)
        go_on = chained if chained is not None else self._places.next(at + 1, self.size)
        stop = self._end_of_content(at) if go_on is None else go_on
        reason = "zero-gap" if self._is_zero(at, stop) else "bad-header"  # KDB-040
        firm = chained is not None and chained > claim.start
        beyond = self._highest_claim(at, stop) if chained is None else 0
        return Finding(go_on, None, reason, stop, firm=firm, beyond=beyond)

    def _highest_claim(self, start: int, stop: int) -> int:
        """Return the highest claimed end of batches whose headers a search skipped (KDB-051)."""
        highest, at = 0, self.find_header(start, stop)
        while at is not None:
            highest = max(highest, self.claim(at).end or 0)
            at = self.find_header(at + 1, stop)
        return highest

    def _end_of_content(self, at: int) -> int:
        """Return the end of a loss after which no batch is found (KDB-046)."""
        return self.fill if self.fill > at else self.size

    def _is_proof(self, claim: Claim, end: int) -> bool:
        """Return whether a chain that ends here overrides the size field of the batch."""
        return self.is_marked(end) or self._sum_holds(claim, end)

    def _chain(self, claim: Claim, limit: int) -> int | None:
        start = claim.start
        if start < limit and self.window.peek(start, len(HEADER)) == HEADER:
            return start
        target = self.chains.from_(start)
        return target if target is not None and target <= limit else None

    def _is_plausible(self, claim: Claim) -> bool:
        end = claim.end
        if not claim.is_header or end is None or not self.in_step(end):
            return False
        if self.is_marked(end):
            return True
        if claim.checksum > 0:
            return self._sum_holds(claim, end)
        return claim.size == 0 or self._chain(claim, end) == end

    def _is_proven(self, claim: Claim) -> bool:
        """Return whether the checksum alone proves a batch valid (KDB-046)."""
        return (
            claim.is_header
            and claim.size > 0
            and claim.end is not None
            and self._sum_holds(claim, claim.end)
        )

    def find_header(self, at: int, limit: int) -> int | None:
        """Return the next header that begins in ``[at, limit)``."""
        stop = min(limit + len(HEADER) - 1, self.size)
        while at + len(HEADER) <= stop:
            after = self._text_at + len(self._text)
            if not self._text_at <= at <= after - len(HEADER):
                self._text, self._text_at = self.window.peek(at, STRETCH), at
                after = at + len(self._text)
            index = self._text.find(HEADER, at - self._text_at, stop - self._text_at)
            if index >= 0:
                return self._text_at + index
            at = max(at, after - len(HEADER)) + 1
        return None

    def _is_zero(self, start: int, end: int) -> bool:
        return all(not run.any() for run in self.window.stretches(start, end))


def fill_start(source: Source) -> int:
    """Return the offset of the zeros and EOF records at the end of a data file (KDB-013)."""
    end = source.size
    length = 4096
    while end > 0:
        start = max(0, end - length)
        data = source.read(start, end - start)
        if len(data) < end - start:
            raise OSError(f"at offset {start}: expected {end - start} bytes, found {len(data)}")
        fill_bytes = int(kernel.fill_in(np.frombuffer(data, np.uint8)))
        if fill_bytes == 0:
            break
        end -= fill_bytes
        length = WINDOW_BYTES if fill_bytes > length // 2 else 4096
    return end
