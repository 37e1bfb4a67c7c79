"""Test that each guarantee has an example, and that the page agrees with the vectors and lists."""

from __future__ import annotations

from dataclasses import replace

import pytest
from click.testing import CliRunner

from conformance import known_failures
from conformance.registry import FOLDER
from conformance.vectors import Vector, load_all
from lab.scenarios import book, page, results
from lab.scenarios.command import scenarios as command


@pytest.fixture(scope="module")
def vectors():
    return load_all()


@pytest.fixture(scope="module")
def examples(vectors):
    return book.shown(vectors)


def test_a_dozen_scenarios_and_each_of_them_in_three_formats(examples):
    assert len(examples) >= 12
    for id, outcome in examples.items():
        assert len({book.format_of(each.vector) for each in outcome}) >= 3, id


def test_a_promise_without_an_example_is_an_error(vectors):
    left = {id: each for id, each in vectors.items() if id != "leveldb-log/cut-in-a-payload"}
    with pytest.raises(book.BrokenScenario, match=r"torn-last-record: guaranteed by .*leveldb-log"):
        book.shown(left)


def test_a_scenario_that_nobody_wrote_is_an_error(vectors):
    id = "leveldb-log/cut-in-a-header"
    other = replace(vectors[id], body={**vectors[id].body, "scenario": "torn-page"})
    with pytest.raises(book.BrokenScenario, match="no scenario 'torn-page'"):
        book.shown({**vectors, id: other})


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("leveldb-log/cut-in-a-payload", "2/3: torn"),
        ("leveldb-log/blocks-swapped", "6/6, in another order: undetectable"),
        ("leveldb-log/block-dropped", "4/6: undetectable"),
        ("zeebe-journal/stale-record-behind-the-end", "4/4"),
        ("kahadb-journal/batch-twice", "5/5, 1 twice: undetectable"),
        ("systemd-journal/payload-flipped", "4/5, 1 in part: damaged"),
        ("systemd-journal/append-to-a-torn-file", "the writer refuses, and changes no byte"),
        ("zmq-raft/bit-of-a-payload", "4/5, 1 never written: undetectable"),
    ],
)
def test_what_is_owed_is_said_in_words(examples, id, expected):
    (outcome,) = (one for each in examples.values() for one in each if one.vector.id == id)
    assert outcome.expected_text == expected


def test_the_outcome_is_the_verdict_unless_a_change_is_undetectable(examples):
    outcomes = {one.vector.id: one.outcome for each in examples.values() for one in each}
    assert outcomes["leveldb-log/cut-in-a-payload"] == "torn"
    assert outcomes["leveldb-log/blocks-swapped"] == "undetectable"
    assert outcomes["zeebe-journal/stale-record-behind-the-end"] == "intact"
    assert outcomes["systemd-journal/append-to-a-torn-file"] == "refuses"


@pytest.mark.parametrize(
    ("effects", "shown"),
    [
        ("as expected,as expected", {}),
        ("a,a,a,b", {"b": "s3", "a": "all others"}),
        ("a,b,b,b,not run", {"a": "s0", "b": "all others", "not run": "s4"}),
        ("a,not run,not run,not run", {"a": "s0", "not run": "all others"}),
        ("a,a,a,as expected", {"a": "s0, s1, s2"}),
        ("a,a,b,b", {"a": "s0, s1", "b": "s2, s3"}),
        ("a,a,a", {"a": "s0, s1, s2"}),
        ("loses 1 more; reports nothing,reports nothing",
         {"loses 1 more silently": "s0", "reports nothing": "s1"}),
    ],
)  # fmt: skip
def test_the_largest_group_is_called_all_others_if_nobody_behaves_as_expected(
    examples, effects, shown
):
    example = examples["swapped"][0]
    given = {
        f"s{number}": {example.vector.id: effect.replace(";", ","), "other": "as expected"}
        for number, effect in enumerate(effects.split(","))
    }
    given["never-run"] = {example.vector.id: "not run"}
    assert list(page._outcomes(example, given).items()) == list(shown.items())


def result(**more):
    sound = {"records": [{"payload": "61"}, {"payload": "62"}]}
    return {"class": "known-failure", "difference": "", "expected": sound, "actual": sound, **more}


@pytest.mark.parametrize(
    ("found", "effect"),
    [
        ({"class": "pass"}, "as expected"),
        ({"class": "skipped"}, "not run"),
        ({"actual": None, "difference": "no reply within 0.7 s"}, "hangs"),
        ({"actual": None, "difference": "exit status 134; abort"}, "fails: exit status 134"),
        ({"actual": {"records": [{"payload": "61"}]}}, "loses 1 more"),
        ({"actual": {"records": [{"payload": "61"}, {"payload": "63"}]}}, "returns 1 changed"),
        ({"actual": {"records": [{"payload": p} for p in ("61", "62", "63")]}},
         "returns 1 unexpected"),
        ({"actual": {"records": []}, "difference": "signals: a damaged log, and not a word of it"},
         "loses 2 more, reports nothing"),
        ({"difference": "lost: expected [0, 7), found none"}, "reports other bytes as lost"),
    ],
)  # fmt: skip
def test_an_effect_is_what_the_holder_of_the_log_sees(found, effect):
    assert results.effect(result(**found)) == effect


def test_the_kept_results_are_those_of_the_known_failures(examples):
    given = results.load_results()
    requested = {one.vector.id for each in examples.values() for one in each}
    assert {id for effects in given.values() for id in effects} == requested
    for name, effects in given.items():
        listed = known_failures.load(FOLDER / name / "known-failures.json").entries
        known = {id for id, profile in listed if id in requested and profile in results.PROFILES}
        wrong = {
            id for id, effect in effects.items()
            if effect not in (results.AS_EXPECTED, results.NOT_RUN)
        }  # fmt: skip
        assert wrong == known, name


def test_every_real_system_is_on_the_page(examples):
    real = {path.parent.name for path in FOLDER.glob("*/known-failures.json")}
    assert results.load_results().keys() == real


def test_the_page_is_made_of_what_is_there(vectors):
    assert page.PAGE.read_text("utf-8") == page.page(vectors, results.load_results()), (
        "make it anew: python -m lab scenarios --save"
    )


def test_a_run_without_real_systems_gives_nothing(vectors: dict[str, Vector]):
    ours = {"name": "executable-spec", "status": "ran", "results": []}
    assert results.of_report({"implementations": [ours]}, vectors) == {}


def test_the_command_lists_and_refuses():
    listed = CliRunner().invoke(command, [])
    assert listed.exit_code == 0 and "lost-file" in listed.output
    refused = CliRunner().invoke(command, ["--run", "."])
    assert refused.exit_code == 2 and "it needs --save" in refused.output
