"""The grammar of ksy/: every byte has a field, and no input makes the parser throw."""

from __future__ import annotations

import random

from conformance.kaitai.compile import compiled
from conformance.kaitai.field_map import field_map, resolve
from reference_impl.kahadb_journal.layout import EOF_RECORD
from reference_impl.kahadb_journal.writer import batch, record

LOG = batch(record(b"alpha") + record(b"")) + batch(record(b"\x01\x03abc")) + EOF_RECORD + bytes(20)


def test_every_byte_has_a_field() -> None:
    fields = field_map(LOG, "kahadb-journal")
    leaves = [field for field in fields if field.value is not None]
    assert b"".join(LOG[field.start : field.end] for field in leaves) == LOG
    assert resolve(lambda: fields, "batches[1].control.len_records").value == 10
    assert resolve(lambda: fields, "batches[-1].records[0].payload").value == b"\x01\x03abc"
    assert resolve(lambda: fields, "tail.eof_record").value == EOF_RECORD


def test_no_input_makes_the_parser_throw() -> None:
    parser = compiled("kahadb_journal").KahadbJournal
    source = random.Random(4)
    for _ in range(500):
        log = bytearray(LOG)
        for _ in range(source.randint(0, 4)):
            log[source.randrange(len(log))] = source.choice([0, 1, 28, 127, 255])
        cut = bytes(log[: source.randint(0, len(log))])
        parser.from_bytes(cut)
        field_map(cut, "kahadb-journal")
    for length in range(70):
        parser.from_bytes(source.randbytes(length))


def test_the_command_is_named() -> None:
    parsed = compiled("kahadb_journal").KahadbJournal.from_bytes(LOG)
    assert parsed.batches[1].records[0].command.name == "kaha_add_message_command"
