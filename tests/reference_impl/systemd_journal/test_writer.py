"""Written entries are read back."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.recipes.systemd_journal.log import BOOT, KEY, SEALED_START, SMALL, START
from reference_impl.answer import NewRecord
from reference_impl.systemd_journal import appending
from reference_impl.systemd_journal.builder import CannotWrite, Options, Writer
from reference_impl.systemd_journal.export_format import entry_body
from tests.reference_impl.systemd_journal.journal_files import answer, hello, journal_bytes

pytestmark = pytest.mark.slow

NAMES = st.from_regex(r"[A-Z_][A-Z0-9_]{0,9}", fullmatch=True).filter(lambda n: n != "_BOOT_ID")
FIELDS = st.builds(lambda name, value: name.encode() + b"=" + value, NAMES, st.binary(max_size=700))
ENTRIES = st.lists(st.lists(FIELDS, min_size=1, max_size=4), max_size=12)
OPTIONS = st.fixed_dictionaries(
    {
        "compact": st.booleans(),
        "keyed": st.booleans(),
        "compression": st.sampled_from(["none", "xz", "lz4", "zstd"]),
        "header_size": st.sampled_from([208, 224, 240, 256, 264, 272, 280]),
        "data_buckets": st.sampled_from([1, 3, 64]),
    }
)


@given(ENTRIES, OPTIONS)
@settings(max_examples=30, deadline=None)
def test_written_records_are_read_back(entries: list[list[bytes]], options: dict[str, Any]) -> None:
    actual = answer(journal_bytes(*entries, **options))
    assert actual.verdict == "intact"
    assert [record.payload for record in actual.records] == [entry_body(e) for e in entries]
    assert [record.fields["seqnum"] for record in actual.records] == [
        str(n + 1) for n in range(len(entries))
    ]


@given(ENTRIES, ENTRIES, OPTIONS)
@settings(max_examples=30, deadline=None)
def test_appending_and_writing_make_the_same_file(
    old: list[list[bytes]], new: list[list[bytes]], options: dict[str, Any]
) -> None:
    writer = appending.reopen(journal_bytes(*old, **options), {})
    for number, payloads in enumerate(new, len(old)):
        boot_fields = [b"_BOOT_ID=" + BOOT.encode(), *payloads]
        writer.append(boot_fields, START + number * 1_000_000, number + 1, bytes.fromhex(BOOT))
    assert writer.finish() == journal_bytes(*old, *new, **options)


def test_the_space_after_the_last_object_stays_in_the_arena() -> None:
    data = journal_bytes(*hello(4), spare=4096)
    writer = appending.reopen(data, {})
    fields = {"boot_id": BOOT, "realtime": str(START + 60_000_000), "monotonic": "99"}
    writer.write(NewRecord(b"MESSAGE=more\n", fields))
    writer.finish()
    assert writer.header.header_size + writer.header.arena_size == len(data) > len(writer.out)


def test_a_sealed_file_is_continued_under_its_key() -> None:
    data = journal_bytes(*hello(4), first=SEALED_START, step=6_000_000, key=KEY, continuous=True)
    writer = appending.reopen(data, {"key": KEY})
    body = b"MESSAGE=more\n"
    fields = {"boot_id": BOOT, "realtime": str(SEALED_START + 60_000_000), "monotonic": "99"}
    writer.write(NewRecord(body, fields))
    actual = answer(writer.finish(), key=KEY)
    assert (actual.verdict, len(actual.records)) == ("intact", 5)


@pytest.mark.parametrize("options", [{"state": 1}, {"state": 2}])
def test_files_that_must_not_be_appended_to(options: dict[str, Any]) -> None:
    with pytest.raises(CannotWrite):
        appending.reopen(journal_bytes(*hello(3), **options), {})


@pytest.mark.parametrize(
    "payload", [b"no equals sign", b"lower=1", b"1ST=x", b"=x", b"A" * 65 + b"=x"]
)
def test_invalid_fields_are_refused(payload: bytes) -> None:
    with pytest.raises(CannotWrite):
        journal_bytes([payload])


def test_options_have_the_registers_defaults() -> None:
    writer = Writer(Options())
    assert writer.header.field_hash_table_size == 333 * 16
    assert writer.header.data_hash_table_size == 2047 * 16
    assert SMALL["header_size"] == 264
