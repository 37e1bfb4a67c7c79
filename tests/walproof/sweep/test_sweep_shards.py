"""Complete sweeps: wrong readers are detected, minimised and proposed; runs resume."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from conformance.saving import UNFINISHED
from conformance.subject import subject_of
from conformance.vectors import load, load_all
from tests.walproof.sweep.plans import OF_EACH, fails_undamaged, run_sweep, small_plan, wrong
from walproof.implementations import all_implementations
from walproof.sweep import findings, proposals, shard_runner
from walproof.sweep.minimise import descend, minimise
from walproof.sweep.programs import Program
from walproof.sweep.proposals import Proposer
from walproof.sweep.sweep_folder import AnotherSweep, ShardFailed, SweepFolder, run_shards

THREE = ("leveldb-log/three-records",)


@pytest.mark.parametrize("format", OF_EACH)
def test_readers_of_this_project_agree_on_damaged_logs(format: str, tmp_path: Path) -> None:
    """The specification keeps the invariants, and the scanner and a second reader agree with it."""
    readers = [
        Program(each.name.replace("-", "_"), subject_of(each, "walproof"), ("recover",))
        for each in all_implementations()
        if each.name in ("fast-scan", "kaitai-python") and format in each.formats
    ]
    plan, _ = small_plan(*readers, controls=OF_EACH[format], cases=600, contexts=True)
    found = run_sweep(plan, tmp_path)
    assert not found, [(finding.best.control, finding.best.text) for finding in found]
    rows = pq.read_table(tmp_path / "sweep").to_pylist()
    assert len(rows) > 250
    for name in ("reference", *(reader.name for reader in readers)):
        outcomes = Counter(row[f"outcome_{name}"] for row in rows if row["profile"] == "recover")
        assert outcomes["agrees"] > 100 and outcomes.keys() <= {"agrees", "void"}


def rows_by_case(folder: Path) -> list[tuple[Any, ...]]:
    table = pq.read_table(folder / "sweep", columns=["control", "family", "number", "profile"])
    return sorted(zip(*(column.to_pylist() for column in table.columns), strict=True))


def test_killed_sweep_resumes_completely(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker is killed while it stores a shard; the rows equal those of another sweep."""
    plan, _ = small_plan(cases=2000, shard_cases=500)
    write_json = SweepFolder.write_json

    def die(folder: SweepFolder, name: str, body: Mapping[str, Any]) -> None:
        if name == "shards/00001.json":
            os.kill(os.getpid(), signal.SIGKILL)
        write_json(folder, name, body)

    with monkeypatch.context() as patched:
        patched.setattr(SweepFolder, "write_json", die)
        with pytest.raises(ShardFailed, match="a worker process died"):
            run_sweep(plan, tmp_path / "killed")
    assert 1 in SweepFolder(tmp_path / "killed").begin(plan, False)
    for name in ("killed", "whole"):
        assert run_sweep(plan, tmp_path / name) == []
    assert rows_by_case(tmp_path / "killed") == rows_by_case(tmp_path / "whole")


def test_log_without_a_required_answer_is_void(tmp_path: Path) -> None:
    """One flip makes the file sealed; its key is invalid, so that a reader may only reject it."""
    plan, _ = small_plan(controls=("systemd-journal/no-seals-and-a-key-that-is-none",), cases=3000)
    assert run_sweep(plan, tmp_path) == []
    assert any(marker["cases"].get("void") for marker in SweepFolder(tmp_path).markers())


@pytest.mark.parametrize(
    ("name", "effect"),
    [
        ("ignores_checksums", "record-invented"),
        ("hides_damage", "silent"),
        ("stops_at_the_first_damage", "record-lost"),
        ("changes_the_log", "changes-the-log"),
    ],
)
def test_wrong_reader_is_detected_minimised_and_proposed(
    tmp_path: Path, name: str, effect: str
) -> None:
    controls = (*THREE, "leveldb-log/two-blocks") if effect == "record-lost" else THREE
    # Sampled, so that the smallest case has not run.
    plan, enumerations = small_plan(wrong(name), controls=controls, cases=300 * len(controls) ** 2)
    matching = [f for f in run_sweep(plan, tmp_path) if effect in f.signature.kind.split("+")]
    assert matching and {f.signature.implementation for f in matching} == {name}
    minimise(enumerations, matching, 30)
    findings.describe(enumerations, matching[0])
    assert matching[0].recipe is not None and len(matching[0].recipe.damage) <= 2
    Proposer(enumerations, load_all(), SweepFolder(tmp_path)).propose(matching[0])
    assert matching[0].proposal is not None
    if matching[0].proposal.endswith(".json"):
        proposed = load_all(tmp_path / "proposals")
        assert len(proposed) == 1
        vector = load(tmp_path / matching[0].proposal)
        assert vector.contents is not None  # checks the digest
        assert vector.damage == list(matching[0].recipe.damage)
        text = (tmp_path / matching[0].proposal).with_suffix(".py").read_text()
        compile(text, "recipe", "exec")


def test_finding_without_an_answer_has_no_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_answer(*arguments: object) -> object:
        raise ValueError("an invalid key")

    plan, enumerations = small_plan(wrong("hides_damage"), controls=THREE, cases=300)
    all_findings = run_sweep(plan, tmp_path)
    minimise(enumerations, all_findings, 30)
    findings.describe(enumerations, all_findings[0])
    monkeypatch.setattr(proposals, "answer_to", no_answer)
    Proposer(enumerations, {}, SweepFolder(tmp_path)).propose(all_findings[0])
    assert all_findings[0].proposal is None
    assert not (tmp_path / "proposals").exists()


def test_crashing_and_hanging_readers_do_not_stop_the_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_runner, "MAX_FAILURES", 3)
    plan, _ = small_plan(
        wrong("crashes_on_damage"), wrong("hangs"), controls=THREE, wall_ms=300, cases=50
    )
    by_program = {f.signature.implementation: f for f in run_sweep(plan, tmp_path)}
    assert by_program["crashes_on_damage"].signature.kind == "crash"
    assert by_program["crashes_on_damage"].best.alone
    table = pq.read_table(tmp_path / "sweep")
    assert table["outcome_crashes_on_damage"].to_pylist().count("crash") == 3
    assert any(marker["unsent"] for marker in SweepFolder(tmp_path).markers())
    # It hangs on the undamaged log and gets no damaged ones.
    assert "hangs" not in by_program
    assert fails_undamaged(tmp_path, "hangs").keys() == {f"{THREE[0]} recover"}
    assert set(table["outcome_hangs"].to_pylist()) == {None}


def test_descend_takes_the_first_simpler_candidate() -> None:
    tried: list[int] = []

    def half(case: int, candidate: int) -> int | None:
        tried.append(candidate)
        return candidate if candidate >= 3 else None

    assert descend(24, lambda case: [1, case // 2], half, lambda: False) == 3
    assert tried == [1, 12, 1, 6, 1, 3, 1, 1]
    assert descend(24, lambda case: [case // 2], half, lambda: True) == 24


def test_sweep_resumes_and_refuses_a_different_sweep(tmp_path: Path) -> None:
    plan, _ = small_plan(cases=4000, shard_cases=500)
    folder = SweepFolder(tmp_path)
    todo = folder.begin(plan, False)
    assert len(todo) == len(plan.shards) > 2
    run_shards(plan, folder, todo[:2])
    before = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "shards").iterdir()}
    temporary = tmp_path / "sweep" / f".half{UNFINISHED}"
    temporary.write_bytes(b"half")
    assert folder.begin(plan, False) == todo[2:]
    assert not temporary.exists()
    run_shards(plan, folder, todo[2:])
    assert {n: p.stat().st_mtime_ns for p in (tmp_path / "shards").iterdir() if (n := p.name)
            in before} == before  # fmt: skip
    assert folder.begin(plan, False) == []
    other_plan, _ = small_plan(cases=2000, shard_cases=500)
    with pytest.raises(AnotherSweep, match="different cases"):
        folder.begin(other_plan, False)
    assert len(folder.begin(other_plan, True)) > 2
