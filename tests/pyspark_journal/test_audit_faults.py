"""A failing file system: no log is charged for it, and the next run has the complete result."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance import ROOT
from pyspark_journal.audit import audit
from tests.walproof.inventory.lakes import leveldb, options, rows, vector

from .in_process import InProcess

HERE = Path(__file__).parent
Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("unavailable, because no C compiler was found")
    library = tmp_path_factory.mktemp("shim") / "failing.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", library, HERE / "failing.c", "-ldl"]
    subprocess.run(command, check=True)
    return library


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("failing") / "the-lake"
    vector("leveldb-log", "large-lengths-in-every-block.log", lake)
    vector("zeebe-journal", "last-segment-cut", lake)
    vector("kahadb-journal", "negative-size-in-the-first-file", lake)
    vector("systemd-journal", "closed-file.journal", lake)
    vector("zmq-raft", "last-file-full", lake)
    leveldb(lake / "deep" / "large.log", 1500)
    return lake


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two units, with rows of both tables."""
    lake = tmp_path_factory.mktemp("failing-small") / "a-lake"
    vector("leveldb-log", "large-lengths-in-every-block.log", lake)
    leveldb(lake / "large.log", 900)
    return lake


@pytest.fixture(scope="module")
def truth(lake: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("truth") / "out"
    audit(options(lake), out, spark=InProcess(), max_task_bytes=64 << 10)
    return state(out)


@pytest.fixture(scope="module")
def ask(shim: Path, lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    folder = tmp_path_factory.mktemp("outputs")
    program = subprocess.Popen(
        [sys.executable, "-m", f"{__package__}.failing"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "LD_PRELOAD": str(shim), "ARROW_DEFAULT_MEMORY_POOL": "system"},
    )
    assert program.stdin is not None and program.stdout is not None
    warm = {"lake": str(lake), "out": str(folder / "warm")}
    program.stdin.write(json.dumps(warm) + "\n")
    number = 0

    def run_case(
        lake: Path, call: str, directory: str, at: int, times: int, error: int
    ) -> dict[str, Any]:
        nonlocal number
        number += 1
        out = folder / f"the-output-{number}"
        case = {
            "lake": str(lake), "out": str(out),
            "kind": call, "below": directory, "at": at, "times": times, "error": error,
        }  # fmt: skip
        program.stdin.write(json.dumps(case) + "\n")
        program.stdin.flush()
        return {**json.loads(program.stdout.readline()), "out": out}

    yield run_case
    program.stdin.close()
    program.wait(60)


def state(out: Path) -> dict[str, Any]:
    tables: dict[str, Any] = {name: rows(out, name) for name in ("records", "damage", "files")}
    totals = json.loads((out / "summary.json").read_text())["totals"]
    return {**tables, "totals": totals}


def again(lake: Path, out: Path) -> dict[str, Any]:
    audit(options(lake), out, spark=InProcess(), max_task_bytes=64 << 10)
    return state(out)


@pytest.mark.parametrize("call", ["open", "read", "list", "stat"])
def test_a_failed_read_is_repeated_by_the_next_run(
    call: str, lake: Path, truth: dict[str, Any], ask: Ask
) -> None:
    at = failed = 0
    while True:
        at += 1 + at // 2  # each of the first calls, then fewer and fewer
        error = (errno.EIO, errno.ESTALE, errno.EMFILE)[at % 3]
        result = ask(lake, call, "the-lake", at, 1, error)
        assert "error" not in result, f"{call} {at}: {result}"
        if result["unreadable"]:
            assert again(lake, result["out"]) == truth, f"{call} {at}"
        else:
            assert state(result["out"]) == truth, f"{call} {at}"
        if result["calls"] < at:
            break
        failed += 1
        shutil.rmtree(result["out"])
    assert failed >= 3


@pytest.mark.parametrize("call", ["open", "write", "sync", "rename", "mkdir"])
def test_an_output_error_is_not_charged_to_a_log(
    call: str, small: Path, ask: Ask, tmp_path: Path
) -> None:
    expected = again(small, tmp_path / "truth")
    at = failed = 0
    while True:
        at += 1 + at // 3
        error = (errno.ENOSPC, errno.EIO)[at % 2]
        result = ask(small, call, "the-output", at, 1, error)
        if result["calls"] < at:
            break
        failed += 1
        out = result["out"]
        assert "status" not in result, f"{call} {at}"
        if "error" in result:
            assert "the-output" in result["error"], f"{call} {at}: {result['error']}"
            assert os.strerror(error) in result["error"]
        else:
            # Calls that the result does not need, such as the removal of an older one.
            assert result["unreadable"] == 0
            assert state(out) == expected
        assert again(small, out) == expected, f"{call} {at}"
        shutil.rmtree(out)
    assert failed >= 2
