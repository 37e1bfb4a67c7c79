"""Appends that must not change what is read before `end`, and batches that end inside other
batches."""

import struct

from conformance.recipes.kahadb_journal.appending import append_to_five_batches
from conformance.recipes.kahadb_journal.layout import five_batches, five_batches_without_checksums
from conformance.recipes.kahadb_journal.log import (
    APPENDING,
    END,
    EOF,
    HEADER,
    RECORDS,
    RESYNC,
    TORN_TAIL,
    KahaDBLog,
    numbered,
    whole_batch,
)
from conformance.recipes.recipe import Recipe
from reference_impl.kahadb_journal.writer import batch, record

FOUR = [0, 1, 2, 3]
ALL = range(5)
SIXTH = whole_batch(numbered(6))
SEVENTH = whole_batch(numbered(7))
INNER = whole_batch(b"phantom")
INNER_UNCHECKED = whole_batch(b"phantom", checked=False)
SPACE = bytes(64)

Damaged = Recipe[KahaDBLog]


def _from(log: KahaDBLog, at: int, new: bytes) -> None:
    log.truncate(at)
    log.extend(new)


def _control(size: int, checksum: int) -> bytes:
    return HEADER + struct.pack(">iq", size, checksum)


def _head(size: int, record_type: int = 1) -> bytes:
    return struct.pack(">iB", size, record_type)


# In the vectors below, a chain of records follows a fault (KDB-051).

_STARTS = {
    # Each row has the first 28 bytes, the reason, whether ActiveMQ hangs, and words for the title.
    "garbage": (b"x" * 28, "bad-header", False, "28 bytes of garbage precede"),
    "negative_size": (_control(-1, 0), "bad-size", True, "A batch of size -1 precedes"),
    "size_out_of_step": (_control(3, 0), "bad-record", False, "A batch of size 3 precedes"),
}
_CHAINS = {
    # Each row has the header of a record that begins 28 bytes after the fault, words for the title,
    # and whether `end` is known. The sixth batch begins 12 bytes after the start of that record and
    # ends 57 bytes after it.
    "past_the_file": (_head(300), "past the end of the file", False),
    "into_the_last_batch": (_head(35), "into the batch that follows", True),
    "of_another_type_past_the_file": (_head(300, 9), "past the end, but has type 9", True),
    "of_negative_size": (_head(-300), "backwards, because its size is negative", True),
}


def _chain_after(start: str, chain: str) -> Damaged:
    first, reason, hangs, begins = _STARTS[start]
    second, where, is_known = _CHAINS[chain]

    name = f"{start}_and_a_record_{chain}"
    title = f"""{begins} a record header and a batch. The record leads {where}, so `end` is
    {"known" if is_known else "null"}.
    """

    @END.combination(name, title, five_batches, "KDB-051", "KDB-045", kind=None)
    def recipe(log: KahaDBLog) -> None:
        if hangs:
            log.hangs_upstream()
        _from(log, 180, first + second + b"garbage" + SIXTH + EOF)
        end = 180 + 28 + 12 + 45 if is_known else None
        log.expect("damaged", reason, survivors=[*FOUR, numbered(6)], end=end)

    return recipe


CHAINS = {(start, chain): _chain_after(start, chain) for start in _STARTS for chain in _CHAINS}


@END.damaged(five_batches, "KDB-051", "KDB-039")
def record_past_the_file_after_an_early_eof_record(log: KahaDBLog) -> None:
    """A record header 28 bytes after an early EOF record leads past the end of the file. No chain
    begins at an EOF record, so `end` is known."""
    log.extend(b"x" * 23 + _head(300) + b"garbage" + SIXTH + EOF)
    log.expect("damaged", "early-eof", survivors=[*ALL, numbered(6)], end=310)


@END.damaged(five_batches, "KDB-051", "KDB-046")
def two_searches_of_which_the_first_is_unsettled(log: KahaDBLog) -> None:
    """A search skips a header that claims more than the file, and a second search skips only
    garbage. `end` is null."""
    claim = _control(500, 7) + b"four"
    new = b"x" * 9 + claim + SIXTH + b"x" * 9 + SEVENTH + EOF
    _from(log, 180, new)
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6), numbered(7)], end=None)


@END.damaged(five_batches, "KDB-051", "KDB-046")
def search_that_finds_a_damaged_batch_by_its_mark(log: KahaDBLog) -> None:
    """Garbage precedes a batch with a wrong checksum. Only the EOF record after this batch makes it
    plausible, so `end` is null."""
    wrong = _control(17, 7) + SIXTH[28:]
    _from(log, 180, b"x" * 9 + wrong + EOF)
    log.expect("damaged", "bad-header", survivors=FOUR, end=None)


@END.damaged(five_batches, "KDB-051", "KDB-037")
def search_that_finds_a_checked_batch_with_a_bad_record(log: KahaDBLog) -> None:
    """Garbage precedes a checked batch whose second record has the size 3. The checksum of the
    batch makes it plausible, so `end` is known."""
    records = record(numbered(6)) + _head(3)
    _from(log, 180, b"x" * 9 + batch(records) + EOF)
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6)], end=239)


# In the vectors below, headers are inside a batch whose end is out of step (KDB-051).


def _header_inside(is_checked: bool, claims: int, is_known: bool, garbage: bytes) -> Damaged:
    name = "header_in_{}_batch_that_claims_{}{}".format(
        "a_checked" if is_checked else "an_unchecked",
        "more_than_the_file" if claims > 200 else "a_part_of_the_file",
        "" if garbage else "_in_step",
    )
    title = f"""The payload of {"a checked" if is_checked else "an unchecked"} batch contains a
    header of size {claims}. {"Garbage" if garbage else "A valid batch"} follows, and `end` is
    {"known" if is_known else "null"}.
    """

    @END.combination(name, title, five_batches, "KDB-051", "KDB-047", kind=None)
    def recipe(log: KahaDBLog) -> None:
        payload = b"holds " + _control(claims, 7) + b" a header"
        outer = whole_batch(payload, checked=is_checked)
        _from(log, 180, outer + garbage + SIXTH + EOF)
        end = 180 + len(outer + garbage + SIXTH) if is_known else None
        survivors: list[int | bytes] = [*FOUR, payload, numbered(6)]
        verdict, reason = ("damaged", "bad-header") if garbage else ("intact", None)
        log.expect(verdict, reason, survivors=survivors, end=end)

    return recipe


HEADERS_INSIDE = [
    _header_inside(False, 300, False, b"garbage"),
    _header_inside(False, 10, True, b"garbage"),
    _header_inside(True, 300, True, b"garbage"),
    _header_inside(False, 300, True, b""),
]


# In the vectors below, a payload contains a batch, and a damaged batch follows (check 11).

_INNER = {"a_checked": INNER, "an_unchecked": INNER_UNCHECKED}
_DAMAGE = {
    "a_broken_magic": b"V",
    "a_zeroed_beginning": bytes(40),
}


def _batch_inside(inner: str, damage: str) -> Damaged:
    name = f"{inner}_batch_in_a_payload_before_{damage}"
    title = f"""The payload of an unchecked batch contains {inner.replace("_", " ")} batch, and the
    next batch has {damage.replace("_", " ")}. The payload is returned as it was written.
    """

    @RESYNC.combination(
        name, title, five_batches_without_checksums, "KDB-047", "KDB-048", kind=None
    )
    def recipe(log: KahaDBLog) -> None:
        payload = b"copy " + _INNER[inner] + EOF + b"tail"
        outer = whole_batch(payload, checked=False)
        seventh = bytearray(whole_batch(numbered(7), checked=False))
        at = 5 if damage == "a_broken_magic" else 0
        seventh[at : at + len(_DAMAGE[damage])] = _DAMAGE[damage]
        new = outer + seventh + SIXTH + EOF
        _from(log, 180, new)
        reason = "bad-header"
        end = 180 + len(outer) + 90
        log.expect("damaged", reason, survivors=[*FOUR, payload, numbered(6)], end=end)

    return recipe


BATCHES_INSIDE = [_batch_inside(inner, damage) for inner in _INNER for damage in _DAMAGE]


def _cut(size: int, rest: bytes) -> bytes:
    """Return an unchecked batch with one record of this size, cut after ``rest``."""
    return _control(size, 0) + _head(size) + rest


@RESYNC.damaged(five_batches_without_checksums, "KDB-047")
def cut_batch_that_ends_in_the_second_batch_after_it(log: KahaDBLog) -> None:
    """An unchecked batch is cut, and its size leads into the second of two batches. Both batches
    are returned."""
    _from(log, 180, _cut(5 + 3 + 45 + 20, b"cut") + SIXTH + SEVENTH + EOF)
    log.expect("damaged", "bad-size", survivors=[*FOUR, numbered(6), numbered(7)], end=306)


@END.damaged(five_batches_without_checksums, "KDB-047", "KDB-051")
def cut_batch_around_a_header_that_claims_remains(log: KahaDBLog) -> None:
    """An unchecked batch is cut, and its size leads into the next batch, after a header whose end
    is in the remains after the EOF record. `end` is null."""
    remains = b"x" * 15 + EOF + b"x" * 9
    payload = b"ends with " + _control(len(SIXTH + EOF) + 15, 0)
    holder = whole_batch(payload, checked=False)
    new = _cut(5 + 3 + len(holder) - 2, b"cut") + holder + SIXTH + EOF + remains
    _from(log, 180, new)
    log.expect("damaged", "bad-size", survivors=[*FOUR, payload, numbered(6)], end=None)


@RESYNC.damaged(five_batches_without_checksums, "KDB-047", "KDB-048")
def cut_batch_that_holds_a_batch_and_ends_in_the_next(log: KahaDBLog) -> None:
    """An unchecked batch is cut after a batch in its payload, and its size leads into the next
    batch. The payload is not returned."""
    inner = INNER + EOF
    _from(log, 180, _cut(5 + len(inner) + 3 + 20, inner + b"cut") + SIXTH + EOF)
    log.expect("damaged", "bad-size", survivors=[*FOUR, b"phantom", numbered(6)], end=306)
    log.note("A reader cannot tell the batch in the payload from a batch of the file (KDB-048).")


@END.damaged(five_batches_without_checksums, "KDB-047", "KDB-051")
def cut_batch_around_a_chain_that_ends_in_the_zeros(log: KahaDBLog) -> None:
    """An unchecked batch is cut, and its size leads into the next batch, after a header whose chain
    ends one byte after the first zero. `end` is null."""
    size = 5 + len(SIXTH) + 1
    payload = b"ends with " + _control(size, 0) + _head(size)
    holder = whole_batch(payload, checked=False)
    new = _cut(5 + 3 + len(holder) - 2, b"cut") + holder + SIXTH + SPACE
    _from(log, 180, new)
    log.expect("damaged", "bad-size", survivors=[*FOUR, payload, numbered(6)], end=None)


def _cut_before(before: int, between: int) -> Damaged:
    title = f"""Batch {before + 1} is unchecked and cut. Its size leads past {between} batches into
    the last batch, after a batch in the payload of the last batch.
    """
    name = f"batch_{before + 1}_cut_and_{between}_batches_before_its_end"

    @RESYNC.combination(name, title, five_batches_without_checksums, "KDB-047", kind=None)
    def recipe(log: KahaDBLog) -> None:
        at = 45 * before
        payload = b"copy " + INNER + EOF + b"a tail of twenty bytes"
        others = SIXTH * between
        claimed = 3 + len(others) + 33 + len(b"copy " + INNER + EOF) + 4
        last = whole_batch(payload)
        _from(log, at, _cut(5 + claimed, b"cut") + others + last + EOF)
        survivors: list[int | bytes] = [*range(before), *[numbered(6)] * between, payload]
        end = at + 36 + len(others) + len(last)
        log.expect("damaged", "bad-size", survivors=survivors, end=end)

    return recipe


CUTS = [_cut_before(before, between) for before in (0, 2, 3) for between in range(4)]


def _claim_in_an_earlier_payload(before: int) -> Damaged:
    title = f"""The payload of batch {before + 1} ends with a header that claims the rest of the
    file. The header does not make a later unchecked batch invalid.
    """

    @RESYNC.combination(
        f"header_in_payload_{before + 1}_that_claims_the_rest",
        title,
        five_batches_without_checksums,
        "KDB-047",
        "KDB-048",
        kind=None,
    )
    def recipe(log: KahaDBLog) -> None:
        payload = b"copy " + INNER_UNCHECKED + EOF + b"tail"
        outer = whole_batch(payload, checked=False)
        damaged = b"V".join(whole_batch(numbered(7), checked=False).split(b"W", 1))
        rest = outer + damaged + SIXTH
        claims = b"claims " + _control(len(rest), 0)
        _from(
            log,
            45 * before,
            whole_batch(claims, checked=False) + rest + EOF,
        )
        survivors: list[int | bytes] = [*range(before), claims, payload, numbered(6)]
        end = 45 * before + 33 + len(claims + rest)
        log.expect("damaged", "bad-header", survivors=survivors, end=end)

    return recipe


EARLIER_CLAIMS = [_claim_in_an_earlier_payload(before) for before in (2, 3)]


def _cut_into_the_end(past: int, follows: bytes, name: str, what: str) -> Damaged:
    title = f"""An unchecked batch is cut, and its size leads into the EOF record after the next
    batch. {what} the EOF record.
    """

    @RESYNC.combination(
        name, title, five_batches_without_checksums, "KDB-047", "KDB-013", kind=None
    )
    def recipe(log: KahaDBLog) -> None:
        _from(log, 180, _cut(5 + 3 + 45 + past, b"cut") + SIXTH + EOF + follows)
        log.expect("damaged", "bad-size", survivors=[*FOUR, numbered(6)], end=None)

    return recipe


CUTS_INTO_THE_END = [
    _cut_into_the_end(2, b"", "cut_batch_that_ends_in_the_last_eof_record", "The file ends with"),
    _cut_into_the_end(2, SPACE, "cut_batch_that_ends_in_an_eof_record_and_zeros", "Zeros follow"),
    _cut_into_the_end(4, b"", "cut_batch_that_ends_before_the_last_byte", "The file ends with"),
]


@RESYNC.damaged(five_batches_without_checksums, "KDB-047")
def cut_batch_that_ends_with_a_later_batch(log: KahaDBLog) -> None:
    """An unchecked batch is cut, and it claims to end where the next checked batch ends. The change
    is undetectable."""
    payload = b"cut" + SIXTH
    _from(log, 180, _cut(5 + len(payload), b"cut") + SIXTH + EOF)
    log.expect("intact", survivors=[*FOUR, payload], end=180 + 33 + len(payload))


@RESYNC.damaged(five_batches_without_checksums, "KDB-047", "KDB-013")
def cut_batch_that_ends_in_the_zeros(log: KahaDBLog) -> None:
    """An unchecked batch is cut, and it claims to end in the zeros after the next checked batch.
    The change is undetectable."""
    payload = b"cut" + SIXTH + EOF + bytes(9)
    new = _cut(5 + len(payload), b"cut") + SIXTH + EOF + SPACE
    _from(log, 180, new)
    log.expect("intact", survivors=[*FOUR, payload], end=180 + 33 + len(payload))


# In the vectors below, an unfinished write overwrites the end of the content (KDB-031, KDB-041).


def _torn_over_eof(count: int, follows: bytes) -> Damaged:
    name = f"header_torn_after_{count}_bytes_over_an_eof_record"
    title = f"""The first {count} bytes of a control record overwrite those of the EOF record.
    {"Zeros follow" if follows else "The file ends there"}, and the log is torn.
    """
    name += "_and_zeros" if follows else ""

    @TORN_TAIL.combination(name, title, five_batches, "KDB-041", "KDB-030", kind="eof")
    def recipe(log: KahaDBLog) -> None:
        _from(log, 225, HEADER[:count] + EOF[count:] + follows)
        log.expect("torn", "torn-header", survivors=ALL, end=225)

    return recipe


TORN_OVER_EOF = [
    _torn_over_eof(count, follows) for count in range(1, 5) for follows in (b"", SPACE)
]


def _not_torn_over_eof(new: bytes, name: str, title: str) -> Damaged:

    @TORN_TAIL.combination(name, title, five_batches, "KDB-041", "KDB-034", kind="eof")
    def recipe(log: KahaDBLog) -> None:
        _from(log, 225, new)
        log.expect("damaged", "bad-header", survivors=ALL, end=None)

    return recipe


NOT_TORN_OVER_EOF = [
    _not_torn_over_eof(
        HEADER[:2] + EOF[2:] + b"x",
        "header_torn_over_an_eof_record_before_garbage",
        "Two bytes of a control record, three of an EOF record and garbage end the file.",
    ),
    _not_torn_over_eof(
        HEADER[:2] + EOF[3:] + SPACE,
        "header_and_too_little_of_an_eof_record",
        "Two bytes of a control record precede two of an EOF record, and one byte is missing.",
    ),
    _not_torn_over_eof(
        HEADER[:5] + EOF[1:] + SPACE,
        "header_in_front_of_a_part_of_an_eof_record",
        "Five bytes of a control record precede four bytes of an EOF record, which they replace.",
    ),
]

_TORN_ENDS = {
    "a_header": (HEADER[:9] + SPACE, "torn-header", "nine bytes of a header"),
    "an_eof_record": (EOF[:2] + SPACE, "torn-eof", "two bytes of an EOF record"),
    "a_header_over_an_eof_record": (
        HEADER[:3] + EOF[3:] + SPACE,
        "torn-header",
        "a header that is torn over an EOF record",
    ),
}


def _before_a_torn_end(ending: str, is_damaged: bool) -> Damaged:
    new, reason, what = _TORN_ENDS[ending]

    kind = "a_damaged_batch" if is_damaged else "an_unchecked_batch"
    title = f"""{kind.replace("_", " ").capitalize()} precedes {what} and zeros. The end of the
    batch is in step.
    """

    @TORN_TAIL.combination(
        f"{kind}_before_{ending}_that_zeros_cut",
        title,
        five_batches,
        "KDB-031",
        "KDB-041",
        "KDB-043",
        kind="eof",
    )
    def recipe(log: KahaDBLog) -> None:
        if is_damaged:
            fifth = whole_batch(numbered(6))
            fifth = fifth[:-1] + bytes([fifth[-1] ^ 1])
            _from(log, 180, fifth + new)
            log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=225)
            return
        payload = b"copy " + INNER_UNCHECKED + EOF[:4]
        fifth = whole_batch(payload, checked=False)
        _from(log, 180, fifth + new)
        log.expect("torn", reason, survivors=[*FOUR, payload], end=180 + len(fifth))

    return recipe


BEFORE_A_TORN_END = [
    _before_a_torn_end(ending, is_damaged) for ending in _TORN_ENDS for is_damaged in (False, True)
]


# Unfinished batches (KDB-042).


def _zeros_up_to(end: int, verdict: str, reason: str, writer_end: int) -> Damaged:
    title = f"""The last batch ends at 225 according to its size. Its last nine bytes are missing,
    and zeros end the file at {end}.
    """

    @TORN_TAIL.combination(
        f"batch_to_225_with_zeros_from_216_to_{end}",
        title,
        five_batches,
        "KDB-042",
        "KDB-036",
        kind="eof",
    )
    def recipe(log: KahaDBLog) -> None:
        _from(log, 216, bytes(end - 216))
        log.expect(verdict, reason, survivors=FOUR, end=writer_end)

    return recipe


ZEROS = [
    _zeros_up_to(224, "torn", "torn-batch", 180),
    _zeros_up_to(225, "damaged", "checksum-mismatch", 225),
    _zeros_up_to(226, "torn", "torn-batch", 180),
    _zeros_up_to(230, "torn", "torn-batch", 180),
]


def _torn_around(inside: bytes, is_settled: bool, name: str, what: str) -> Damaged:
    title = f"""A batch claims to end in the zeros, and so does its only record. It contains {what},
    so `end` is {"known" if is_settled else "null"}.
    """

    @TORN_TAIL.combination(name, title, five_batches, "KDB-042", "KDB-051", kind="eof")
    def recipe(log: KahaDBLog) -> None:
        size = 5 + 7 + len(inside) + 30
        new = _control(size, 7) + _head(size) + b"payload" + inside + bytes(200)
        _from(log, 180, new)
        log.expect("torn", "torn-batch", survivors=FOUR, end=180 if is_settled else None)

    return recipe


TORN_AROUND = [
    _torn_around(
        SIXTH + SEVENTH + EOF, False, "torn_batch_around_two_batches", "two plausible batches"
    ),
    _torn_around(
        SIXTH + b"tail", True, "torn_batch_around_a_proven_batch", "a proven batch and garbage"
    ),
    _torn_around(
        _control(3, 0) + b"four",
        True,
        "torn_batch_around_a_header",
        "a header, but no plausible batch",
    ),
]


@TORN_TAIL.damaged(five_batches, "KDB-047", "KDB-045", kind="eof")
def chain_and_size_that_end_apart_in_the_zeros(log: KahaDBLog) -> None:
    """The last batch claims to end in the zeros, and its chain ends there earlier. The chain has no
    proof, so a reader continues at the batch inside."""
    new = _control(200, 7) + _head(100) + b"payload" + SIXTH + EOF + bytes(300)
    _from(log, 180, new)
    log.expect("damaged", "checksum-mismatch", survivors=[*FOUR, numbered(6)], end=None)


def _search_before_a_claimed_end(record_type: int, is_known: bool, name: str) -> Damaged:
    title = f"""A batch claims to end in the zeros at the end of the last payload, and its record of
    type {record_type} claims more than the file. `end` is {"known" if is_known else "null"}.
    """

    @END.combination(name, title, five_batches, "KDB-051", "KDB-047", kind="eof")
    def recipe(log: KahaDBLog) -> None:
        payload = b"zeros" + bytes(7)
        last = whole_batch(payload)
        new = _control(5 + len(last) - 3, 7) + _head(300, record_type) + last
        _from(log, 180, new)
        end = 180 + 33 + len(last) if is_known else None
        log.expect("damaged", "checksum-mismatch", survivors=[*FOUR, payload], end=end)

    return recipe


SEARCHES_BEFORE_A_CLAIMED_END = [
    _search_before_a_claimed_end(1, False, "batch_around_the_last_and_a_record_past_the_file"),
    _search_before_a_claimed_end(9, True, "batch_around_the_last_without_a_chain"),
]


# In the vectors below, batches follow an EOF record (KDB-039).


@END.damaged(five_batches, "KDB-039", "KDB-015")
def proven_batch_out_of_step_after_an_eof_record(log: KahaDBLog) -> None:
    """A checked batch and garbage follow the EOF record at a distance. The batch is proven but not
    plausible, so the file ends at the EOF record."""
    log.extend(b"x" * 20 + SIXTH + b"tail")
    log.expect("intact", survivors=ALL, end=225)


# In the vectors below, an unchecked batch has a wrong size (KDB-056).


def _wrong_size(size: int, reason: str, is_known: bool, name: str) -> Damaged:
    title = f"""The last batch is unchecked. Its size is {size}, but its two records are 34 bytes
    long and lead to an EOF record. No record is returned.
    """

    @RECORDS.combination(
        name, title, five_batches_without_checksums, "KDB-056", "KDB-037", kind=None
    )
    def recipe(log: KahaDBLog) -> None:
        records = record(numbered(6)) + record(numbered(7))
        _from(log, 180, _control(size, 0) + records + EOF)
        log.expect("damaged", reason, survivors=FOUR, end=242 if is_known else None)

    return recipe


WRONG_SIZES = [
    _wrong_size(33, "bad-record", False, "unchecked_size_one_less_than_its_records"),
    _wrong_size(300, "bad-size", False, "unchecked_size_past_the_file_and_whole_records"),
    _wrong_size(39, "bad-record", False, "unchecked_size_that_covers_the_eof_record"),
]


# Appends.


@APPENDING.appending(
    five_batches, "KDB-024", "KDB-051", kind="corrupt", control=append_to_five_batches
)
def append_where_a_record_leads_past_the_file(log: KahaDBLog) -> None:
    """28 bytes of garbage and the header of a long record precede the last batch. An append could
    end where this record ends, so a writer refuses."""
    new = b"x" * 28 + _head(100) + SIXTH + EOF
    _from(log, 180, new)
    log.append(b"n" * (100 - 5 - 45 - 33))
    log.expect_refusal("damaged", "bad-header", survivors=[*FOUR, numbered(6)])


@APPENDING.appending(
    five_batches, "KDB-023", "KDB-051", kind="corrupt", control=append_to_five_batches
)
def append_where_a_record_leads_into_the_last_batch(log: KahaDBLog) -> None:
    """28 bytes of garbage and the header of a short record precede the last batch. A writer appends
    to the file."""
    _from(log, 180, b"x" * 28 + _head(20) + SIXTH + EOF)
    log.append(b"delta")
    log.expect("damaged", "bad-header", survivors=[*FOUR, numbered(6), b"delta"])


@APPENDING.appending(five_batches, "KDB-023", "KDB-041", kind="eof", control=append_to_five_batches)
def append_over_a_header_torn_over_an_eof_record(log: KahaDBLog) -> None:
    """The first two bytes of a control record overwrite those of the EOF record. A writer replaces
    the torn control record."""
    _from(log, 225, HEADER[:2] + EOF[2:])
    log.append(b"delta")
    log.expect("intact", survivors=[*ALL, b"delta"])


@APPENDING.appending(five_batches, "KDB-024", "KDB-051", kind="eof", control=append_to_five_batches)
def append_where_a_torn_batch_holds_batches(log: KahaDBLog) -> None:
    """A batch claims to end in the zeros and contains a proven batch. An append could overwrite
    this batch, so a writer refuses."""
    size = 5 + len(SIXTH + EOF) + 30
    _from(log, 180, _control(size, 7) + _head(size) + SIXTH + EOF + bytes(200))
    log.append(b"delta")
    log.expect_refusal("torn", "torn-batch", survivors=FOUR)
