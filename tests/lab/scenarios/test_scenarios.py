"""Each guarantee has an example, and the page agrees with the vectors and lists."""

from __future__ import annotations

from dataclasses import replace

import pytest
from click.testing import CliRunner

from conformance import known_failures
from conformance.registry import FOLDER
from conformance.vectors import load_all
from lab.scenarios import book, page, results
from lab.scenarios.command import scenarios as command


@pytest.fixture(scope="module")
def vectors():
    return load_all()


@pytest.fixture(scope="module")
def examples(vectors):
    return book.shown(vectors)


def test_a_guarantee_without_an_example_is_an_error(vectors):
    left = {id: each for id, each in vectors.items() if id != "leveldb-log/cut-in-a-payload"}
    with pytest.raises(book.BrokenScenario, match=r"torn-last-record: guaranteed by .*leveldb-log"):
        book.shown(left)


def test_an_undefined_scenario_is_an_error(vectors):
    id = "leveldb-log/cut-in-a-header"
    other = replace(vectors[id], body={**vectors[id].body, "scenario": "torn-page"})
    with pytest.raises(book.BrokenScenario, match="no scenario 'torn-page'"):
        book.shown({**vectors, id: other})


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
        ({"actual": {"records": []},
          "difference": "signals: expected one for a damaged log, found none"},
         "loses 2 more, reports nothing"),
        ({"difference": "lost: expected [0, 7), found none"}, "reports other bytes as lost"),
    ],
)  # fmt: skip
def test_a_result_has_its_effect_for_users(found, effect):
    assert results.effect(result(**found)) == effect


def test_the_stored_results_agree_with_the_known_failures(examples):
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


def test_the_page_is_current(vectors):
    assert page.PAGE.read_text("utf-8") == page.page(vectors, results.load_results()), (
        "make it anew: python -m lab scenarios --save"
    )


def test_the_command_lists_and_refuses():
    listed = CliRunner().invoke(command, [])
    assert listed.exit_code == 0 and "lost-file" in listed.output
    refused = CliRunner().invoke(command, ["--run", "."])
    assert refused.exit_code == 2 and "it needs --save" in refused.output
