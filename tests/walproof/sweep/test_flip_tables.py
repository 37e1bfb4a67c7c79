"""Repeating part of the search for undetected flips gives results that the tables contain."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from conformance import undetected_flips
from conformance.undetected_flips import hits_in
from conformance.vectors import Vector, load_all
from reference_impl.register import registers
from walproof.sweep.flips import FlippedLog, choose_logs, run_flips, search
from walproof.sweep.properties import Reference

FORMATS = [format for format in registers() if undetected_flips.load(format) is not None]

#: The number of flips to sample in each log.
FLIPS_PER_LOG = 2

#: The approximate number of flips to repeat per field and log. Up to twice as many may run.
FLIPS_PER_FIELD = 60

#: All tests of a format run in one process, because they share the cached logs.
BY_FORMAT = pytest.mark.parametrize(
    "format",
    [pytest.param(id, marks=pytest.mark.xdist_group(f"flips of {id}")) for id in FORMATS],
)

COMMAND = "run walproof sweep --flips --save --format"


@cache
def vectors() -> Mapping[str, Vector]:
    return load_all()


@cache
def logs(format: str) -> list[FlippedLog]:
    """Return the logs of the search, and logs of newer vectors, smallest first."""
    return choose_logs(vectors(), format, [], load_table(format)["at_most"])


def load_table(format: str) -> undetected_flips.Searched:
    table = undetected_flips.load(format)
    assert table is not None
    return table


def test_every_format_has_a_flip_table() -> None:
    assert list(registers()) == FORMATS


@BY_FORMAT
def test_flip_tables_match_the_current_vectors(format: str) -> None:
    now = {log.control.id: log.fingerprint for log in logs(format)}
    for id, log in load_table(format)["logs"].items():
        assert now.get(id) == log["fingerprint"], f"{id} changed: {COMMAND} {format}"


@BY_FORMAT
def test_sampled_flips_have_only_effects_in_the_table(format: str) -> None:
    """Sampled flips have only effects in the table. A log not in it may show any of these."""
    logs_of_table = load_table(format)["logs"]
    all_hits = set(hits_in(logs_of_table.values()))
    current_logs = logs(format)
    todo = [
        (n, range(0, log.count, max(1, log.count // FLIPS_PER_LOG)))
        for n, log in enumerate(current_logs)
    ]
    for stretch in run_flips(current_logs, todo):
        table = logs_of_table.get(stretch.log)
        expected = all_hits if table is None else hits_in([table])
        for flip in stretch.undetected:
            message = f"{stretch.log}: {flip}: {COMMAND} {format}"
            assert (flip.field, flip.effect) in expected, message


@BY_FORMAT
def test_each_table_row_is_reproducible(format: str, tmp_path: Path) -> None:
    """Repeat the flips of each field and effect, or a sample, in the smallest log that has it."""
    by_id = {log.control.id: log for log in logs(format)}
    reference = Reference(format, tmp_path)
    table = load_table(format)["logs"]
    remaining = set(hits_in(table.values()))
    for id in sorted(table, key=lambda id: table[id]["bits"]):
        fields = {field for field, effect in remaining & set(hits_in([table[id]]))}
        if not fields:
            continue
        log = by_id[id]
        numbers: defaultdict[str, list[int]] = defaultdict(list)
        for number in range(log.count):
            numbers[log.field(*log.flip(number)[:2])].append(number)
        for field in fields:
            expected = table[id]["unseen"][field]
            step = max(1, len(numbers[field]) // FLIPS_PER_FIELD)
            # A sample might miss an effect of only a few flips.
            sample = numbers[field][:: step if sum(expected.values()) >= step else 1]
            counts = Counter(flip.effect for flip in search(log, sample, reference).undetected)
            message = f"{id}: {field}: {COMMAND} {format}"
            if sample == numbers[field]:
                assert counts == expected, message
            else:
                assert counts.keys() <= expected.keys() and counts, message
            remaining -= {(field, effect) for effect in counts}
    assert remaining == set()
