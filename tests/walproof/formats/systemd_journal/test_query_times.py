"""Compare timestamps with ``systemd-analyze timestamp``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from walproof.formats.systemd_journal.query.filters import BadFilter
from walproof.formats.systemd_journal.query.times import parse_time

NOW = 1_700_000_000_123_456  # Tue 2023-11-14 22:13:20 UTC
DAY = 86_400_000_000
MIDNIGHT = NOW // DAY * DAY
MINUTE = 60_000_000

EXPECTED = {
    "now": NOW,
    "today": MIDNIGHT,
    "yesterday": MIDNIGHT - DAY,
    "tomorrow": MIDNIGHT + DAY,
    "@1700000000": 1_700_000_000_000_000,
    "@0": 0,
    "-1h": NOW - 60 * MINUTE,
    "-1h30min": NOW - 90 * MINUTE,
    "2 days ago": NOW - 2 * DAY,
    "3M ago": NOW - 3 * 2_629_800_000_000,
    "2023-11-14": MIDNIGHT,
    "2023-11-14 22:13:20": NOW - 123_456,
    "2023-11-14 22:13:20.123456": NOW,
    "22:13": NOW - 123_456 - 20_000_000,
    "Tue 2023-11-14": MIDNIGHT,
    "2023-11-14 23:13:20 Europe/Berlin": NOW - 123_456,
    "2023-11-14 23:13:20 +0100": NOW - 123_456,
    "2023-11-14 16:43:20 -05:30": NOW - 123_456,
    "2023-11-14T22:13:20Z": NOW - 123_456,
    "2023-11-14T23:13:20.123456+01:00": NOW,
    "2024-02-29": 1_709_164_800_000_000,
}
#: Forms accepted since systemd 254.
ONLY_IN_NEW = re.compile(r"[+-]\d\d:?\d\d$|\dT|Berlin")
WRONG = [
    "", "soon", "2023-13-01", "2023-02-29", "25:00", "22:60", "Mon 2023-11-14", "@", "@x", "-", "+",
    "ago", "1 parsec ago", "2023-11-14 22:13:20 Nowhere/Else", "2023-11-14 22", "1h", "-1h x",
    "2023-11-14 22:13:20 +9900", "tue", "2023", "2023-11-14T", "T22:13",
]  # fmt: skip


def has_zones() -> bool:
    return Path("/usr/share/zoneinfo/Europe/Berlin").exists()


@pytest.mark.parametrize("text", EXPECTED)
def test_timestamps(text: str) -> None:
    if "Berlin" in text and not has_zones():
        pytest.skip("no time zones on this machine")
    assert parse_time(text, NOW) == EXPECTED[text]


@pytest.mark.parametrize("text", WRONG)
def test_invalid_timestamps(text: str) -> None:
    with pytest.raises(BadFilter, match="expected a time such as"):
        parse_time(text, NOW)


def test_a_time_before_1970_becomes_1970() -> None:
    assert parse_time("-100y", NOW) == 0


def analyse(text: str) -> int | None:
    """Return microseconds since 1970 as ``systemd-analyze timestamp`` does."""
    done = subprocess.run(
        ["systemd-analyze", "timestamp", "--", text],
        capture_output=True, text=True, check=False, env=os.environ | {"TZ": "UTC"},
    )  # fmt: skip
    match = re.search(r"UNIX seconds: @(\d+)(?:\.(\d+))?", done.stdout)
    return int(match[1] + f"{match[2] or '0':0<6}") if match else None


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze")
def test_timestamps_match_systemd() -> None:
    texts = [text for text in EXPECTED if not ONLY_IN_NEW.search(text)]
    before = time.time_ns() // 1000
    theirs = list(map(analyse, texts))
    after = time.time_ns() // 1000
    for text, each in zip(texts, theirs, strict=True):
        assert each is not None, text
        assert parse_time(text, before) <= each <= parse_time(text, after), text
    # systemd reads this date as 1 March
    assert [text for text in WRONG if analyse(text)] == ["2023-02-29"]
