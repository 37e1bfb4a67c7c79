"""The numbering, description and completeness of the enumerated damages."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.context import check
from tests.walproof.sweep.plans import control, small_plan
from walproof.sweep import fields, folders, plan, shares
from walproof.sweep.controls import Control
from walproof.sweep.enumeration import PAIR, Enumeration
from walproof.sweep.plan import Enumerations, Plan
from walproof.sweep.settings import PROFILES
from walproof.sweep.shard_runner import numbers_of

CONTROLS = [
    ("leveldb-log/three-records", 1),
    ("leveldb-log/two-blocks", 997),
    ("zeebe-journal/one-segment", 61),
    ("zeebe-journal/flushed-index-from-the-meta-file", 211),
    ("kahadb-journal/two-files", 31),
    ("kahadb-journal/five-batches", 31),
    ("systemd-journal/empty-value", 151),
    ("zmq-raft/three-entries", 17),
    ("zmq-raft/three-files", 101),
]


@pytest.mark.parametrize(("id", "step"), CONTROLS)
def test_description_of_a_damage_produces_its_bytes(id: str, step: int) -> None:
    damages = Enumeration(control(id), [control(id)], 1)
    count = 0
    for family in range(len(damages.families) + 1):
        for number in range(0, min(300 * step, damages.count(family)), step):
            if damages.make(family, number) is not None:
                damages.describe(family, number)  # asserts that the bytes are the same
                count += 1
    assert count > 50


def numbers(damages: Enumeration, operation: str) -> list[tuple[int, int]]:
    return [
        (family, number)
        for family in range(len(damages.families))
        if damages.operation(family) == operation
        for number in range(damages.count(family))
    ]


def logs(damages: Enumeration, operation: str) -> set[bytes]:
    damaged = [damages.make(family, number) for family, number in numbers(damages, operation)]
    return {log.contents for log in damaged if log and isinstance(log.contents, bytes)}


@pytest.fixture(scope="module")
def three() -> Control:
    return control("leveldb-log/three-records")


def test_every_prefix_is_enumerated(three: Control) -> None:
    assert isinstance(three.contents, bytes)
    damages = Enumeration(three, [], 1)
    assert logs(damages, "truncate") == {three.contents[:n] for n in range(len(three.contents))}


def flipped(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def test_every_structural_bit_is_flipped(three: Control) -> None:
    data = three.contents
    assert isinstance(data, bytes)
    headers = [at for start in (0, 12, 24) for at in range(start, start + 7)]
    field_map = fields.fields_of(data, "leveldb-log", "log")
    assert list(field_map.structural) == headers
    flips = logs(Enumeration(three, [], 1), "flip")
    assert {flipped(data, at, bit) for at in headers for bit in range(8)} <= flips
    assert len(flips) == 8 * len(headers) + len(data) - len(headers)


def test_every_sector_is_zeroed_and_swapped() -> None:
    two = control("leveldb-log/two-blocks")
    damages = Enumeration(two, [], 1)
    data = two.contents
    assert isinstance(data, bytes)
    different = 0
    for sector in (512, 4096):
        parts = [data[n * sector : (n + 1) * sector] for n in range(len(data) // sector)]
        different += sum(a != b for n, a in enumerate(parts) for b in parts[n + 1 :])
    # The enumeration leaves out swaps of equal sectors, which change nothing.
    assert len(numbers(damages, "swap-sectors")) == different
    descriptions = {damages.describe(*n).damage[0] for n in numbers(damages, "zero-sector")}
    assert (
        "zero sector 1 of 512 bytes" in descriptions
        and "zero sector 7 of 4096 bytes" in descriptions
    )


def test_resealed_damage_recomputes_the_checksum(three: Control) -> None:
    damages = Enumeration(three, [], 1)
    descriptions = [damages.describe(*n).damage for n in numbers(damages, "reseal")]
    assert (
        "set blocks[0].records[0].header.type to 6",
        "reseal blocks[0].records[0]",
    ) in descriptions


def test_pairs_depend_on_the_seed(three: Control) -> None:
    first, second = (Enumeration(three, [], seed) for seed in (1, 2))
    again = Enumeration(three, [], 1)
    family = len(first.families)
    assert first.operation(family) == PAIR
    logs_of_first = [first.make(family, number) for number in range(500)]
    assert logs_of_first == [again.make(family, number) for number in range(500)]
    assert logs_of_first != [second.make(family, number) for number in range(500)]
    assert sum(log is not None for log in logs_of_first) > 490


def test_shards_hold_every_case_once() -> None:
    new_plan, damages = small_plan(cases=3000)
    all_cases = cases_of(new_plan, damages)
    assert len(all_cases) == len(set(all_cases)) == 3000


def cases_of(new_plan: Plan, damages: Enumerations) -> list[tuple[int, ...]]:
    return [
        (run.control, run.setting, *case)
        for shard in new_plan.shards
        for run in shard
        for case in numbers_of(run, damages[run.control])
    ]


def test_plan_respects_the_case_limit_and_the_shares() -> None:
    new_plan, damages = small_plan(
        controls=("zeebe-journal/two-segments",), cases=4000, contexts=True, profiles=PROFILES
    )
    covered = new_plan.coverage
    assert (
        sum(group.planned for group in covered.values()) == len(cases_of(new_plan, damages)) == 4000
    )
    assert set(covered) == set(shares.WEIGHTS)
    for group, weight in shares.WEIGHTS.items():
        assert covered[group].planned >= min(covered[group].possible, 4000 * weight // 100)
    settings = new_plan.controls[0].settings
    assert {settings[run.setting].profile for shard in new_plan.shards for run in shard} == {
        *PROFILES
    }


@pytest.mark.parametrize("count", [1, 2, 7, 8, 1000, 4096, 65_537])
def test_spread_visits_each_number_once(count: int) -> None:
    order = [shares.spread(n, count, 7919) for n in range(count)]
    assert sorted(order) == list(range(count))
    if count >= 1000:  # the first tenth covers each tenth of all numbers, and each bit of a byte
        first = order[: count // 10]
        assert {10 * n // count for n in first} == set(range(10))
        assert {n % 8 for n in first} == set(range(8))


@given(
    st.integers(0, 10_000),
    st.lists(st.tuples(st.integers(0, 3000), st.floats(0.1, 50)), min_size=1, max_size=12),
)
def test_divide_uses_the_whole_total(total: int, parts: list[tuple[int, float]]) -> None:
    limits, weights = [m for m, _ in parts], [w for _, w in parts]
    divided = shares.divide(total, limits, weights)
    assert sum(divided) == min(total, sum(limits))
    assert all(0 <= n <= limit for n, limit in zip(divided, limits, strict=True))
    short = [n for n in range(len(parts)) if divided[n] < limits[n]]
    for n in short:  # a part below its limit has at least its share
        assert divided[n] >= int(total * weights[n] / sum(weights)) - len(parts)


def test_folder_operations_of_a_log_of_two_files() -> None:
    damages = Enumeration(control("kahadb-journal/two-files"), [], 1)
    operations = {damages.operation(n) for n in range(len(damages.families))}
    # the same as removing the other file
    assert set(folders.OPERATIONS) - operations == {"keep-file"}
    names = {name for files in damaged_folders(damages, "rename-file") for name in files}
    assert {"db-01.log", "db-3.log", "db--1.log", "db-1.log.bak", "sub/db-1.log"} <= names
    extra = [
        set(files) - {"db-1.log", "db-2.log"} for files in damaged_folders(damages, "add-file")
    ]
    assert all(len(added) == 1 for added in extra) and {"db-3.log"} in extra
    (swapped,) = damaged_folders(damages, "swap-files")
    files = damages.control.files
    assert swapped == {"db-1.log": files["db-2.log"], "db-2.log": files["db-1.log"]}


def damaged_folders(damages: Enumeration, operation: str) -> list[Mapping[str, bytes]]:
    damaged = [damages.make(family, number) for family, number in numbers(damages, operation)]
    return [log.contents for log in damaged if log and not isinstance(log.contents, bytes)]


def test_contexts_vary_the_keys_of_the_register() -> None:
    new_plan, _ = small_plan(controls=("zeebe-journal/two-segments",), contexts=True)
    (chosen,) = new_plan.controls
    values = {setting.context.get("last_flushed_index", "-") for setting in chosen.settings}
    assert {"-", None, "meta", "0", "9223372036854775807"} <= values
    reading = [setting for setting in chosen.settings if not setting.writes]
    varied = {key for setting in reading for key in setting.varied}
    assert varied == {"last_flushed_index", "name"}
    writing = [setting for setting in chosen.settings if setting.writes]
    sizes = {setting.context.get("max_segment_size") for setting in writing}
    assert {None, 270, 269, 271} <= sizes  # values next to the size in the vectors
    for setting in chosen.settings:
        check("zeebe-journal", setting.context)


def test_control_with_selected_records_is_no_older_generation() -> None:
    """The bytes of such a control hold more records than its answer."""
    selection = control("systemd-journal/seek-by-time-that-goes-back")
    assert selection.context and len(selection.records) == 3
    complete = [control(f"systemd-journal/{name}") for name in ("five-entries", "empty-value")]
    assert plan.older([complete[0], selection, complete[1]], 0) == []
    assert plan.older([complete[0], complete[1], selection], 1) == [complete[0]]
    assert plan.older([complete[0], selection, complete[1]], 1) == complete
