"""The hunt itself: who must die, who must live, and that the original stays what it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lab.mutants import hunt
from lab.mutants.questions import WrongOriginal, ask, reached
from lab.mutants.reviewed import load_reviewed
from reference_impl import formats

CHECKSUM = "masked_crc(view[pos + 6:data_end]) != checksum"


def test_the_canary_dies(mutant, fates) -> None:
    """A reader that takes every wrong checksum for a right one."""
    (fate,) = fates(mutant("reader.Scan._block", CHECKSUM, "False"))
    assert not fate.lives
    assert fate.killer is not None and fate.killer.startswith("leveldb-log/")


def test_a_harmless_mutant_lives(mutant, fates) -> None:
    """The last two events instead of the last one: the very last is taken of both."""
    (fate,) = fates(mutant("writer.append_stream", "1", "2"))
    assert fate.lives and fate.killer is None
    assert fate.asked > 5, "it was asked what gets there"


def test_the_original_lives_through_it(asked, tmp_path) -> None:
    for question in asked.questions[::20]:
        assert ask(question, formats.named(question.format_id), tmp_path) is None, question.id


def test_a_vector_of_another_format_kills_a_mutant_of_a_shared_module(mutant, fates) -> None:
    (fate,) = fates(mutant("dialects", "131", "132"))
    assert fate.killer is not None and fate.killer.startswith("rocksdb-wal/")


def test_a_reader_that_never_ends_dies(mutant, fates, monkeypatch) -> None:
    monkeypatch.setattr(hunt, "QUESTION_SECONDS", 0.3)
    endless = mutant(
        "reader._has_record", "pos += HEADER_SIZE + HEADER.unpack_from(block, pos)[1]", "nothing"
    )
    (fate,) = fates(endless)
    assert fate.how == "time-out"
    assert fate.killer is not None


def test_a_module_that_cannot_be_imported_is_dead(mutant, fates) -> None:
    (fate,) = fates(mutant("layout", "'<IHB'", "'<IHH'"))
    assert not fate.lives


def test_the_same_ones_die_if_the_first_kill_is_enough(all_of_leveldb, mutant, fates) -> None:
    some = [*all_of_leveldb[7:500:90], mutant("writer.append_stream", "1", "2")]
    first, all_kills = fates(*some, first_kill=True), fates(*some)
    assert [fate.mutant for fate in first] == [fate.mutant for fate in all_kills] == some
    assert [fate.lives for fate in first] == [fate.lives for fate in all_kills]
    assert {fate.lives for fate in first} == {True, False}


def test_a_mutant_that_no_vector_gets_to_is_asked_nothing(mutant, fates) -> None:
    """More of a block after a short read: files give all that they have at once."""
    (fate,) = fates(mutant("layout.read_block", "block += more", "block -= more"))
    assert fate.lives and fate.asked == 0


def test_those_who_do_not_get_to_a_change_cannot_tell(all_of_leveldb, asked, fates) -> None:
    """Survivors live through all questions, not only through those that run the changed line."""
    listed = load_reviewed("leveldb-log").equivalent
    some = [each for each in all_of_leveldb if each.name in listed][:2]
    assert len(some) == 2
    result = fates(*(replace(each, at_import=True) for each in some))
    assert {(fate.lives, fate.asked) for fate in result} == {(True, len(asked.questions))}


def test_this_process_keeps_the_original(mutant, fates) -> None:
    fates(mutant("layout", "32768", "32769"))
    assert formats.named("leveldb-log").read.__globals__["BLOCK_SIZE"] == 32768


def test_an_original_that_is_wrong_is_an_error(asked, tmp_path) -> None:
    others = [replace(each, format_id="kahadb-journal") for each in asked.questions[:10]]
    with pytest.raises(WrongOriginal, match="leveldb-log/"):
        reached(others, frozenset(), tmp_path)


def test_what_is_asked_reaches_the_lines_that_run(asked) -> None:
    """A line of the writer is run by those who write, not by those who read."""
    writing = {
        asked.questions[number].id
        for (file, _), numbers in asked.reached.by_line.items()
        if file.endswith("writer.py")
        for number in numbers
    }
    assert writing
    assert all(id.endswith((", write", ", append")) for id in writing)
