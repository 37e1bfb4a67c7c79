"""A site is written completely or not at all, and the command reports the result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from lab.__main__ import lab
from lab.site import build, page_paths
from lab.site.indexed_report import IndexedReport, run_of


def only_first(run: IndexedReport) -> IndexedReport:
    (id, *_) = run.vectors
    report = {
        **run.report,
        "vectors": {id: run.report["vectors"][id]},
        "implementations": [],
    }
    return run_of(report, run.tree)


def test_a_site_is_replaced_as_a_whole(run: IndexedReport, tmp_path: Path) -> None:
    out = tmp_path / "site"
    build.build(only_first(run), out)
    (out / "stale.html").write_text("of another run")
    build.build(only_first(run), out)
    assert not (out / "stale.html").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_failed_build_leaves_the_old_site(
    run: IndexedReport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "site"
    build.build(only_first(run), out)

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(build, "write_home", fail)
    before = (out / page_paths.HOME).read_bytes()
    with pytest.raises(OSError, match="No space left"):
        build.build(only_first(run), out)
    assert (out / page_paths.HOME).read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_folder_that_is_not_a_site_is_unchanged(run: IndexedReport, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(FileExistsError, match="not a site"):
        build.build(run, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_the_command_reports_a_missing_run(tmp_path: Path) -> None:
    nothing = CliRunner().invoke(lab, ["site", "--run", str(tmp_path / "report.json")])
    assert nothing.exit_code == 1
    assert "`walproof check` writes one" in nothing.output
    (tmp_path / "report.json").write_text("{}")
    no_report = CliRunner().invoke(lab, ["site", "--run", str(tmp_path)])
    assert f"{tmp_path / 'report.json'}: not a run report" in str(no_report.exception)


def test_the_command_builds_a_site_and_lists_results_without_a_page(
    run: IndexedReport, report: dict[str, Any], tmp_path: Path
) -> None:
    few = only_first(run).report
    (tmp_path / "report.json").write_text(json.dumps(few))
    words = ["site", "--run", str(tmp_path), "--out", str(tmp_path / "out")]
    created = CliRunner().invoke(lab, words)
    assert created.exit_code == 0, created.output
    assert f"{len(run.tree) - 1:,} vectors have no page" in created.output
    assert (tmp_path / "out" / "index.html").exists()
