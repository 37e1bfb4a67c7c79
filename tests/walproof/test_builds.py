"""Commands that build implementations show sizes, times and progress. Each is built once."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance import ROOT, registry
from conformance.registry import Implementation
from walproof import builds
from walproof.builds import BuildCost, build_costs, build_missing, build_size, save_costs
from walproof.cli import check as check_module
from walproof.cli import program_options, walproof
from walproof.implementations import FOLDER, all_implementations


@pytest.fixture
def unbuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Implementation]:
    """Return implementations with builds that work, fail, or need a missing program."""
    monkeypatch.setattr(registry, "BUILD", tmp_path / "build")
    monkeypatch.setattr(builds, "COSTS", tmp_path / "costs.json")
    (tmp_path / "costs.json").write_text('{"works": [7, 30]}')
    implementations = []
    for name, format_id, build, needs in (
        ("works", "leveldb-log", "true", ()),
        ("fails", "leveldb-log", "echo error: no such header; exit 1", ()),
        ("needs", "leveldb-log", "true", ("no-such-tool",)),
        ("other", "zmq-raft", "true", ()),
    ):
        folder = tmp_path / name
        folder.mkdir()
        command = ("sh", "-c", f"echo x >> '{folder}.runs'; {build}")
        implementations.append(
            Implementation(folder, name, name, (format_id,), needs, command, (), ("false",))
        )
    for module in (check_module, program_options):
        monkeypatch.setattr(module, "all_implementations", lambda: implementations)
    return implementations


def runs(implementation: Implementation) -> int:
    file = Path(f"{implementation.folder}.runs")
    return len(file.read_text().split()) if file.exists() else 0


def test_sizes_and_times_are_shown_before_and_each_result_after(
    unbuilt: list[Implementation], capsys: pytest.CaptureFixture[str]
) -> None:
    done = build_missing(unbuilt[:3])
    assert done.unavailable.keys() == {"fails", "needs"}
    assert done.unavailable["needs"] == "no-such-tool not found"
    first, listed, *lines = capsys.readouterr().err.splitlines()
    assert first.startswith("Building 2 implementations, ")
    assert "about 40.0 MiB and 1" in first and first.endswith("/implementations")
    assert listed == "  works 30 MiB, 7 s; fails 10 MiB, 10 s"
    assert "  works: built in 0 s" in lines
    assert any(line.startswith("  fails: unavailable: the build failed: error:") for line in lines)
    assert build_missing(unbuilt[:1]).seconds == {}
    assert capsys.readouterr().err == ""


def test_an_interruption_ends_running_builds(
    unbuilt: list[Implementation], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("sh", "-c", f"echo x >> '{unbuilt[0].folder}.runs'; exec sleep 100")
    slow = replace(unbuilt[0], build=command)

    def interrupt(*_: object) -> None:
        while not runs(slow):
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(builds, "wait", interrupt)
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        build_missing([slow, unbuilt[1]])
    assert time.monotonic() - started < 60
    assert not slow.is_built()


def test_check_builds_what_reads_the_format_once(
    unbuilt: list[Implementation], tmp_path: Path
) -> None:
    words = ["check", "--format", "leveldb-log", "--vector", "one-record"]
    done = CliRunner().invoke(walproof, [*words, "-o", str(tmp_path / "report")])
    assert "Building 2 implementations" in done.stderr
    assert [runs(each) for each in unbuilt] == [1, 1, 0, 0]
    assert "no-such-tool not found" in done.stdout and "no such header" in done.stdout


def test_a_program_of_ones_own_needs_no_build(
    unbuilt: list[Implementation], tmp_path: Path
) -> None:
    words = ["check", "--cmd", "false", "--one-shot", "--vector", "leveldb-log/one-record"]
    done = CliRunner().invoke(walproof, [*words, "-o", str(tmp_path / "report")])
    assert "Building" not in done.output and sum(map(runs, unbuilt)) == 0


def test_every_build_has_its_size_and_time() -> None:
    with_build = {each.name for each in all_implementations() if each.build}
    assert build_costs().keys() == with_build


def test_sizes_are_those_of_the_builds() -> None:
    costs = build_costs()
    for each in all_implementations():
        # A build that only looks for installed programs writes just a log and a stamp.
        if each.build and each.is_built() and len(list(each.output.iterdir())) > 2:
            size, expected = build_size(each), costs[each.name].mebibytes
            assert expected / 2 - 3 <= size <= expected * 2 + 3, each.name


def test_measured_costs_replace_earlier_ones(unbuilt: list[Implementation]) -> None:
    save_costs({"works": BuildCost(8, 31), "fails": BuildCost(1, 2)})
    assert build_costs() == {"fails": BuildCost(1, 2), "works": BuildCost(8, 31)}


def test_builds_of_the_tools_work_in_a_wheel() -> None:
    """In a wheel, ``conformance`` has a different path relative to the tools."""
    for script in FOLDER.glob("*/build.sh"):
        assert "../.." not in script.read_text("utf-8"), script


def test_a_program_that_reads_no_chosen_format_exits_3(tmp_path: Path) -> None:
    reader = ROOT / "tests" / "wrong" / "hides_damage.py"  # It reads only LevelDB logs.
    words = ["check", "--cmd", f"{sys.executable} {reader}", "--format", "etcd-wal"]
    words += ["-o", str(tmp_path / "report")]
    done = CliRunner().invoke(walproof, words, standalone_mode=False)
    assert done.return_value == 3
    why = "no reply to hello lists one of the selected formats"
    assert f"Nothing was checked: {why}." in " ".join(done.stdout.split())
