"""The systems that are built open damaged logs as the page shows."""

from __future__ import annotations

import sys

import pytest

from conformance.registry import all_implementations
from lab.__main__ import lab
from lab.crash.crash_run import FOLDER as WRITERS
from lab.databases import page
from lab.databases.open_cases import cases_for, open_cases
from lab.databases.opening_result import OpeningResult
from lab.databases.systems import FOLDER, DatabaseSystem, systems
from walproof.cli.command_group import run as run_group
from walproof.implementations import FOLDER as TOOLS

SYSTEMS = {f"{each.name}, {each.format}": each for each in systems()}
#: The cases that the tests run for each format. `python -m lab databases` runs all cases.
CHEAP = {
    "leveldb-log": ("bit-in-a-payload",),
    "kahadb-journal": ("bit-in-a-payload/text",),
    "systemd-journal": ("bit-in-a-payload/payload-flipped",),
    "zmq-raft": ("size-before-data",),
    "zeebe-journal": ("swapped/segments-swapped",),
    "rocksdb-wal": ("bit-in-a-payload/recyclable",),
    "sqlite-wal": ("bit-in-a-payload",),
    "etcd-wal": ("zeroed-sector/frame",),
}


def test_no_implementation_builds_in_the_directory_of_another() -> None:
    outputs = [each.output for each in all_implementations(TOOLS, WRITERS, FOLDER)]
    assert sorted(set(outputs)) == sorted(outputs)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_real_system_has_its_stored_answers(name: str) -> None:
    system = SYSTEMS[name]
    if not system.implementation.is_built():
        pytest.skip(
            f"unavailable, because {system.name} is not built: "
            f"python -m lab databases --system {system.name}"
        )
    mode = list(system.modes)[-1]
    for _, case, found in open_cases(system, [mode], lambda case: case.id in CHEAP[system.format]):
        stored = system.answers[mode][case.id]
        assert (found.effect, found.log) == (stored.effect, stored.log)


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_every_mode_and_log_has_a_stored_answer(system: DatabaseSystem) -> None:
    ids = [case.id for case in cases_for(system)]
    assert {mode: list(answers) for mode, answers in system.answers.items()} == {
        mode: ids for mode in system.modes
    }
    for answers in system.answers.values():
        sound = answers["none"]
        assert (sound.end, sound.returned, sound.report) == ("opened", sound.written, None)


def test_the_page_shows_the_stored_answers() -> None:
    assert page.PAGE.read_text("utf-8") == page.page(), "make it anew: lab databases --save"


def test_the_undamaged_log_is_opened_once_in_a_mode() -> None:
    requested: list[tuple[str, str]] = []

    def opening(system: DatabaseSystem, mode: str, case) -> OpeningResult:
        requested.append((mode, case.id))
        return OpeningResult(
            "opened", messages=["usual 1"] if case.log == case.control else ["usual 2", "odd"]
        )

    system = SYSTEMS["leveldb-database, leveldb-log"]
    results = list(
        open_cases(system, ["open"], lambda case: case.id in ("none", "swapped"), opening)
    )
    assert len(requested) == 2
    assert [judgement.report for _, _, judgement in results] == [None, "odd"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--list", "--system", "leveldb-database"], "RepairDB"),
        (["--system", "nobody"], "'goleveldb-database', "),
        (["--case", "nothing"], "there are: none, torn-last-record"),
        (["--format", "no-log"], "'no-log' is not one of"),
        (["--case", "swapped", "--save"], "excludes --case"),
    ],
)
def test_the_command_lists_systems_and_cases(words, said, monkeypatch, capfd) -> None:
    monkeypatch.setattr(sys, "argv", ["lab", "databases", *words])
    with pytest.raises(SystemExit):
        run_group(lab)
    assert said in "".join(capfd.readouterr())
