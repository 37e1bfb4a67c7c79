"""Numbers stand for the damages that their words say, and for all of them."""

from __future__ import annotations

import pickle
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.context import check
from tests.walproof.sweep.plans import control, planned
from walproof.sweep import fields, folders, plan, shares
from walproof.sweep.controls import Control, fingerprint
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
def test_words_and_numbers_make_the_same_bytes(id: str, step: int) -> None:
    damages = Enumeration(control(id), "quick", [control(id)], 1)
    made = 0
    for family in range(len(damages.families) + 1):
        for number in range(0, min(300 * step, damages.count(family)), step):
            if damages.make(family, number) is not None:
                damages.describe(family, number)  # asserts that the bytes are the same
                made += 1
    assert made > 50


def numbers(damages: Enumeration, operation: str) -> list[tuple[int, int]]:
    return [
        (family, number)
        for family in range(len(damages.families))
        if damages.operation(family) == operation
        for number in range(damages.count(family))
    ]


def logs(damages: Enumeration, operation: str) -> set[bytes]:
    made = [damages.make(family, number) for family, number in numbers(damages, operation)]
    return {one.contents for one in made if one and isinstance(one.contents, bytes)}


@pytest.fixture(scope="module")
def three() -> Control:
    return control("leveldb-log/three-records")


def test_every_truncation(three: Control) -> None:
    assert isinstance(three.contents, bytes)
    damages = Enumeration(three, "quick", [], 1)
    assert logs(damages, "truncate") == {three.contents[:n] for n in range(len(three.contents))}


def flipped(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def test_every_bit_of_every_structural_byte(three: Control) -> None:
    data = three.contents
    assert isinstance(data, bytes)
    headers = [at for start in (0, 12, 24) for at in range(start, start + 7)]
    found = fields.fields_of(data, "leveldb-log", "log")
    assert list(found.structural) == headers
    quick = logs(Enumeration(three, "quick", [], 1), "flip")
    assert {flipped(data, at, bit) for at in headers for bit in range(8)} <= quick
    full = logs(Enumeration(three, "full", [], 1), "flip")
    assert full == {flipped(data, at, bit) for at in range(len(data)) for bit in range(8)}


def test_every_sector_operation() -> None:
    two = control("leveldb-log/two-blocks")
    damages = Enumeration(two, "quick", [], 1)
    data = two.contents
    assert isinstance(data, bytes)
    different = 0
    for sector in (512, 4096):
        parts = [data[n * sector : (n + 1) * sector] for n in range(len(data) // sector)]
        different += sum(a != b for n, a in enumerate(parts) for b in parts[n + 1 :])
    # Swapping sectors that are equal changes nothing, and is left out.
    assert len(numbers(damages, "swap-sectors")) == different
    words = {damages.describe(*n).damage[0] for n in numbers(damages, "zero-sector")}
    assert "zero sector 1 of 512 bytes" in words and "zero sector 7 of 4096 bytes" in words


def test_resealed_damage_has_a_checksum_that_holds(three: Control) -> None:
    damages = Enumeration(three, "quick", [], 1)
    words = [damages.describe(*n).damage for n in numbers(damages, "reseal")]
    assert ("set blocks[0].records[0].header.type to 06", "reseal blocks[0].records[0]") in words


def test_pairs_are_the_same_in_every_process(three: Control) -> None:
    one, other = (Enumeration(three, "quick", [], seed) for seed in (1, 2))
    again = Enumeration(pickle.loads(pickle.dumps(three)), "quick", [], 1)
    family = len(one.families)
    assert one.operation(family) == PAIR
    made = [one.make(family, number) for number in range(500)]
    assert made == [again.make(family, number) for number in range(500)]
    assert made != [other.make(family, number) for number in range(500)]
    assert sum(each is not None for each in made) > 490


def test_shards_hold_every_case_once() -> None:
    made, damages = planned(cases=3000)
    seen = cases_of(made, damages)
    assert len(seen) == len(set(seen)) == 3000
    assert pickle.loads(pickle.dumps(made)).digest == made.digest


def cases_of(made: Plan, damages: Enumerations) -> list[tuple[int, ...]]:
    return [
        (run.control, run.setting, *case)
        for shard in made.shards
        for run in shard
        for case in numbers_of(run, damages[run.control])
    ]


def test_cases_are_bounded_and_shared_out() -> None:
    made, damages = planned(
        controls=("zeebe-journal/two-segments",), cases=4000, contexts=True, profiles=PROFILES
    )
    covered = made.coverage
    assert sum(one.planned for one in covered.values()) == len(cases_of(made, damages)) == 4000
    assert set(covered) == set(shares.WEIGHTS)
    for group, weight in shares.WEIGHTS.items():
        assert covered[group].planned >= min(covered[group].possible, 4000 * weight // 100)
    settings = made.controls[0].settings
    assert {settings[run.setting].profile for shard in made.shards for run in shard} == {*PROFILES}


def test_enough_cases_are_all_cases() -> None:
    made, damages = planned(controls=("leveldb-log/one-record",), cases=20_000)
    singles = {case for case in cases_of(made, damages) if case[2] != damages[0].pair}
    assert len(singles) == 2 * damages[0].count(damages[0].any)
    assert made.coverage[shares.PAIRS].planned > 0


def test_the_number_of_shards_follows_the_cases() -> None:
    assert len(planned(cases=100)[0].shards) == 1
    assert len(planned(cases=6_000)[0].shards) == 6


@pytest.mark.parametrize("count", [1, 2, 7, 8, 1000, 4096, 65_537])
def test_a_spread_order_visits_each_number_once(count: int) -> None:
    found = [shares.spread(n, count, 7919) for n in range(count)]
    assert sorted(found) == list(range(count))
    if count >= 1000:  # the first tenth has something of each tenth, and of each bit of a byte
        first = found[: count // 10]
        assert {10 * n // count for n in first} == set(range(10))
        assert {n % 8 for n in first} == set(range(8))


@given(
    st.integers(0, 10_000),
    st.lists(st.tuples(st.integers(0, 3000), st.floats(0.1, 50)), min_size=1, max_size=12),
)
def test_shares_use_all_there_is(total: int, parts: list[tuple[int, float]]) -> None:
    most, weights = [m for m, _ in parts], [w for _, w in parts]
    found = shares.shared(total, most, weights)
    assert sum(found) == min(total, sum(most))
    assert all(0 <= one <= limit for one, limit in zip(found, most, strict=True))
    short = [n for n in range(len(parts)) if found[n] < most[n]]
    for one in short:  # nobody who could take more has less than his share
        assert found[one] >= int(total * weights[one] / sum(weights)) - len(parts)


def test_folders_are_damaged_as_folders() -> None:
    damages = Enumeration(control("kahadb-journal/two-files"), "quick", [], 1)
    operations = {damages.operation(n) for n in range(len(damages.families))}
    assert set(folders.OPERATIONS) - operations == {"keep-file"}  # the same as removing the other
    names = {name for made in made_by(damages, "rename-file") for name in made}
    assert {"db-01.log", "db-3.log", "db--1.log", "db-1.log.bak", "sub/db-1.log"} <= names
    extra = [set(made) - {"db-1.log", "db-2.log"} for made in made_by(damages, "add-file")]
    assert all(len(one) == 1 for one in extra) and {"db-3.log"} in extra
    (swapped,) = made_by(damages, "swap-files")
    files = damages.control.files
    assert swapped == {"db-1.log": files["db-2.log"], "db-2.log": files["db-1.log"]}


def made_by(damages: Enumeration, operation: str) -> list[Mapping[str, bytes]]:
    made = [damages.make(family, number) for family, number in numbers(damages, operation)]
    return [one.contents for one in made if one and not isinstance(one.contents, bytes)]


def test_contexts_come_from_the_register() -> None:
    made, _ = planned(controls=("zeebe-journal/two-segments",), contexts=True)
    (chosen,) = made.controls
    said = {setting.context.get("last_flushed_index", "-") for setting in chosen.settings}
    assert {"-", None, "meta", "0", "9223372036854775807"} <= said
    reading = [setting for setting in chosen.settings if not setting.writes]
    varied = {key for setting in reading for key in setting.varied}
    assert varied == {"last_flushed_index", "name"}
    writing = [setting for setting in chosen.settings if setting.writes]
    sizes = {setting.context.get("max_segment_size") for setting in writing}
    assert {None, 270, 269, 271} <= sizes  # beside what the vectors say
    for setting in chosen.settings:
        check("zeebe-journal", setting.context)
    (journal,) = planned(controls=("systemd-journal/empty-value",), contexts=True)[0].controls
    reading = [setting for setting in journal.settings if not setting.writes]
    varied = {key for setting in reading for key in setting.varied}
    assert varied == {"match", "from_seqnum", "from_realtime", "key", "max_field_size"}


def test_a_shared_prefix_is_one_case() -> None:
    made, _ = planned(controls=("leveldb-log/one-record", "leveldb-log/three-records"))
    enumerations = plan.Enumerations(made)
    prefixes = [logs(enumerations[n], "truncate") for n in (0, 1)]
    assert not prefixes[0] & prefixes[1]
    whole = made.controls[1].contents
    assert isinstance(whole, bytes)
    # The first control itself is a prefix of the second.
    assert prefixes[0] | prefixes[1] == {whole[:n] for n in range(len(whole))}


def test_fingerprints_tell_folders_apart() -> None:
    assert fingerprint({"a": b"xy", "b": b""}) != fingerprint({"a": b"x", "b": b"y"})
    assert fingerprint(b"x") != fingerprint(b"x\0")


def test_a_path_that_goes_down_one_step_again_and_again_is_told_briefly() -> None:
    deep = "updates[0]" + ".elements[0]" * 60 + ".first"
    assert fields.brief(f"flip bit 0 of {deep}") == "flip bit 0 of updates[0].elements[0].….first"
    for path in ("blocks[0].records[1].header.type", "a[0].a[1].a[2].a[3]"[5:]):
        assert fields.brief(path) == path


def test_a_log_asked_for_some_of_its_records_is_no_older_generation() -> None:
    """What it says that it holds is less than what comes in with its bytes."""
    some = control("systemd-journal/seek-by-time-that-goes-back")
    assert some.context and len(some.records) == 3
    others = [control(f"systemd-journal/{name}") for name in ("five-entries", "empty-value")]
    assert plan.older([others[0], some, others[1]], 0) == []
    assert plan.older([others[0], others[1], some], 1) == [others[0]]
    assert plan.older([others[0], some, others[1]], 1) == others
