"""Written records can be read back, and damaged sizes do not make a reader slow."""

from __future__ import annotations

import io
import struct
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.answer import Answer, End, Lost, NewRecord, Record, collect
from reference_impl.kahadb_journal import append, read, write
from reference_impl.kahadb_journal.data_file import Scan
from reference_impl.kahadb_journal.layout import EOF_RECORD, HEADER
from reference_impl.kahadb_journal.source import Source
from reference_impl.kahadb_journal.writer import batch, record

pytestmark = pytest.mark.slow

STRATEGIES = ["none", "sparse", "kernel-copy", "zeros", "chunked-zeros"]
ERAS = [
    *((eof, strategy) for eof in ("record", "none") for strategy in STRATEGIES),
    ("zeros", "none"),
    ("zeros", "last-byte"),
    ("none", "half-mebibyte-less"),
]
payloads = st.lists(st.binary(max_size=60), max_size=12)


def scan(log: bytes) -> Answer:
    whole = Scan(Source(io.BytesIO(log)))
    events: list[Record | Lost] = list(whole.events(is_last=True))
    damage = next((x.reason for x in events if isinstance(x, Lost) and not x.torn), None)
    torn = next((x.reason for x in events if isinstance(x, Lost) and x.torn), None)
    verdict = "damaged" if damage else "torn" if torn else "intact"
    return collect([*events, End(verdict, damage or torn, whole.end)])


@settings(max_examples=80, deadline=None)
@given(
    written=payloads,
    later=payloads,
    options=st.fixed_dictionaries(
        {
            "folder": st.booleans(),
            "checksum": st.booleans(),
            "max_file_length": st.integers(200, 2000),
            "write_batch_size": st.integers(64, 4096),
        }
    ),
    era=st.sampled_from(ERAS),
    groups=st.lists(st.integers(0, 3), min_size=12, max_size=12),
)
def test_written_records_are_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    written: list[bytes],
    later: list[bytes],
    options: dict[str, object],
    era: tuple[str, str],
    groups: list[int],
) -> None:
    options |= {"eof": era[0], "preallocation": era[1]}
    path = tmp_path_factory.mktemp("log") / "log"
    records = [
        NewRecord(payload, {"batch": group})
        for payload, group in zip(written, groups, strict=False)
    ]
    write(path, records, options)
    actual = collect(read(path, "recover", {}))
    assert actual.verdict == "intact"
    assert [r.payload for r in actual.records] == written
    append(path, [NewRecord(payload) for payload in later], options)
    actual = collect(read(path, "recover", {}))
    assert actual.verdict == "intact"
    assert [r.payload for r in actual.records] == written + later


EVIL = {
    "headers that claim all that follows": lambda n: b"".join(
        HEADER + struct.pack(">iq", 28 * (n - k - 1), 7) for k in range(n)
    ),
    "unchecked headers that claim all that follows": lambda n: b"".join(
        HEADER + struct.pack(">iq", 28 * (n - k - 1), 0) for k in range(n)
    ),
    "negative sizes": lambda n: (HEADER + struct.pack(">iq", -1, 0)) * n,
    "bare headers": lambda n: HEADER * n,
    "EOF records": lambda n: EOF_RECORD * n + b"x" + EOF_RECORD * n + b"x",
    "tiny records under headers that lie": lambda n: b"".join(
        HEADER + struct.pack(">iq", 10**9, 0) + record(b"xx" * 10) + batch(record(b""))
        for _ in range(n)
    ),
    "one long chain that many headers join": lambda n: (
        b"".join(record(HEADER + struct.pack(">iq", 2**31 - 100, 0)) for _ in range(n)) + b"x"
    ),
    "zeros and a byte": lambda n: bytes(40 * n) + b"x",
    "records of size zero": lambda n: batch(bytes(5) * n) + batch(record(b"last")),
}


@pytest.mark.parametrize("name", EVIL)
def test_time_is_linear(name: str) -> None:
    """Eight times as many bytes take about eight times as long, even beyond the buffer size."""

    def seconds(n: int) -> float:
        log = EVIL[name](n)
        best = 9e9
        for _ in range(2):
            started = time.process_time()
            scan(log)
            best = min(best, time.process_time() - started)
        return best

    assert seconds(16000) < 16 * max(seconds(2000), 0.01)


def test_damaged_sizes_are_read_within_a_second(tmp_path: Path) -> None:
    """Inputs that make the real reader loop forever are read within a second."""
    good = batch(record(b"alpha"))
    for size in (-1, -8, -(2**31), 2**31 - 33, 2**31 - 1):
        bad = bytearray(batch(record(b"bravo")))
        bad[16:20] = struct.pack(">i", size)
        path = tmp_path / "db-1.log"
        path.write_bytes((good + bytes(bad) + good + EOF_RECORD).ljust(1 << 20, b"\0"))
        started = time.process_time()
        actual = collect(read(path, "recover", {}))
        assert time.process_time() - started < 1
        assert [r.payload for r in actual.records] == [b"alpha", b"alpha"]
        assert [x.reason for x in actual.lost] == ["bad-size"]
