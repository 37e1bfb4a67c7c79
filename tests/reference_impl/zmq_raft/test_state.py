"""State files: the rows of the damage table, and every prefix."""

from __future__ import annotations

import time

import pytest

from .conftest import STATE

STARTS = [0, 6, 15, 29, 35, 36]


@pytest.mark.parametrize("size", range(len(STATE) + 1))
def test_every_prefix(read, size):
    answer = read(STATE[:size], "s.pers")
    whole = sum(1 for end in STARTS[1:] if end <= size)
    assert len(answer.records) == whole
    if size in STARTS:
        assert (answer.verdict, answer.end, answer.lost) == ("intact", size, ())
    else:
        assert (answer.verdict, answer.reason, answer.end) == ("torn", "torn-update", STARTS[whole])
        assert [(gap.start, gap.end) for gap in answer.lost] == [(STARTS[whole], size)]


@pytest.mark.parametrize(
    ("stray", "reason"),
    [
        ("05", "not-a-map"),
        ("a3666f6f", "not-a-map"),
        ("c2", "not-a-map"),
        ("c0", "not-a-map"),
        ("00", "not-a-map"),
        ("920102", "not-a-map"),
        ("c403010203", "not-a-map"),
        ("c1", "not-a-map"),
        ("81a161c1", "bad-type"),
        ("810102", "bad-key"),
        ("81c002", "bad-key"),
        ("81a2c32801", "bad-key"),
        ("81a161" + "91" * 64 + "01", "too-deep"),
    ],
)
def test_faults_that_end_the_reading(read, stray, reason):
    data = STATE[:15] + bytes.fromhex(stray) + STATE[15:]
    answer = read(data, "s.pers")
    assert (answer.verdict, answer.reason, len(answer.records)) == ("damaged", reason, 2)
    assert [(gap.start, gap.end) for gap in answer.lost] == [(15, len(data))]
    assert answer.end is None
    assert answer.records[-1].fields["state"] == {"foo": 2, "baz": [1, 2, 3]}


@pytest.mark.parametrize(
    "update", ["de0001a3666f6f05", "df00000001a3666f6f05", "82a3666f6f01a3666f6f05"]
)
def test_other_forms_of_a_map(read, update):
    assert read(bytes.fromhex(update), "s.pers").records[0].fields["state"] == {"foo": 5}


def test_values_in_answers(read):
    data = bytes.fromhex(
        "81a161cf0020000000000000 81a162cb3fe0000000000000 81a163c40100 81a164a1ff 81a165d50aabcd"
        "81a166cb41f0000000000000 81a1678101c3"
    )
    state = read(data, "s.pers").records[-1].fields["state"]
    assert state == {
        "a": {"int": "9007199254740992"}, "b": {"float": "3fe0000000000000"}, "c": {"bin": "00"},
        "d": {"hex": "ff"}, "e": {"ext": [10, "abcd"]}, "f": 4294967296, "g": {"1": True},
    }  # fmt: skip


@pytest.mark.slow
def test_a_large_update_in_a_large_file_takes_linear_time(read):
    """One update of 4 MiB arrives in many pieces and is not decoded again for each of them."""
    big = b"\xdf\x00\x08\x00\x00" + b"".join(b"\xa4%04x\x01" % (n % 65536) for n in range(1 << 19))
    started = time.monotonic()
    answer = read(STATE + big + STATE, "s.pers")
    assert len(answer.records) == 11
    assert time.monotonic() - started < 20


def test_deep_nesting_and_endless_counts_are_harmless(read):
    for data in (
        b"\x81\xa1a" + b"\x91" * 500_000,
        b"\xdf\xff\xff\xff\xff",
        b"\x81\xdb\xff\xff\xff\xff",
    ):
        assert read(data, "s.pers").verdict in ("torn", "damaged")
