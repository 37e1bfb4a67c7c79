"""The search for undetected flips enumerates flips and classifies their effects."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from click.testing import CliRunner

from conformance import undetected_flips
from conformance.vectors import load_all
from reference_impl.answer import Record
from reference_impl.register import Unseen
from walproof.cli.sweep import sweep
from walproof.sweep.flips import choose_logs, effect_of, run_flips

BITS = 4096

ALPHA, BRAVO, CHARLIE = (
    Record(at, 5, payload, {"term": "3"})
    for at, payload in ((0, b"alpha"), (5, b"bravo"), (10, b"charlie"))
)
WRITTEN = [ALPHA, BRAVO, CHARLIE]


@pytest.mark.parametrize(
    ("after", "effect"),
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
def test_effect_of_a_flip(after: list[Record], effect: str | None) -> None:
    assert effect_of(WRITTEN, after) == effect


def test_flips_cover_a_log_of_several_files() -> None:
    (log,) = choose_logs(load_all(), "zmq-raft", ["snapshot-in-front"], BITS)
    flips = {log.flip(number) for number in range(log.count)}
    assert len(flips) == 8 * sum(map(len, log.control.files.values()))
    hit = {file for file, at, _ in flips if log.field(file, at) == "snapshot: header.index"}
    assert hit == {"snap"}
    (stretch,) = run_flips([log], [(0, range(0, log.count, 16))])
    assert stretch.tried.total() == log.count // 16


def test_large_log_is_sampled_without_duplicates() -> None:
    (log,) = choose_logs(load_all(), "leveldb-log", ["three-blocks-of-short-records"], 8000)
    flips = {log.flip(number) for number in range(log.count)}
    assert log.count == len(flips) == 1000
    structure = set(log.control.fields[""].structural)
    assert sum(at in structure for _, at, _ in flips) == 336  # all bits of the structure
    content = sorted(at for _, at, _ in flips if at not in structure)
    assert max(b - a for a, b in pairwise(content)) < 500


def test_results_follow_the_task_order() -> None:
    logs = choose_logs(load_all(), "zmq-raft", ["three-entries", "terms-and-votes"], 400)
    tasks = [(n, range(start, start + 100)) for n in (1, 0) for start in range(0, 400, 100)]
    outcomes = run_flips(logs, tasks)
    assert [outcome.log for outcome in outcomes] == [logs[n].control.id for n, _ in tasks]
    assert [outcome.tried.total() for outcome in outcomes] == [100] * 8


def test_command_lists_each_flip() -> None:
    arguments = ["--flips", "--format", "kahadb-journal", "--control", "hello-without-checksum"]
    result = CliRunner().invoke(sweep, [*arguments, "--json"], standalone_mode=False)
    assert result.return_value == 0, result.output
    report = json.loads(result.stdout)
    assert len(report["flips"]) == 40
    assert report["flips"][0] == {
        "log": "kahadb-journal/hello-without-checksum",
        "at": report["flips"][0]["at"],
        "bit": report["flips"][0]["bit"],
        "field": "batches[0].records[0].payload",
        "effect": "changed",
    }
    (log,) = report["logs"].values()
    assert log["unseen"] == {"batches[].records[].payload": {"changed": 40}}
    assert report["tried"]["batches[].records[].payload"] == 40 and report["problems"] == []


def test_command_reports_unexplained_flips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.undetected_flips.explained_by", lambda hit, entries: [])
    arguments = ["--flips", "--format", "kahadb-journal", "--control", "hello-without-checksum"]
    result = CliRunner().invoke(sweep, arguments, standalone_mode=False)
    assert result.return_value == 3
    flat = " ".join(result.output.split())
    assert "unexplained: 40 flips of batches[].records[].payload have the effect changed" in flat


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--control", "no-such-vector"], "no intact vector of leveldb-log fits"),
        (["--control", "three-records", "--save"], "--save is for a search of all vectors"),
    ],
)
def test_search_rejects_invalid_arguments(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(sweep, ["--flips", "--format", "leveldb-log", *arguments])
    assert result.exit_code != 0
    assert message in result.output


def test_register_entry_matches_field_and_effect() -> None:
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
