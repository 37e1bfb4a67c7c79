"""Flips that no check detects: their effects, which there are, and the command."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance import undetected_flips
from conformance.contents import digest
from conformance.vectors import load_all
from reference_impl.answer import End, Lost, Record
from reference_impl.register import Unseen
from walproof.cli.sweep import sweep
from walproof.sweep.flips import (
    Flip,
    FlippedLog,
    FlipSearch,
    FlipTask,
    Stretch,
    choose_logs,
    effect_of,
    flipped_log,
    intact_records,
    run_flips,
)

BITS = 4096

ALPHA, BRAVO, CHARLIE = (
    Record(at, 5, payload, {"term": "3"})
    for at, payload in ((0, b"alpha"), (5, b"bravo"), (10, b"charlie"))
)
WRITTEN = [ALPHA, BRAVO, CHARLIE]


@pytest.mark.parametrize(
    ("found", "did"),
    [
        (WRITTEN, None),
        ([ALPHA, CHARLIE], "gone"),
        ([], "gone"),
        ([ALPHA, Record(5, 5, b"brave"), CHARLIE], "changed"),
        ([ALPHA, Record(5, 5, b"alpha"), CHARLIE], "changed"),
        ([Record(2, 3, b"pha"), BRAVO, CHARLIE], "gone"),
        ([*WRITTEN, Record(20, 5, b"delta")], "invented"),
        ([*WRITTEN, Record(20, 5, b"alpha")], "invented"),
        ([ALPHA, Record(5, 5, b"charlie"), Record(10, 5, b"bravo")], "order"),
        ([ALPHA, Record(5, 5, b"bravo", {"term": "7"}), CHARLIE], "fields: term"),
        ([ALPHA, Record(5, 5, b"bravo", {}), CHARLIE], "fields: term"),
        ([ALPHA, Record(6, 4, b"bravo", {"term": "3"}), CHARLIE], "fields: at, size"),
    ],
)
def test_what_a_flip_did(found: list[Record], did: str | None) -> None:
    assert effect_of(WRITTEN, found) == did


def test_only_an_intact_log_has_unseen_flips() -> None:
    assert intact_records([ALPHA, BRAVO, End("intact", None, 10)]) == [ALPHA, BRAVO]
    assert intact_records([ALPHA, Lost(5, 10, "bad"), End("damaged", "bad", 10)]) is None
    assert intact_records([End("refused", "bad", None)]) is None


def stretch_of(log: FlippedLog) -> Stretch:
    (stretch,) = run_flips([log], [FlipTask(0, 0, log.count)])
    return stretch


def test_each_bit_of_an_unchecked_payload_changes_it_unseen() -> None:
    (log,) = choose_logs(load_all(), "kahadb-journal", ["hello-without-checksum"], BITS)
    stretch = stretch_of(log)
    assert stretch.tried.total() == log.count == log.bits == 344
    assert Counter((one.field, one.effect) for one in stretch.undetected) == {
        ("batches[].records[].payload", "changed"): 40
    }
    assert {one.flip for one in stretch.undetected} == {
        Flip("", at, bit) for at in range(33, 38) for bit in range(8)
    }


def test_a_checksum_over_each_record_leaves_nothing_unseen() -> None:
    (log,) = choose_logs(load_all(), "leveldb-log", ["three-records"], BITS)
    stretch = stretch_of(log)
    assert stretch.tried.total() == 304
    assert stretch.undetected == []


def test_a_log_of_several_files_is_searched_file_by_file() -> None:
    (log,) = choose_logs(load_all(), "zmq-raft", ["snapshot-in-front"], BITS)
    flips = [log.flip(number) for number in range(log.count)]
    assert len(set(flips)) == 8 * sum(map(len, log.control.files.values()))
    index = next(
        flip for flip in flips if log.field(flip) == "snapshot: header.index" and flip.bit == 7
    )
    before = dict(log.control.files)
    assert stretch_of(log).tried.total() == log.count
    assert log.control.files == before
    assert log.path(index) == "snap:header.index"


def test_a_large_log_is_sampled_and_no_flip_comes_twice() -> None:
    (log,) = choose_logs(load_all(), "leveldb-log", ["three-blocks-of-short-records"], 8000)
    flips = {log.flip(number) for number in range(log.count)}
    assert log.count == len(flips) == 1000
    structure = set(log.control.fields[""].structural)
    assert sum(flip.at in structure for flip in flips) == 336  # all there is
    content = sorted(flip.at for flip in flips if flip.at not in structure)
    assert max(b - a for a, b in pairwise(content)) < 500


def test_logs_that_are_equal_are_searched_once_and_none_that_is_damaged() -> None:
    vectors = load_all()
    for format in ("leveldb-log", "kahadb-journal"):
        logs = choose_logs(vectors, format, [], BITS)
        told = {(digest(log.control.contents), repr(log.control.context)) for log in logs}
        assert len(told) == len(logs)
        for log in logs:
            assert vectors[log.id].body["expect"]["verdict"] == "intact"
            assert not vectors[log.id].damage


def test_outcomes_come_in_the_order_of_the_tasks_and_no_copy_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.scratch.IN_MEMORY", tmp_path)
    monkeypatch.delenv("TMPDIR", raising=False)
    logs = choose_logs(load_all(), "zmq-raft", ["three-entries", "terms-and-votes"], 400)
    tasks = [FlipTask(n, start, start + 100) for n in (1, 0) for start in range(0, 400, 100)]
    outcomes = run_flips(logs, tasks)
    assert [outcome.log for outcome in outcomes] == [logs[1].id] * 4 + [logs[0].id] * 4
    assert [outcome.tried.total() for outcome in outcomes] == [100] * 8
    assert not any(tmp_path.iterdir())


def test_the_command_lists_each_flip() -> None:
    words = ["--flips", "--format", "kahadb-journal", "--control", "hello-without-checksum"]
    done = CliRunner().invoke(sweep, [*words, "--json"], standalone_mode=False)
    assert done.return_value == 0, done.output
    told = json.loads(done.stdout)
    assert len(told["flips"]) == 40
    assert told["flips"][0] == {
        "log": "kahadb-journal/hello-without-checksum",
        "at": told["flips"][0]["at"],
        "bit": told["flips"][0]["bit"],
        "field": "batches[0].records[0].payload",
        "effect": "changed",
    }
    (field,) = told["fields"]
    assert (field["field"], field["flipped"], field["unseen"]) == (
        "batches[].records[].payload", 40, {"changed": 40},
    )  # fmt: skip
    assert field["why"] and told["problems"] == []


def test_the_command_searches_a_log_of_mine_and_leaves_it_as_it_is(tmp_path: Path) -> None:
    data = load_all()["zmq-raft/three-entries"].contents
    assert isinstance(data, bytes)
    mine = tmp_path / "00000000000001.rlog"
    mine.write_bytes(data)
    words = ["--flips", "--format", "zmq-raft", str(mine)]
    done = CliRunner().invoke(sweep, words, standalone_mode=False)
    assert done.return_value == 0, done.output
    assert "rlog: data.entries[].header.term" in done.output
    assert mine.read_bytes() == data


def test_the_command_says_what_nothing_explains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.undetected_flips.explained_by", lambda hit, entries: [])
    words = ["--flips", "--format", "kahadb-journal", "--control", "hello-without-checksum"]
    done = CliRunner().invoke(sweep, words, standalone_mode=False)
    assert done.return_value == 3
    flat = " ".join(done.output.split())
    assert "nothing explains what 40 flips of batches[].records[].payload do: changed" in flat


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--control", "no-such-vector"], "no intact vector of leveldb-log fits"),
        (["--control", "three-records", "--save"], "--save is for a search of all vectors"),
        (["--context", "x=1"], "--context is for a LOG"),
        (["torn.log"], "expected an intact log"),
    ],
)
def test_what_cannot_be_searched(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("torn.log").write_bytes(b"\1\2\3")
    done = CliRunner().invoke(sweep, ["--flips", "--format", "leveldb-log", *words])
    assert done.exit_code != 0
    assert said in done.output


def test_an_entry_explains_fields_by_name_and_effect() -> None:
    entries = [
        Unseen(("a[].b", "c*"), ("gone",), "why", ()),
        Unseen(("a[].b",), ("fields",), "why", ()),
        Unseen(("d",), (), "why", ()),
    ]
    assert undetected_flips.explained_by(("a[].b", "gone"), entries) == [1]
    assert undetected_flips.explained_by(("a[].b", "fields: term"), entries) == [2]
    assert undetected_flips.explained_by(("a[].b", "order"), entries) == []
    assert undetected_flips.explained_by(("c.anything", "gone"), entries) == [1]
    assert undetected_flips.explained_by(("d", "changed"), entries) == [3]
    assert undetected_flips.explained_by(("ab", "gone"), entries) == []


def test_a_scratch_folder_is_removed(tmp_path: Path) -> None:
    log = flipped_log("x", "leveldb-log", bytes(64), "x.log", {}, 0, BITS)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with FlipSearch(log, scratch):
        assert (scratch / "x.log").exists()
    assert not scratch.exists()
