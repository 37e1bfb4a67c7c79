"""Records that Prometheus wrote, and hostile payloads, are described."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from conformance import ROOT
from reference_impl.answer import Record, collect
from reference_impl.prometheus_wal import read
from tests.walproof.formats.described import assert_linear, text_of
from walproof.formats.prometheus_wal.describe import describe

FORMAT = "prometheus-wal"
LOGS = ROOT / "tests" / "data" / "prometheus-wal"


def records_of(name: str) -> list[Record]:
    return list(collect(read(LOGS / name, "recover", {})).records)


def test_each_type_of_a_real_log() -> None:
    texts = [text_of(FORMAT, record) for record in records_of("server-zstd")]
    assert texts[:3] == [
        "series: 40 of 40 series (1 to 40), {__name__=http_requests_total,"
        " instance=10.0.0.0:9090, job=node}, …",
        "metadata: 1 of 1 series (1), {UNIT=, HELP=Requests.}",
        "samples: 40 of 40 series (1 to 40), time 1700000000000, 0.0, …",
    ]
    assert texts[-7:] == [
        "histograms: 1 of 1 series (1), time 1700001000000",
        "float histograms: 2 of 2 series (1 to 2), time 1700001000000",
        "exemplars: 1 of 1 series (1), time 1700001000000, {trace_id=abc}",
        "tombstones: 1 of 1 series (3)",
        "mmap markers: 1 of 1 series (1)",
        "samples with start times: 3 of 3 series (1 to 4), time 1700001000000 to 1700001015000,"
        " 1.0, …",
        "at 0: expected a type from 1 to 14, found 0",
    ]


def test_the_fields_of_samples_with_start_times() -> None:
    record = next(each for each in records_of("server-none") if each.payload[0] == 11)
    assert describe(record).fields["items"] == [
        {"ref": "1", "time": "1700001000000", "start_time": "1700000000000", "value": "1.0"},
        {"ref": "2", "time": "1700001000000", "start_time": "1700000000000", "value": "2.0"},
        {"ref": "4", "time": "1700001015000", "value": "4.0"},
    ]


def test_the_first_record_of_a_checkpoint() -> None:
    texts = [text_of(FORMAT, record) for record in records_of("checkpoint")]
    assert texts[0] == "minimum valid time: 1, time 280000"


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        ("02 0000000000000001", "at 9: expected a number of 8 bytes, found 0 bytes"),
        ("01 0000000000000001 01 05 6162", "at 11: expected a text of 5 bytes, found 2 bytes"),
        ("07 0000000000000001 0000000000000001 00 00 00", "at 20: expected a varint of 1 byte,"
         " found 0 bytes"),
        ("63", "at 0: expected a type from 1 to 14, found 99"),
    ],
)  # fmt: skip
def test_a_payload_that_ends_too_early(payload: str, text: str) -> None:
    data = bytes.fromhex(payload)
    assert text_of(FORMAT, Record(0, len(data), data)) == text


def test_a_histogram_of_too_many_spans_is_not_allocated() -> None:
    """Prometheus panics when it reads this record."""
    head = bytes.fromhex("07 0000000000000001 0000000000000001 00 00 00 00") + bytes(18)
    data = head + b"\xff" * 7 + b"\x03"
    assert (text_of(FORMAT, Record(0, len(data), data)) or "").startswith("at ")


@pytest.mark.parametrize(
    "make",
    [
        lambda count: b"\x01" + bytes(9) * count,
        lambda count: b"\x02" + bytes(16) + bytes(10) * count,
        lambda count: b"\x06" + b"\xff\xff\x03\x01\x00" * count,
        lambda count: b"\x01" + bytes(8) + b"\xa0\x8d\x06" + bytes(2) * count,
        lambda count: b"\x01" + b"".join(bytes(4) + struct.pack(">Ix", n) for n in range(count)),
        # Refs with the same hash in Python: multiples of 2⁶¹ − 1.
        lambda count: b"\x0b" + (b"\xfe" + b"\xff" * 7 + b"\x3f" + bytes(10)) * count,
    ],
)
def test_time_and_memory_grow_with_the_payload(make: Callable[[int], bytes]) -> None:
    assert_linear(FORMAT, make)
