"""The judge detects faulty readers and names each fault."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance import VECTORS
from conformance.vectors import load
from lab.fuzz import judge as judging
from lab.fuzz.findings import Findings, minimise, saved_findings
from lab.fuzz.inputs import Input, unpack
from lab.fuzz.judge import SECOND, FuzzJudge, ReaderFault
from reference_impl.answer import End, Lost, Record, collect

THREE = load(VECTORS / "leveldb-log/three-records.json")
DAMAGED = load(VECTORS / "leveldb-log/payload-flipped-in-second-record.json")


def input_of(vector: Any) -> Input:
    return Input(vector.id, vector.body["format"], vector.contents, vector.input.name)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> FuzzJudge:
    judge = FuzzJudge("leveldb-log", tmp_path_factory.mktemp("fuzz"))
    # The first run compiles the kernels, which is slow.
    judge.faults(input_of(THREE))
    return judge


@pytest.fixture
def judge(sound: FuzzJudge, monkeypatch: pytest.MonkeyPatch) -> FuzzJudge:
    monkeypatch.setattr(sound, "format", sound.format)
    monkeypatch.setattr(sound, "others", dict(sound.others))
    return sound


def kinds(faults: list[ReaderFault]) -> set[str]:
    return {f"{fault.reader}: {part}" for fault in faults for part in fault.kind.split("+")}


@pytest.mark.parametrize("vector", [THREE, DAMAGED])
def test_our_readers_have_no_fault(judge: FuzzJudge, vector) -> None:
    assert judge.faults(input_of(vector)) == []


def test_a_second_reader_that_loses_a_record(judge: FuzzJudge) -> None:
    right = judge.others[SECOND]

    def wrong(path: Path, profile: str, context: Any) -> dict[str, Any]:
        message = right(path, profile, context)
        return {**message, "records": message["records"][1:]}

    judge.others[SECOND] = wrong
    assert "second reader: record-lost" in kinds(judge.faults(input_of(THREE)))


def test_a_reader_that_raises_is_named_by_the_line(judge: FuzzJudge) -> None:
    def raising(*given: Any) -> dict[str, Any]:
        raise IndexError("nothing there")

    judge.others[SECOND] = raising
    (each, *_) = judge.faults(input_of(THREE))
    assert each.kind == "raises"
    assert "IndexError at test_judge.py, raising, line" in each.signature


def test_a_reader_that_takes_memory_and_time(
    judge: FuzzJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "PROCESSOR_SECONDS", 0.05)
    right = judge.others[SECOND]
    judge.others[SECOND] = lambda *given: (
        bytearray(100 << 20), sum(range(10_000_000)), right(*given)
    )[2]  # fmt: skip
    result = kinds(judge.faults(input_of(THREE)))
    assert {"second reader: over-memory", "second reader: slow"} <= result


def hiding(right: Any) -> Any:
    """Return a specification that skips the second record without reporting a loss."""

    def read(path: Path, profile: str, context: Any) -> Iterator[Any]:
        records = 0
        for event in right.read(path, profile, context):
            records += isinstance(event, Record)
            if not isinstance(event, Record) or records != 2:
                yield event

    return replace(right, read=read)


def test_hidden_bytes_are_a_finding_with_a_small_input_and_a_command(
    judge: FuzzJudge, tmp_path: Path
) -> None:
    judge.format = hiding(judge.format)
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
def test_an_open_record_without_data_is_framing(judge: FuzzJudge, hidden: str) -> None:
    """An empty MIDDLE after an empty FIRST hides no record. Fuzzing found this case."""
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
