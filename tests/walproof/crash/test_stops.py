"""Each sync is stopped, and what the files held then is known to come before it."""

from __future__ import annotations

import asyncio
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.subject import Subject
from walproof.crash import oracles, recorder, stops
from walproof.crash.model import MODELS
from walproof.crash.run import Run, run
from walproof.crash.stopped import CALLS, MACHINES, instructions
from walproof.crash.stops import PAGE, Eyes, Stops, why_not
from walproof.crash.strace import Parser
from walproof.crash.trace import Acknowledged, Names, Resize, Sync, Write

from .test_writers import may_trace

WRITER = Path(__file__).parent / "mapped_writer.py"
needs_stops = pytest.mark.skipif(bool(why_not()), reason=f"calls cannot be stopped: {why_not()}")


def filtered(machine: str, architecture: int, number: int) -> int:
    """What the filter returns for a call, step by step as the kernel goes."""
    steps = list(struct.iter_unpack("=HBBI", instructions(machine)))
    at, loaded = 0, 0
    while True:
        code, if_equal, if_not, value = steps[at]
        if code == 0x06:
            return int(value)
        if code == 0x20:
            loaded, at = (number if value == 0 else architecture), at + 1
        else:
            at += 1 + (if_equal if loaded == value else if_not)


@pytest.mark.parametrize("machine", list(MACHINES))
def test_the_filter_stops_the_calls_and_no_other(machine: str) -> None:
    column, architecture, _ = MACHINES[machine]
    wait = {both[column] for both in CALLS.values()} - {None}
    for number in range(500):
        expected = 0x7FC00000 if number in wait else 0x7FFF0000
        assert filtered(machine, architecture, number) == expected
    (another,) = [other for _, other, _ in MACHINES.values() if other != architecture]
    assert {filtered(machine, another, number) for number in range(500)} == {0x7FFF0000}


def test_pages_that_did_not_change_are_kept_once(tmp_path: Path) -> None:
    place = tmp_path / "a"
    place.write_bytes(b"x" * PAGE + b"y" * PAGE + b"z")
    eyes = Eyes(tmp_path)
    before = eyes.look()["a"]
    with place.open("r+b") as file:
        file.seek(PAGE)
        file.write(b"new")
    after = eyes.look()["a"]
    assert b"".join(after) == place.read_bytes()
    assert [one is two for one, two in zip(before, after, strict=True)] == [True, False, True]
    assert eyes.look()["a"] is after


def line(text: str) -> bytes:
    """A line of strace in which every text stands as it is."""
    parts = text.split('"')
    for at in range(1, len(parts), 2):
        parts[at] = "".join(f"\\x{byte:02x}" for byte in parts[at].encode())
    return '"'.join(parts).encode()


def test_a_page_comes_before_the_sync_whose_stop_saw_it(tmp_path: Path) -> None:
    """By hand, with two threads: the second one's sync begins while the first one's goes on."""
    name = str(tmp_path / "a")
    old, one, two = (bytes([letter]) * PAGE for letter in (0, 1, 2))
    stopped = {
        (7, 0): {"a": []},
        (7, 1): {"a": [one, old]},
        (8, 0): {"a": [one, two]},
    }
    parser = Parser(tmp_path, tmp_path, {1: 0}, stopped)
    shown = "".join(f"\\x{byte:02x}" for byte in name.encode())
    for text in (
        f'7 openat(AT_FDCWD, "{name}", O_RDWR|O_CREAT, 0666) = 3',
        "7 ftruncate(3, 8192) = 0",
        f"7 mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_SHARED, 3<{shown}>, 0) = 0x7000",
        f"7 fsync(3<{shown}> <unfinished ...>",
        f"8 fdatasync(3<{shown}>) = 0",
        "7 <... fsync resumed>) = 0",
    ):
        parser.line(line(text))
    assert parser.trace.operations == [
        Names(((0, "a", 1),)),
        Resize(1, 2 * PAGE),
        Write(1, 0, one),
        Write(1, PAGE, two),
        Sync(1, 4),  # that of the second thread, which covers both
        Sync(1, 3),  # that of the first
    ]


def test_what_changes_after_the_last_stop_is_covered_by_no_sync(tmp_path: Path) -> None:
    name, page = str(tmp_path / "a"), b"x" * PAGE
    shown = "".join(f"\\x{byte:02x}" for byte in name.encode())
    parser = Parser(tmp_path, tmp_path, {1: 0}, {(7, 0): {"a": []}, (7, 1): {"a": [bytes(PAGE)]}})
    parser.snapshot(1, {"a": [page]})
    said = "".join(f"\\x{byte:02x}" for byte in b'{"seq":1,"acknowledged":1}')
    for text in (
        f'7 openat(AT_FDCWD, "{name}", O_RDWR|O_CREAT, 0666) = 3',
        f"7 ftruncate(3, {PAGE}) = 0",
        f"7 mmap(NULL, {PAGE}, PROT_READ|PROT_WRITE, MAP_SHARED, 3<{shown}>, 0) = 0x7000",
        f"7 fsync(3<{shown}>) = 0",
    ):
        parser.line(line(text))
    parser.line(f'7 write(1, "{said}", 26) = 26'.encode())
    assert parser.trace.operations[-3:] == [Sync(1, 2), Write(1, 0, page), Acknowledged(1)]


@needs_stops
def test_a_call_waits_until_the_files_were_looked_at(tmp_path: Path) -> None:
    program = (
        "import mmap, os, threading\n"
        "f = open('a', 'w+b', 0); f.truncate(4096); m = mmap.mmap(f.fileno(), 4096)\n"
        "m[0:1] = b'1'; m.flush(); m[0:1] = b'2'; os.fsync(f.fileno()); m[0:1] = b'3'\n"
        "one = threading.Thread(target=os.fdatasync, args=[f.fileno()]); one.start(); one.join()\n"
        "m[0:1] = b'4'"
    )
    stopping = Stops(Eyes(tmp_path).look)
    try:
        words = stopping.command([sys.executable, "-c", program])
        subprocess.run(words, cwd=tmp_path, check=True, timeout=60)
    finally:
        stopping.close()
    assert [seen["a"] and seen["a"][0][:1] for seen in stopping.seen.values()] == [
        [],  # before it has a size
        b"1",
        b"2",
        b"3",
    ]
    assert sorted(number for _, number in stopping.seen) == [0, 0, 1, 2]


def test_a_system_that_stops_no_call_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stops.sys, "platform", "darwin")
    assert why_not() == "only Linux has seccomp"


def judged(way: str) -> Run:
    words = [sys.executable, str(WRITER), way]
    subject = Subject(way, way, words, isolated=False)
    return asyncio.run(run(subject, "zmq-raft", MODELS, [512], 4, 200, 1))


INVENTS = {oracles.INVENTED}


@pytest.mark.skipif(not may_trace(), reason="no program can be traced here")
@needs_stops
@pytest.mark.parametrize(
    ("way", "wrong"), [("data-first", set()), ("header-first", INVENTS), ("together", INVENTS)]
)
def test_a_writer_of_mapped_memory_is_judged_by_what_each_sync_covers(
    way: str, wrong: set[str]
) -> None:
    done = judged(way)
    assert done.trace.not_stopped == ""
    found = {
        one.model: {finding.what for finding in one.judgement.violations()} for one in done.results
    }
    assert found.pop("process") == set()
    # A page is written after those before it in the file: that is all that "ordered" can say.
    assert found == dict.fromkeys(MODELS[1:], wrong)


@pytest.mark.skipif(not may_trace(), reason="no program can be traced here")
def test_where_no_call_is_stopped_the_syncs_of_a_record_are_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is owed to the stops: without them the right writer looks like the one with one sync."""
    monkeypatch.setattr(recorder, "why_not", lambda: "not here")
    done = judged("data-first")
    assert done.trace.not_stopped == "not here"
    found = {one.model: one.judgement.violations() for one in done.results}
    assert {one.what for one in found["any"]} == INVENTS
