"""Numbers stand for the damages that their words say, and for all of them."""

from __future__ import annotations

import pickle

import pytest

from tests.walproof.sweep.plans import control, small_plan
from walproof.sweep import fields, plan
from walproof.sweep.controls import Control, fingerprint
from walproof.sweep.recipes import PAIR, Enumeration

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
    damages = Enumeration(control(id), "quick", [control(id)], 300, 1)
    made = 0
    for family in range(len(damages.families) + 1):
        for number in range(0, damages.count(family), step):
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
    damages = Enumeration(three, "quick", [], 0, 1)
    assert logs(damages, "truncate") == {three.contents[:n] for n in range(len(three.contents))}


def flipped(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def test_every_bit_of_every_structural_byte(three: Control) -> None:
    data = three.contents
    assert isinstance(data, bytes)
    headers = [at for start in (0, 12, 24) for at in range(start, start + 7)]
    found = fields.fields_of(data, "leveldb-log", "log")
    assert list(found.structural) == headers
    quick = logs(Enumeration(three, "quick", [], 0, 1), "flip")
    assert {flipped(data, at, bit) for at in headers for bit in range(8)} <= quick
    full = logs(Enumeration(three, "full", [], 0, 1), "flip")
    assert full == {flipped(data, at, bit) for at in range(len(data)) for bit in range(8)}


def test_every_sector_operation() -> None:
    two = control("leveldb-log/two-blocks")
    damages = Enumeration(two, "quick", [], 0, 1)
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
    damages = Enumeration(three, "quick", [], 0, 1)
    words = [damages.describe(*n).damage for n in numbers(damages, "reseal")]
    assert ("set blocks[0].records[0].header.type to 06", "reseal blocks[0].records[0]") in words


def test_pairs_are_the_same_in_every_process(three: Control) -> None:
    one, other = (Enumeration(three, "quick", [], 500, seed) for seed in (1, 2))
    again = Enumeration(pickle.loads(pickle.dumps(three)), "quick", [], 500, 1)
    family = len(one.families)
    assert one.operation(family) == PAIR
    made = [one.make(family, number) for number in range(500)]
    assert made == [again.make(family, number) for number in range(500)]
    assert made != [other.make(family, number) for number in range(500)]
    assert sum(each is not None for each in made) > 250


def test_shards_hold_every_damage_once() -> None:
    made = small_plan(cases=3000)
    seen: list[tuple[int, int, int]] = []
    for shard in made.shards:
        for run in shard:
            seen += [(run.control, run.family, n) for n in range(run.start, run.stop)]
    assert len(seen) == len(set(seen))
    enumerations = plan.Enumerations(made)
    assert len(seen) == sum(
        enumerations[n].count(family)
        for n in range(len(made.controls))
        for family in range(len(enumerations[n].families) + 1)
    )
    assert len(seen) == 3000
    assert pickle.loads(pickle.dumps(made)).digest == made.digest


def test_a_shared_prefix_is_one_case() -> None:
    made = small_plan(controls=("leveldb-log/one-record", "leveldb-log/three-records"))
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
