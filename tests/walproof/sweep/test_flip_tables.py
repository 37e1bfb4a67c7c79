"""What the chapters say that one bit can do is what a search finds: a part is searched again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from conformance import undetected_flips
from conformance.vectors import Vector, load_all
from reference_impl.register import registers
from walproof.sweep.flips import (
    FlippedLog,
    FlipSearch,
    FlipTask,
    choose_logs,
    flip_fingerprint,
    run_flips,
)

FORMATS = [format for format in registers() if undetected_flips.load(format) is not None]

WHOLE = 600
"""Flips in all of the logs that are searched again as they were; the smallest ones."""

FEW = 6
"""Flips of each other log."""

MOST = 60
"""Flips of one field in one log that are done again, at most twice as many."""

AGAIN = "run walproof sweep --flips --save --format"


@cache
def vectors() -> Mapping[str, Vector]:
    return load_all()


@cache
def logs(format: str) -> list[FlippedLog]:
    """The logs of the search, those of vectors that came later too, smallest first."""
    found = undetected_flips.load(format)
    assert found is not None
    return choose_logs(vectors(), format, [], found.at_most)


def searched(format: str) -> undetected_flips.Searched:
    found = undetected_flips.load(format)
    assert found is not None
    return found


def test_every_format_was_searched() -> None:
    assert list(registers()) == FORMATS


@pytest.mark.parametrize("format", FORMATS)
def test_the_search_was_of_the_vectors_as_they_are(format: str) -> None:
    now = {log.id: flip_fingerprint(log) for log in logs(format)}
    for log in searched(format).logs.values():
        assert now.get(log.id) == log.fingerprint, f"{log.id} changed: {AGAIN} {format}"


@pytest.mark.parametrize("format", FORMATS)
def test_small_logs_searched_again_give_the_same_counts(format: str) -> None:
    known, left, counted = searched(format).logs, WHOLE, 0
    for log in logs(format):
        if log.id not in known or log.count > left:
            continue
        left -= log.count
        (stretch,) = run_flips([log], [FlipTask(0, 0, log.count)])
        found = Counter((one.field, one.effect) for one in stretch.undetected)
        assert found == known[log.id].unseen, f"{log.id}: {AGAIN} {format}"
        counted += 1
    assert counted


@pytest.mark.parametrize("format", FORMATS)
def test_a_few_flips_of_each_log_do_nothing_that_the_table_has_not(format: str) -> None:
    """A vector that is not in the search yet may do nothing that no other does."""
    known, all_of_them = searched(format).logs, set(searched(format).unseen)
    mine = logs(format)
    todo = [FlipTask(n, 0, log.count, max(1, log.count // FEW)) for n, log in enumerate(mine)]
    for stretch in run_flips(mine, todo):
        mine_alone = set(known[stretch.log].unseen) if stretch.log in known else all_of_them
        for one in stretch.undetected:
            said = f"{stretch.log}: {one.flip} of {one.path}: {one.effect}: {AGAIN} {format}"
            assert (one.field, one.effect) in mine_alone, said


@pytest.mark.parametrize("format", FORMATS)
def test_each_row_of_the_table_is_found_again(format: str, tmp_path: Path) -> None:
    """Each field and effect, in the smallest log that has it: as many flips as the search counted,
    or some where they are many."""
    by_id = {log.id: log for log in logs(format)}
    left = set(searched(format).unseen)
    for known in sorted(searched(format).logs.values(), key=lambda one: one.bits):
        fields = {field for field, effect in left & set(known.unseen)}
        if not fields:
            continue
        log = by_id[known.id]
        scratch = tmp_path / known.fingerprint
        scratch.mkdir()
        with FlipSearch(log, scratch) as search:
            for field in fields:
                numbers = [n for n in range(log.count) if log.field(log.flip(n)) == field]
                some = numbers[:: max(1, len(numbers) // MOST)]
                found = Counter(one.effect for one in search.run(some).undetected)
                owed = {effect: n for (name, effect), n in known.unseen.items() if name == field}
                said = f"{known.id}: {field}: {AGAIN} {format}"
                if some == numbers:
                    assert found == owed, said
                    left -= {(field, effect) for effect in owed}
                else:
                    assert found.keys() <= owed.keys() and found, said
                    left -= {(field, effect) for effect in found}
    assert left == set()
