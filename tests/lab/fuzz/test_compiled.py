"""Fuzzers of other languages: what they begin with, and that what ends one is kept."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from lab.fuzz.compiled import run as running
from lab.fuzz.compiled.languages import LANGUAGES, Language, Run
from lab.fuzz.findings import saved_findings
from lab.fuzz.inputs import Input
from walproof.parsers import languages
from walproof.parsers.naming import Naming

FORMAT = "zmq-raft"
FLAGS = "    bool n_newer_fields;\n    bool f_other;\n"
INPUTS = [
    Input(FORMAT, "folder", {"a.rlog": b"RLOG", "b.pers": b"xy"}),
    Input(FORMAT, "c.pers", b"xy"),
    Input(FORMAT, "d.snap", b"z"),
]

TOY = """
import os, pathlib, sys
artifacts, seeds = map(pathlib.Path, sys.argv[1:])
bad = [p for p in sorted(seeds.iterdir()) if b"x" in p.read_bytes()]
print(f"stat::number_of_executed_units: {len(list(seeds.iterdir()))}", file=sys.stderr)
if bad and not list(artifacts.iterdir()) and os.environ["WALPROOF_GRAMMAR"] == "zmq_raft_state":
    print("==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x12", file=sys.stderr)
    (artifacts / "crash-1").write_bytes(bad[0].read_bytes())
    sys.exit(77)
"""


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Language:
    """A fuzzer that dies of one state file and, started again, of nothing."""

    def command(folder: Path, run: Run) -> list[str]:
        return [sys.executable, "-S", "-c", TOY, str(run.artifacts), str(run.seeds)]

    created = Language(
        "toy", (), lambda folder: None, command, LANGUAGES["cpp"].executed,
        LANGUAGES["cpp"].environment,
    )  # fmt: skip
    monkeypatch.setitem(LANGUAGES, "toy", created)
    return created


def test_each_file_begins_under_its_own_grammar() -> None:
    assert list(running.seeds_of(INPUTS, "zmq_raft_state")) == [b"xy"]
    assert list(running.seeds_of(INPUTS, "zmq_raft_snapshot")) == [b"z"]
    assert list(running.seeds_of(INPUTS, "zmq_raft_rlog")) == [b"RLOG"]


def test_what_ends_a_fuzzer_is_kept_and_it_goes_on(toy: Language, tmp_path: Path) -> None:
    done = running.run("toy", FORMAT, INPUTS, 0, 300, 1, tmp_path / "f", tmp_path / "c", tmp_path)
    assert done.complaint == ""
    assert done.deaths == 1
    assert done.inputs >= 4, "the first process and the second one count"
    (message,) = saved_findings(tmp_path / "f")
    assert message["who"] == "parser of zmq_raft_state, toy"
    assert message["text"] == "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address"
    assert (tmp_path / "f/crash-1").read_bytes() == b"xy"
    assert list(done.findings.values()) == [1]


def test_a_fuzzer_that_fails_for_no_input_is_a_complaint(
    toy: Language, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    done = running.run("toy", FORMAT, INPUTS, 0, 3, 1, tmp_path / "f", tmp_path / "c", tmp_path)
    assert "ended with 1" in done.complaint


def test_an_enum_of_cpp_holds_every_number() -> None:
    """A number without a name was undefined behaviour: clang's sanitizer ended at the first one."""
    text = "class a {\n    enum record_type_t {\n        ZERO = 0\n    };\n * an enum is {\n"
    result = languages.LANGUAGES["cpp"].finish(text, Naming())
    assert "    enum record_type_t : int64_t {\n" in result
    assert re.findall("int64_t", result) == ["int64_t"]


def test_a_flag_of_cpp_is_set_before_it_is_asked() -> None:
    """Cleaning up after an exception asked for flags of fields that were never reached."""
    result = languages.LANGUAGES["cpp"].finish(FLAGS, Naming())
    assert result == "    bool n_newer_fields = true;\n    bool f_other;\n"
