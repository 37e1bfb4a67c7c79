"""Enumerated damage is numbered, described and complete."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.damage.operations import apply_edits
from conformance.damage.text import parse, render
from reference_impl.context import check
from tests.walproof.sweep.plans import control, small_plan
from walproof.sweep import fields, plan
from walproof.sweep.controls import Control
from walproof.sweep.enumeration import ON_FILES, DamagedControl, Enumeration, LogDamage
from walproof.sweep.plan import DamageCase, SweepPlan
from walproof.sweep.settings import PROFILES

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
def test_operations_edits_and_text_give_the_same_log(id: str, step: int) -> None:
    """Apply operations as objects, as mere edits, and after a round trip through text."""
    chosen = control(id)
    damages = Enumeration(chosen, [chosen], 1)
    count = 0
    for family in damages.families[: damages.pair + 1]:
        for number in range(0, min(300 * step, len(family.changes)), step):
            change = family.changes[number]
            if change is None:
                continue
            log, again = DamagedControl(chosen), DamagedControl(chosen)
            files = {name: bytearray(data) for name, data in chosen.files.items()}
            for operation in change.operations:
                apply_edits(files, log.apply(json.loads(json.dumps(operation))))
                is_text = not any(" " in operation.get(name, "") for name in ("file", "name"))
                again.apply(parse(render(operation)) if is_text else operation)
            assert log.contents == again.contents == damages.contents(change), change
            assert log.files == files, change
            count += 1
    assert count > 50


def changes(damages: Enumeration, family: str) -> list[LogDamage]:
    return [
        change
        for each in damages.families[: damages.pair]
        if each.name == family
        for change in (each.changes[number] for number in range(len(each.changes)))
    ]


def logs(damages: Enumeration, family: str) -> set[bytes]:
    damaged = [damages.contents(change) for change in changes(damages, family)]
    return {contents for contents in damaged if isinstance(contents, bytes)}


@pytest.fixture(scope="module")
def three() -> Control:
    return control("leveldb-log/three-records")


def test_every_prefix_is_enumerated(three: Control) -> None:
    assert isinstance(three.contents, bytes)
    damages = Enumeration(three, [], 1)
    assert logs(damages, "truncate") == {three.contents[:n] for n in range(len(three.contents))}


def flipped(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def test_every_bit_is_flipped(three: Control) -> None:
    data = three.contents
    assert isinstance(data, bytes)
    headers = [at for start in (0, 12, 24) for at in range(start, start + 7)]
    field_map = fields.fields_of(data, "leveldb-log", "log")
    assert list(field_map.structural) == headers
    flips = logs(Enumeration(three, [], 1), "flip")
    assert {flipped(data, at, bit) for at in headers for bit in range(8)} <= flips
    assert len(flips) == 8 * len(data)


def test_every_sector_is_zeroed_and_swapped() -> None:
    two = control("leveldb-log/two-blocks")
    assert isinstance(two.contents, bytes)
    damages = Enumeration(two, [], 1)
    counts = [len(two.contents) // sector for sector in (512, 4096)]
    assert len(changes(damages, "swap-sectors")) == sum(n * (n - 1) // 2 for n in counts)
    texts = {render(change.operations[0]) for change in changes(damages, "zero-sector")}
    assert {"zero sector 1 of 512 bytes", "zero sector 7 of 4096 bytes"} <= texts


def test_resealed_damage_recomputes_the_checksum(three: Control) -> None:
    damages = Enumeration(three, [], 1)
    texts = [tuple(map(render, change.operations)) for change in changes(damages, "reseal")]
    assert (
        "set blocks[0].records[0].header.type to 6",
        "reseal blocks[0].records[0]",
    ) in texts


def test_pairs_depend_on_the_seed(three: Control) -> None:
    pairs = []
    for seed in (1, 1, 2):
        damages = Enumeration(three, [], seed)
        family = damages.families[damages.pair]
        pairs.append([family.changes[number] for number in range(500)])
    assert pairs[0] == pairs[1] != pairs[2]
    assert sum(pair is not None for pair in pairs[0]) > 490


def cases_of(new_plan: SweepPlan) -> list[DamageCase]:
    return [
        case
        for shard in new_plan.shards
        for cases in shard
        for case in new_plan.cases(cases)
        if case is not None
    ]


def test_shards_hold_every_case_once() -> None:
    all_cases = [
        (cases.control, cases.setting, cases.family, position)
        for shard in small_plan(cases=3000).shards
        for cases in shard
        for position in range(cases.start, cases.stop)
    ]
    assert len(all_cases) == len(set(all_cases)) == 3000


def test_plan_respects_the_case_limit_and_the_shares() -> None:
    new_plan = small_plan(
        controls=("zeebe-journal/two-segments",), cases=4000, contexts=True, profiles=PROFILES
    )
    covered = new_plan.coverage
    assert sum(group.planned for group in covered.values()) == 4000
    assert 3900 < len(cases_of(new_plan)) <= 4000
    # Only generated logs have torn writes.
    weights = {group: weight for group, weight in plan.WEIGHTS.items() if group != plan.TORN_WRITES}
    assert set(covered) == set(weights)
    for group, weight in weights.items():
        assert covered[group].planned >= min(covered[group].possible, 4000 * weight // 100)
    settings = new_plan.controls[0].settings
    assert {settings[cases.setting].profile for shard in new_plan.shards for cases in shard} == {
        *PROFILES
    }


@pytest.mark.parametrize("count", [1, 2, 7, 8, 1000, 4096, 65_537])
def test_spread_visits_each_number_once(count: int) -> None:
    order = [plan.spread(n, count, 7919) for n in range(count)]
    assert sorted(order) == list(range(count))
    if count >= 1000:
        # The first tenth must cover each tenth of all numbers, and each bit of a byte.
        first = order[: count // 10]
        assert {10 * n // count for n in first} == set(range(10))
        assert {n % 8 for n in first} == set(range(8))


@given(
    st.integers(0, 10_000),
    st.lists(st.tuples(st.integers(0, 3000), st.floats(0.1, 50)), min_size=1, max_size=12),
)
def test_divide_uses_the_whole_total(total: int, parts: list[tuple[int, float]]) -> None:
    limits, weights = [m for m, _ in parts], [w for _, w in parts]
    divided = plan.divide(total, limits, weights)
    assert sum(divided) == min(total, sum(limits))
    assert all(0 <= n <= limit for n, limit in zip(divided, limits, strict=True))
    short = [n for n in range(len(parts)) if divided[n] < limits[n]]
    for n in short:
        # A part below its limit must get at least its share.
        assert divided[n] >= int(total * weights[n] / sum(weights)) - len(parts)


def test_folder_operations_of_a_log_of_two_files() -> None:
    damages = Enumeration(control("kahadb-journal/two-files"), [], 1)
    families = {family.name for family in damages.families}
    # With two files, keeping one is the same as removing the other.
    assert set(ON_FILES) - families == {"keep-file"}
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
    damaged = [damages.contents(change) for change in changes(damages, operation)]
    return [contents for contents in damaged if not isinstance(contents, bytes)]


def test_contexts_vary_the_keys_of_the_register() -> None:
    new_plan = small_plan(controls=("zeebe-journal/two-segments",), contexts=True)
    (chosen,) = new_plan.controls
    values = {setting.context.get("last_flushed_index", "-") for setting in chosen.settings}
    assert {"-", None, "meta", "0", "9223372036854775807"} <= values
    reading = [setting for setting in chosen.settings if not setting.appends]
    varied = {key for setting in reading for key in setting.varied}
    assert varied == {"last_flushed_index", "name"}
    for setting in chosen.settings:
        check("zeebe-journal", setting.context)


def test_control_with_selected_records_is_no_older_generation() -> None:
    """The bytes of such a control contain more records than its answer."""
    selection = control("systemd-journal/seek-by-time-that-goes-back")
    assert selection.context and len(selection.records) == 3
    complete = [control(f"systemd-journal/{name}") for name in ("five-entries", "empty-value")]
    assert plan.older([complete[0], selection, complete[1]], 0) == []
    assert plan.older([complete[0], complete[1], selection], 1) == [complete[0]]
    assert plan.older([complete[0], selection, complete[1]], 1) == complete
