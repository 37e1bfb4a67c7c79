"""A run counts its inputs, stores findings at once, and reports inputs that end the process."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import VECTORS
from conformance.vectors import load
from lab.fuzz import command, fuzz_run
from lab.fuzz.command import fuzz
from lab.fuzz.engines import EngineRun, FuzzEngine
from lab.fuzz.findings import saved_findings
from lab.fuzz.fuzz_run import FuzzOutcome, fuzz_format, seeds_of
from lab.fuzz.inputs import Input
from lab.fuzz.judge import ReaderFault
from lab.fuzz.worker import PROGRESS, FuzzSession
from walproof.parsers import languages

VECTOR = load(VECTORS / "leveldb-log/three-records.json")
ONE = Input(VECTOR.id, "leveldb-log", VECTOR.contents, "x.log")
FORMAT = "zmq-raft"
INPUTS = [
    Input("", FORMAT, {"a.rlog": b"RLOG", "b.pers": b"xy"}, "folder"),
    Input("", FORMAT, b"xy", "c.pers"),
    Input("", FORMAT, b"z", "d.snap"),
]

#: This toy fuzzer crashes on the first file that contains an x, but only once: not after a restart.
TOY = """
import os, pathlib, sys
scratch = pathlib.Path(sys.argv[1])
bad = [p for p in sorted(scratch.glob("seeds/*")) if b"x" in p.read_bytes()]
print(f"stat::number_of_executed_units: {len(list(scratch.glob('seeds/*')))}", file=sys.stderr)
if bad and not (scratch / "seen").exists():
    (scratch / "seen").touch()
    print("==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x12", file=sys.stderr)
    (scratch / "artifacts/crash-1").write_bytes(bad[0].read_bytes())
    sys.exit(77)
"""


def run_toy(target: str, script: str, logs: list[Input], folder: Path) -> FuzzOutcome:
    def command(_: Path, run: EngineRun) -> list[str]:
        return [sys.executable, "-S", "-c", script, str(run.scratch)]

    engine = FuzzEngine((), lambda _: None, command)
    budget = EngineRun("", Path(), folder / "corpus", folder / "findings", 60)
    return fuzz_format(engine, folder, FuzzOutcome(logs[0].format, target), logs, budget)


def test_each_file_begins_under_its_own_grammar() -> None:
    assert list(seeds_of(INPUTS, "zmq_raft_state")) == [b"xy"]
    assert list(seeds_of(INPUTS, "zmq_raft_snapshot")) == [b"z"]
    assert list(seeds_of(INPUTS, "zmq_raft_rlog")) == [b"RLOG"]


def test_an_input_that_ends_a_compiled_fuzzer_is_a_finding(tmp_path: Path) -> None:
    done = run_toy("cpp", TOY, INPUTS, tmp_path)
    assert (done.complaint, len(done.findings)) == ("", 1)
    assert done.inputs >= 4, "the first process and the second one count"
    (message,) = saved_findings(tmp_path / "findings")
    assert message["reader"] == "parser of zmq_raft_state, cpp"
    assert message["text"] == "ERROR: AddressSanitizer: heap-buffer-overflow on address"
    assert Path(message["repeat"].split()[-1]).read_bytes() == b"xy"


def test_an_input_that_ends_readers_in_python_is_a_finding(tmp_path: Path) -> None:
    done = run_toy("differential", TOY.replace('b"x"', 'b"x.log"'), [ONE], tmp_path)
    assert done.complaint == ""
    (message,) = saved_findings(tmp_path / "findings")
    assert (message["reader"], message["kind"], message["size"]) == ("process", "crash", ONE.size)


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("raise SystemExit(1)", "ended with 1"),
        (TOY.replace('b"x"', 'b"x.log"').replace("bad[0].read_bytes()", "b'?'"), "line 1: "),
        (TOY.replace('b"x"', 'b"x.log"').replace('"seen"', '"never" / "seen"'), "given up after"),
    ],
)
def test_a_fuzzer_that_fails_without_an_input_is_reported(
    script: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz_run, "MAX_DEATHS", 2)
    script = script.replace('(scratch / "never" / "seen").touch()', "")
    assert complaint in run_toy("differential", script, [ONE], tmp_path).complaint


def test_a_session_notes_findings_as_they_occur(tmp_path: Path) -> None:
    session = FuzzSession("leveldb-log", tmp_path / "findings", tmp_path)
    session.try_input(b"no input")
    session.try_input(ONE.pack())
    assert saved_findings(tmp_path / "findings") == []
    fault = ReaderFault("x", "raises", "", "ValueError at x.py")
    session.judge.faults = lambda log: [fault] * (b"bravo" in log.contents)  # type: ignore
    session.try_input(ONE.pack())
    assert json.loads((tmp_path / PROGRESS).read_text())["findings"] == [fault.signature]
    (message,) = saved_findings(tmp_path / "findings")
    assert message["size"] < ONE.size, "it was minimised"
    # After a death, another process goes on in the same folder.
    FuzzSession("leveldb-log", tmp_path / "findings", tmp_path)


def run(*words: object) -> Result:
    return CliRunner().invoke(fuzz, [str(word) for word in words], standalone_mode=False)


@pytest.mark.skipif(not importlib.util.find_spec("atheris"), reason="atheris is not installed")
def test_a_short_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "CORPUS", tmp_path / "corpus")
    done = run("--format", "leveldb-log", "--seconds", 3, "--out", tmp_path / "out")
    assert done.return_value == 0
    assert not (tmp_path / "out").exists(), done.output
    assert any((tmp_path / "corpus/leveldb-log/differential").iterdir())


def test_an_input_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / "one.fuzz").write_bytes(ONE.pack())
    done = run("--repeat", tmp_path / "one.fuzz")
    assert done.return_value == 0 and "No fault." in done.output
    (tmp_path / "one.fuzz").write_bytes(b"nothing")
    done = run("--repeat", tmp_path / "one.fuzz")
    assert "line 1: expected the description of a log" in str(done.exception)


def test_an_enum_of_cpp_holds_every_number() -> None:
    """Without a fixed type, an unnamed value is undefined behaviour and stops clang's sanitizer."""
    text = "class a {\n    enum record_type_t {\n        ZERO = 0\n    };\n * an enum is {\n"
    result = languages.LANGUAGES["cpp"].finish(text)
    assert "    enum record_type_t : int64_t {\n" in result
    assert result.count("int64_t") == 1


def test_a_flag_of_cpp_is_set_before_it_is_used() -> None:
    """Flags start as true, because clean-up after an exception reads flags of unread fields."""
    flags = "    bool n_newer_fields;\n    bool f_other;\n"
    result = languages.LANGUAGES["cpp"].finish(flags)
    assert result == "    bool n_newer_fields = true;\n    bool f_other;\n"
