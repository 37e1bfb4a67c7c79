"""The judge finds faulty readers and names each fault."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance import VECTORS
from conformance.vectors import load
from lab.fuzz import judge as judging
from lab.fuzz.findings import Findings, minimise, saved_findings
from lab.fuzz.inputs import Input, unpack
from lab.fuzz.judge import SECOND, Fault, Judge
from reference_impl.answer import End, Lost, collect

THREE = load(VECTORS / "leveldb-log/three-records.json")
DAMAGED = load(VECTORS / "leveldb-log/payload-flipped-in-second-record.json")


def input_of(vector: Any) -> Input:
    return Input(vector.id, vector.body["format"], vector.contents, vector.input.name)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    judge = Judge("leveldb-log", tmp_path_factory.mktemp("fuzz"), always=True)
    judge.faults(input_of(THREE))  # compiles the kernels, which is slow
    return judge


@pytest.fixture
def judge(sound: Judge, monkeypatch: pytest.MonkeyPatch) -> Judge:
    monkeypatch.setattr(sound, "reference", sound.reference)
    monkeypatch.setattr(sound, "others", dict(sound.others))
    return sound


def kinds(faults: list[Fault]) -> set[str]:
    return {f"{fault.reader}: {part}" for fault in faults for part in fault.kind.split("+")}


@pytest.mark.parametrize("vector", [THREE, DAMAGED])
def test_our_readers_have_no_fault(judge: Judge, vector) -> None:
    assert judge.faults(input_of(vector)) == []


def test_a_second_reader_that_loses_a_record(judge: Judge) -> None:
    right = judge.others[SECOND]

    def wrong(path: Path, profile: str, context: Any) -> dict[str, Any]:
        message = right(path, profile, context)
        return {**message, "records": message["records"][1:]}

    judge.others[SECOND] = wrong
    assert "second reader: record-lost" in kinds(judge.faults(input_of(THREE)))


def test_a_reader_that_raises_is_named_by_the_line(judge: Judge) -> None:
    def raising(*given: Any) -> dict[str, Any]:
        raise IndexError("nothing there")

    judge.others[SECOND] = raising
    (each, *_) = judge.faults(input_of(THREE))
    assert each.kind == "raises"
    assert "IndexError at test_judge.py, raising, line" in each.signature


def test_a_reader_that_takes_memory_and_time(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "PROCESSOR_SECONDS", 0.05)
    right = judge.others[SECOND]
    judge.others[SECOND] = lambda *given: (
        bytearray(100 << 20), sum(range(10_000_000)), right(*given)
    )[2]  # fmt: skip
    result = kinds(judge.faults(input_of(THREE)))
    assert {"second reader: over-memory", "second reader: slow"} <= result


class Hiding:
    """A specification that skips the second record without reporting a loss."""

    def __init__(self, right: Any) -> None:
        self.right = right

    def read(self, control: Any, contents: Any, profile: str = "recover") -> Any:
        message = self.right.read(control, contents, profile)
        hidden = message.records[1:2]
        return replace(message, records=tuple(r for r in message.records if r not in hidden))


def test_hidden_bytes_are_a_finding_with_a_small_input_and_a_command(
    judge: Judge, tmp_path: Path
) -> None:
    judge.reference = Hiding(judge.reference)
    each = input_of(THREE)
    assert "scanner: record-extra" in kinds(judge.faults(each))
    fault = next(f for f in judge.faults(each) if f.kind == "unaccounted")
    small = minimise(each, lambda o: fault.signature in {f.signature for f in judge.faults(o)}, 5)
    assert small.size < each.size
    findings = Findings(tmp_path)
    findings.add(fault, each)
    findings.add(fault, small)
    (message,) = saved_findings(tmp_path)
    assert (message["size"], message["kind"]) == (small.size, "unaccounted")
    path = Path(message["repeat"].split()[5])
    assert unpack(path.read_bytes()) == small
    assert path.with_name("log").joinpath(each.name).read_bytes() == small.contents


EMPTY = {
    "first": bytes.fromhex("6451d0e9000002"),
    "middle": bytes.fromhex("336dcde3000003"),
}


@pytest.mark.parametrize("hidden", ["first", "first middle middle"])
def test_an_open_record_without_data_is_framing(judge: Judge, hidden: str) -> None:
    """An empty MIDDLE after an empty FIRST hides no record; fuzzing found this case."""
    log = b"".join(EMPTY[each] for each in hidden.split()) + THREE.contents
    assert judge.faults(Input("", "leveldb-log", log, "x.log")) == []


@pytest.mark.parametrize(
    ("end", "lost", "wrong"),
    [
        (End("torn", "torn-header", 0), [], ""),
        (End("damaged", "bad-length", 0), [], "damaged with 0 lost ranges"),
        (End("intact", None, 3), [Lost(0, 1, "x")], "intact with 1 lost ranges"),
        (End("intact", "x", 3), [], "intact with the reason x"),
        (End("torn", "x", 3), [Lost(0, 5, "x"), Lost(4, 6, "x")], "lost ranges overlap at 4"),
        (End("torn", "x", 3), [Lost(30, 99, "x")], "the lost range [30, 99) lies outside"),
        (End("torn", "x", 99), [Lost(0, 5, "x")], "the end 99 lies outside"),
        (End("refused", "x", 0), [], "refused, and tells"),
    ],
)
def test_an_inconsistent_answer_is_reported(end: End, lost: list[Lost], wrong: str) -> None:
    message = judging.malformed(input_of(THREE), collect([*lost, end]))
    assert message.startswith(wrong) if wrong else message == ""
