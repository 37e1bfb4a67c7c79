"""Whole sweeps in this process: wrong readers are found, minimised and proposed; runs resume."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from conformance.saving import UNFINISHED
from conformance.vectors import load, load_all
from tests.walproof.sweep.plans import fails_undamaged, planned, swept, wrong
from walproof.sweep import findings, proposals, shard_runner
from walproof.sweep.minimise import descend, minimise
from walproof.sweep.proposals import Proposer
from walproof.sweep.sweep_folder import AnotherSweep, ShardFailed, SweepFolder, run_shards

THREE = ("leveldb-log/three-records",)


def counted(path: Path, topic: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for marker in SweepFolder(path).markers():
        counts.update(marker["counts"].get(topic, {}))
    return counts


def test_the_specification_has_no_findings(tmp_path: Path) -> None:
    plan, _ = planned(cases=4000)
    assert swept(plan, tmp_path) == []
    rows = pq.read_table(tmp_path / "sweep")
    assert set(rows["outcome_reference"].to_pylist()) == {"agrees"}
    assert rows.num_rows == counted(tmp_path, "operations").total() > 2500


def dying(times: int, marks: Path) -> Any:
    """Finish shards as ever, but kill the process the first ``times`` times."""
    finish = SweepFolder.finish

    def finish_or_die(*given: Any) -> None:
        if len(list(marks.iterdir())) < times:
            (marks / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        finish(*given)

    return finish_or_die


@pytest.mark.parametrize(("times", "ends"), [(1, True), (9, False)])
def test_a_shard_whose_process_is_killed_is_begun_again(
    times: int, ends: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = tmp_path / "killed"
    marks.mkdir()
    monkeypatch.setattr(SweepFolder, "finish", dying(times, marks))
    plan, _ = planned(cases=2000, shard_cases=500)
    if ends:
        assert swept(plan, tmp_path / "out") == []
    else:
        with pytest.raises(ShardFailed, match="a process died 3 times"):
            swept(plan, tmp_path / "out")


def test_a_log_to_which_no_answer_is_owed_is_no_case(tmp_path: Path) -> None:
    """A bit makes a sealed file of it, and its key is none: a reader says so and does no more."""
    plan, _ = planned(controls=("systemd-journal/no-seals-and-a-key-that-is-none",), cases=3000)
    assert swept(plan, tmp_path) == []
    assert counted(tmp_path, "cases")["void"] > 0


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ignores_checksums", "record-invented"),
        ("hides_damage", "silent"),
        ("stops_at_the_first_damage", "record-lost"),
        ("changes_the_log", "changes-the-log"),
    ],
)
def test_a_wrong_reader_is_found_made_small_and_proposed(
    tmp_path: Path, name: str, kind: str
) -> None:
    controls = (*THREE, "leveldb-log/two-blocks") if kind == "record-lost" else THREE
    # Sampled, so that the smallest case is not among those that were asked.
    plan, enumerations = planned(wrong(name), controls=controls, cases=300 * len(controls) ** 2)
    found = [f for f in swept(plan, tmp_path) if kind in f.signature.kind.split("+")]
    assert found and {f.signature.implementation for f in found} == {name}
    minimise(enumerations, found, 30)
    findings.describe(enumerations, found[0])
    assert found[0].recipe is not None and len(found[0].recipe.damage) <= 2
    proposer = Proposer(enumerations, {}, SweepFolder(tmp_path))
    proposer.vectors = [v for v in load_all().values() if v.body["format"] == "leveldb-log"]
    proposer.propose(found[0])
    assert found[0].proposal is not None
    if found[0].proposal.endswith(".json"):
        proposed = load_all(tmp_path / "proposals")
        assert len(proposed) == 1
        vector = load(tmp_path / found[0].proposal)
        assert vector.contents is not None  # checks the digest
        assert vector.damage == list(found[0].recipe.damage)
        text = (tmp_path / found[0].proposal).with_suffix(".py").read_text()
        compile(text, "recipe", "exec")


def test_a_finding_about_which_nothing_can_be_stated_has_no_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_answer(*arguments: object) -> object:
        raise ValueError("a key that is none")

    plan, enumerations = planned(wrong("hides_damage"), controls=THREE, cases=300)
    found = swept(plan, tmp_path)
    minimise(enumerations, found, 30)
    findings.describe(enumerations, found[0])
    monkeypatch.setattr(proposals, "answer_to", no_answer)
    Proposer(enumerations, {}, SweepFolder(tmp_path)).propose(found[0])
    assert found[0].proposal is None
    assert not (tmp_path / "proposals").exists()


def test_a_crashing_and_a_hanging_reader_do_not_stop_the_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_runner, "MAX_FAILURES", 3)
    plan, _ = planned(
        wrong("crashes_on_damage"), wrong("hangs"), controls=THREE, wall_ms=300, cases=50
    )
    found = {f.signature.implementation: f for f in swept(plan, tmp_path)}
    assert found["crashes_on_damage"].signature.kind == "crash"
    assert found["crashes_on_damage"].best.alone
    table = pq.read_table(tmp_path / "sweep")
    assert table["outcome_crashes_on_damage"].to_pylist().count("crash") == 3
    assert counted(tmp_path, "unsent crashes_on_damage").total() > 0
    # It hangs on the undamaged log already, and gets no damaged ones.
    assert "hangs" not in found
    assert fails_undamaged(tmp_path, "hangs").keys() == {f"{THREE[0]} recover"}
    assert set(table["outcome_hangs"].to_pylist()) == {None}


def test_half_a_pair_is_simpler(tmp_path: Path) -> None:
    plan, enumerations = planned(wrong("ignores_checksums"), controls=THREE, cases=4000)
    found = swept(plan, tmp_path)
    pairs = [f for f in found if f.signature.operation == "pair"]
    minimise(enumerations, found, 30)
    still = [f for f in pairs if f.best.signature.operation == "pair"]
    for finding in still:  # both halves were tried, and do not show it alone
        assert "tried" in finding.minimised


def test_minimising_goes_down_step_by_step() -> None:
    tried: list[int] = []

    def half(case: int, candidate: int) -> int | None:
        tried.append(candidate)
        return candidate if candidate >= 3 else None

    assert descend(24, lambda case: [1, case // 2], half, lambda: False) == 3
    assert tried == [1, 12, 1, 6, 1, 3, 1, 1]
    assert descend(24, lambda case: [case // 2], half, lambda: True) == 24


def test_a_sweep_resumes_and_refuses_another(tmp_path: Path) -> None:
    plan, _ = planned(cases=20_000, shard_cases=500)
    folder = SweepFolder(tmp_path)
    todo = folder.begin(plan, False)
    assert len(todo) == len(plan.shards) > 2
    run_shards(plan, folder, todo[:2])
    before = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "shards").iterdir()}
    half = tmp_path / "sweep" / f".half{UNFINISHED}"
    half.write_bytes(b"half")
    assert folder.begin(plan, False) == todo[2:]
    assert not half.exists()
    run_shards(plan, folder, todo[2:])
    assert {n: p.stat().st_mtime_ns for p in (tmp_path / "shards").iterdir() if (n := p.name)
            in before} == before  # fmt: skip
    assert folder.begin(plan, False) == []
    other, _ = planned(cases=5000, shard_cases=500)
    with pytest.raises(AnotherSweep, match="another cases"):
        folder.begin(other, False)
    assert len(folder.begin(other, True)) > 2


def rows_by_case(folder: Path) -> list[tuple[Any, ...]]:
    table = pq.read_table(folder / "sweep", columns=["control", "family", "number", "profile"])
    return sorted(zip(*(column.to_pylist() for column in table.columns), strict=True))


def test_kill_9_and_start_again(tmp_path: Path) -> None:
    """No shard twice, none lost: the rows are those of a sweep that ran through."""
    folder = tmp_path / "killed"
    command = [
        sys.executable, "-m", "tests.walproof.sweep.plain_run", str(folder), "20000",
    ]  # fmt: skip
    first = subprocess.Popen(command)
    deadline = time.monotonic() + 60
    shards = folder / "shards"
    while len(list(shards.glob("[0-9]*")) if shards.exists() else []) < 2:
        assert time.monotonic() < deadline and first.poll() is None
        time.sleep(0.01)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    time.sleep(1)  # its processes see that it is gone, and finish nothing more
    left = len(list(shards.glob("[0-9]*")))
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    told = json.loads(done.stdout)
    assert told["todo"] == told["shards"] - left
    whole = tmp_path / "whole"
    plan, _ = planned(cases=20_000, shard_cases=500)
    swept(plan, whole)
    assert rows_by_case(folder) == rows_by_case(whole)
