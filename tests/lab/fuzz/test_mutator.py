"""Changes are repeatable, give valid inputs, and often leave checksums valid."""

from __future__ import annotations

import io
from random import Random

import pytest

from conformance import VECTORS
from conformance.vectors import load, load_all
from lab.fuzz.inputs import MAX_INPUT_BYTES, Input, seeds, unpack
from lab.fuzz.mutator import Mutator, Native
from reference_impl.answer import collect
from reference_impl.formats import FORMATS
from reference_impl.leveldb_log.reader import read_stream

INTACT = [
    Input("", "leveldb-log", load(VECTORS / f"leveldb-log/{name}.json").contents, "x.log")
    for name in ("three-records", "fragments-within-one-block")
]


def native_of(chance: Random) -> Native:
    """Return a function that deletes, repeats or sets bytes, like a fuzzing engine."""

    def change(data: bytes, most: int) -> bytes:
        at, to = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        middle = chance.choice((b"", data[at:to] * 2, chance.randbytes(3)))
        return (data[:at] + middle + data[to:])[:most]

    return change


@pytest.fixture(scope="module")
def of_format() -> dict[str, list[Input]]:
    vectors = load_all().values()
    return {
        format: [each for each in seeds(vectors, format) if each.size < 4096] for format in FORMATS
    }


def changed(format: str, given: list[Input], count: int) -> list[bytes]:
    chance, mutator, result = Random(3), Mutator(format, given), [given[0].pack()]
    native = native_of(chance)
    for n in range(count):
        begin = chance.choice(given).pack() if n % 2 else result[-1]
        result.append(mutator.change(begin, MAX_INPUT_BYTES, chance, native))
    return result


@pytest.mark.parametrize("format", FORMATS)
def test_every_change_is_an_input_of_the_format(format: str, of_format) -> None:
    given = of_format[format][:40]
    result = changed(format, given, 120)
    assert {unpack(packed).format for packed in result} == {format}
    assert len(set(result)) > 60, "most of them are new"
    assert result == changed(format, given, 120), "the same chance, the same inputs"


def test_many_changes_get_beyond_the_checksum() -> None:
    """Many changed logs have valid checksums. After mere bit flips, there would be almost none."""
    answers = [
        collect(read_stream(io.BytesIO(unpack(packed).files[""]), "recover"))
        for packed in changed("leveldb-log", INTACT, 1200)
    ]
    reasons = {gap.reason for answer in answers for gap in answer.lost}
    assert {"unknown-type", "orphan-fragment", "incomplete-record", "bad-length"} <= reasons
    mismatches = [answer for answer in answers if answer.reason == "checksum-mismatch"]
    assert len(mismatches) < len(answers) / 2


def test_an_input_that_is_too_long_is_cut(of_format) -> None:
    given = of_format["leveldb-log"]
    packed = Mutator("leveldb-log", given).change(
        given[-1].pack(), 400, Random(1), native_of(Random(1))
    )
    assert len(packed) <= 400
    assert unpack(packed)
