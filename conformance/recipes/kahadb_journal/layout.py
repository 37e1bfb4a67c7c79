"""Undamaged data files."""

from conformance.recipes.kahadb_journal.log import LAYOUT, KahaDBLog, numbered, whole_batch


@LAYOUT.valid("KDB-001", "KDB-012")
def empty_file(log: KahaDBLog) -> None:
    """An empty file is a journal without records."""
    log.expect("intact", end=0)


@LAYOUT.valid("KDB-005", "KDB-006", "KDB-007", "KDB-009", "KDB-011")
def hello(log: KahaDBLog) -> None:
    """One record in a checked batch, in a file of 43 bytes."""
    log.batch(b"hello")
    log.eof()
    log.expect_bytes(
        bytes.fromhex(
            "0000001c02575249544520424154434800000 00a00000000067d02200000000a0168656c6c6f"
            "2d714d6134".replace(" ", "")
        )
    )
    log.expect("intact", survivors=[0], end=38)


@LAYOUT.valid("KDB-008")
def hello_without_checksum(log: KahaDBLog) -> None:
    """One record in an unchecked batch, in a file of 43 bytes."""
    log.batch(b"hello", checked=False)
    log.eof()
    log.expect("intact", survivors=[0], end=38)


@LAYOUT.valid("KDB-009", "KDB-006")
def empty_payload(log: KahaDBLog) -> None:
    """A record with an empty payload has the size 5, and a reader must return it."""
    log.batch(b"")
    log.eof()
    log.expect_bytes(
        bytes.fromhex(
            "0000001c02575249544520424154434800000005000000000010000700000005012d714d6134"
        )
    )
    log.expect("intact", survivors=[0], end=33)


@LAYOUT.valid("KDB-006", "KDB-007", "KDB-030")
def batch_of_five_records(log: KahaDBLog) -> None:
    """Five records in one batch, with one control record and one checksum."""
    log.batch(b"m0", b"m1", b"m2", b"m3", b"last")
    log.eof()
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=65)


@LAYOUT.valid("KDB-001", "KDB-030", "KDB-031", "KDB-050", "KDB-051")
def five_batches(log: KahaDBLog) -> None:
    """Five batches of one record each, at the offsets 0, 45, 90, 135 and 180."""
    for number in range(1, 6):
        log.batch(numbered(number))
    log.eof()
    log.expect("intact", survivors=range(5), end=225)


@LAYOUT.valid("KDB-008", "KDB-030")
def five_batches_without_checksums(log: KahaDBLog) -> None:
    """Five unchecked batches of one record each."""
    for number in range(1, 6):
        log.batch(numbered(number), checked=False)
    log.eof()
    log.expect("intact", survivors=range(5), end=225)


@LAYOUT.valid("KDB-006", "KDB-009")
def batches_of_several_records(log: KahaDBLog) -> None:
    """Batches of two records, three records and one record, as written by concurrent producers."""
    log.batch(b"alpha", b"bravo")
    log.batch(b"charlie", b"", b"delta")
    log.batch(b"echo")
    log.eof()
    log.expect("intact", survivors=range(6))


@LAYOUT.valid("KDB-008", "KDB-009")
def several_records_without_checksums(log: KahaDBLog) -> None:
    """Two unchecked batches, of three and two records."""
    log.batch(b"alpha", b"bravo", b"charlie", checked=False)
    log.batch(b"delta", b"echo", checked=False)
    log.eof()
    log.expect("intact", survivors=range(5))


@LAYOUT.valid("KDB-008")
def checksums_switched_on_later(log: KahaDBLog) -> None:
    """Two unchecked batches, one checked batch and one unchecked batch, as when checksums are
    switched on and off."""
    log.batch(numbered(1), checked=False)
    log.batch(numbered(2), checked=False)
    log.batch(numbered(3))
    log.batch(numbered(4), checked=False)
    log.eof()
    log.expect("intact", survivors=range(4))


@LAYOUT.valid("KDB-032", "KDB-048")
def payload_that_holds_a_batch(log: KahaDBLog) -> None:
    """A payload contains a complete batch, as when a journal is sent as a message."""
    log.batch(numbered(1))
    log.batch(b"copy: " + whole_batch(b"phantom") + b"tail")
    log.batch(numbered(3))
    log.eof()
    log.expect("intact", survivors=range(3))


@LAYOUT.valid("KDB-032", "KDB-048")
def payload_that_ends_with_a_batch(log: KahaDBLog) -> None:
    """A payload ends with a complete batch, so both batches end at the same offset."""
    log.batch(numbered(1))
    log.batch(b"copy: " + whole_batch(b"phantom"))
    log.batch(numbered(3))
    log.eof()
    log.expect("intact", survivors=range(3))


@LAYOUT.valid("KDB-008", "KDB-048")
def payload_that_holds_a_batch_without_checksums(log: KahaDBLog) -> None:
    """The payload of an unchecked batch contains a complete unchecked batch."""
    log.batch(numbered(1), checked=False)
    log.batch(b"copy: " + whole_batch(b"phantom", checked=False) + b"tail", checked=False)
    log.batch(numbered(3), checked=False)
    log.eof()
    log.expect("intact", survivors=range(3))


@LAYOUT.valid("KDB-032", "KDB-048")
def payload_that_holds_a_header(log: KahaDBLog) -> None:
    """A payload contains the sixteen bytes of a header, but no batch."""
    log.batch(numbered(1))
    log.batch(b"look: \0\0\0\x1c\x02WRITE BATCH and no more")
    log.batch(numbered(3))
    log.eof()
    log.expect("intact", survivors=range(3))


@LAYOUT.valid("KDB-011", "KDB-032")
def payload_that_holds_an_eof_record(log: KahaDBLog) -> None:
    """Payloads that begin with, consist of or end with an EOF record, and a payload of five
    zeros."""
    log.batch(b"-qMa4 and more", b"-qMa4")
    log.batch(b"up to -qMa4", bytes(5))
    log.batch(b"-qMa4")
    log.eof()
    log.expect("intact", survivors=range(5))


@LAYOUT.valid("KDB-016")
def commands_of_a_broker(log: KahaDBLog) -> None:
    """Four payloads that are commands of a broker, and three payloads that are not commands."""
    log.batch(b"\x01\x05hello", b"\x02\x03ack")
    log.batch(b"\x00\x07\x0a\x05trace", b"\x10\x80\x01" + b"r" * 128)
    log.batch(b"\x11\x00", b"\x01\x09short", b"plain")
    log.eof()
    log.expect("intact", survivors=range(7))
    log.note("The last three are not commands: an unknown number, an incorrect length, and text.")


@LAYOUT.valid("KDB-016")
def lengths_of_commands(log: KahaDBLog) -> None:
    """Payloads whose command length is valid, longer than five bytes, missing, incomplete or
    incorrect."""
    log.batch(b"\x04\x83\x80\x80\x80\x00abc", b"\x04\x83\x80\x80\x80\x80\x00abc")
    log.batch(b"\x04\x00", b"\x04", b"\x04\x80", b"\x04\x02a", b"\x04\x01ab", b"\xff\x00")
    log.eof()
    log.expect("intact", survivors=range(8))
    log.note("Only the first and the third payload are commands.")
