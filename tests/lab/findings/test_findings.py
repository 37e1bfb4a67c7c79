"""The records, reports and scripts of each finding agree."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance import ROOT
from lab.__main__ import lab
from lab.findings import command
from lab.findings.record import (
    FOLDER,
    BrokenReport,
    ReleaseFinding,
    UpstreamReport,
    list_page,
    load,
)
from lab.findings.releases import Release, ReleaseUnavailable
from lab.findings.releases import releases as all_releases

FINDINGS = load()
SECTIONS = ("Steps to reproduce", "Expected", "Actual", "Conditions", "Versions", "Impact")
MAX_REPORT_WORDS = 320
OURS = re.compile(r"walproof|conformance|reference_impl|vectors/|\]\((?!https?://)", re.IGNORECASE)


def faults(finding: ReleaseFinding, root: Path = ROOT) -> list[str]:
    """Return the errors in a finding's record."""
    body, found = finding.body, []
    vector, implementation = body["vector"], body["implementation"]
    if not (root / "vectors" / f"{vector}.json").exists():
        found.append(f"there is no vector {vector}")
    listed = root / "conformance" / "implementations" / implementation / "known-failures.json"
    if ("cause" in body) == ("beyond" in body):
        found.append("expected either a cause or why no adapter covers the finding")
    elif "cause" in body:
        failures = json.loads(listed.read_text("utf-8"))["failures"] if listed.exists() else []
        if not any(
            each["vector"] == vector and each["cause"] == body["cause"] for each in failures
        ):
            found.append(f"{implementation} does not fail {vector} by {body['cause']}")
    latest = body["tried"][0]
    if not latest.get("shows", True):
        found.append("the latest release does not show it")
    commands = "\n".join(finding.report.commands)
    if body["system"] != "systemd" and latest["version"] not in commands:
        found.append(f"the commands do not name {latest['version']}")
    found.extend(
        f"{each['version']}: expected the output of a release without the fault"
        for each in body["tried"]
        if not each.get("shows", True) and "output" not in each
    )
    return found


def report_faults(report: UpstreamReport) -> list[str]:
    """Return the reasons why a report cannot be pasted into a tracker."""
    text = report.text
    found = [f"no section {name}" for name in SECTIONS if f"\n### {name}\n" not in text]
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    if (words := len(prose.split())) > MAX_REPORT_WORDS:
        found.append(f"{words} words")
    if ours := OURS.search(text):
        found.append(f"{ours[0]!r} means nothing upstream")
    return found


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda each: each.id)
def test_the_parts_that_a_record_names_exist(finding: ReleaseFinding) -> None:
    assert faults(finding) == []


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda each: each.id)
def test_a_report_can_be_sent(finding: ReleaseFinding) -> None:
    assert report_faults(finding.report) == []


def test_the_list_is_current() -> None:
    assert (FOLDER / "README.md").read_text("utf-8") == list_page()


#: These findings have fast scripts, one for each language. ``python -m lab findings`` runs all
#: scripts.
FAST = [
    "golang-leveldb-zero-header", "iq80-zero-header", "dissect-database-checksum",
    "rocksdb-log-number-bit", "rusty-leveldb-append", "zmq-raft-unfinished-file",
]  # fmt: skip


@pytest.mark.parametrize(
    "release",
    [each for each in all_releases(FINDINGS) if each.finding.id in FAST],
    ids=lambda each: f"{each.finding.id}-{each.tried['version']}",
)
def test_a_script_has_the_output_in_its_report(release: Release) -> None:
    if not release.is_installed:
        pytest.skip("not installed: python -m lab findings --fetch")
    try:
        done = release.run()
    except ReleaseUnavailable as reason:
        pytest.fail(str(reason))
    assert command.disagreement(release.finding, release.tried, done) is None


def test_the_commands_are_those_of_the_report_for_a_release() -> None:
    finding = next(each for each in FINDINGS if each.id == "rusty-leveldb-never-syncs")
    assert finding.report.commands[0].startswith("sudo apt-get install gcc strace ")
    assert Release(finding, {"version": "3.0.2"}).commands == [
        "cargo init --name repro",
        "cargo add rusty-leveldb@=3.0.2",
        "cargo run --release",
    ]


COMMANDS = "```sh\nmake\n```\n"
FILE = "Save this as `a.py` in an empty directory:\n\n```python\npass\n```\n"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Title\n", "expected '# ' and a title"),
        ("# Title\n", "expected one block of sh, found 0"),
        (f"# Title\n{COMMANDS}{COMMANDS}", "expected one block of sh, found 2"),
        (f"# Title\n{COMMANDS}", "expected 'Save this as `FILE`"),
        (f"# Title\n{FILE}{COMMANDS}", "expected a block of text"),
    ],
)
def test_an_incomplete_report_is_an_error(text: str, fault: str) -> None:
    report = UpstreamReport(Path("report.md"), text)
    with pytest.raises(BrokenReport, match=re.escape(fault)):
        assert report.title and report.commands and report.files and report.output


def test_the_steps_are_taken_from_the_text() -> None:
    report = UpstreamReport(Path("report.md"), f"# Title\n\n{FILE}\n{COMMANDS}")
    assert report.files == {"a.py": "pass\n"}
    assert report.commands == ["make"]


def test_each_quoted_line_has_to_be_printed(tmp_path: Path) -> None:
    text = "# T\n\n```text\nall\n```\n\n```text\nWARN … at 7\nlast\n```\n"
    (tmp_path / "report.md").write_text(text, "utf-8")
    finding = ReleaseFinding(tmp_path, {})

    def differs(stderr: str, **tried: Any) -> str | None:
        done = subprocess.CompletedProcess([], int(tried.get("shows", True)), "all\n", stderr)
        return command.disagreement(finding, tried, done)

    assert differs("first\nWARN a fault at 7\nlast\n") is None
    assert differs("WARN a fault at 70\nlast\n") == "quotes 'WARN … at 7', which is not printed"
    assert differs("WARN a fault at 7\nthe last\n") == "quotes 'last', which is not printed"
    assert differs("", shows=False) is None


def test_an_entry_can_replace_text_of_the_report() -> None:
    finding = next(each for each in FINDINGS if each.id == "rusty-leveldb-never-syncs")
    release = Release(finding, {"version": "3.0.2", "replace": {"cargo": "xargo"}})
    assert release.commands[1] == "xargo add rusty-leveldb@=3.0.2"


def test_another_output_or_status_is_a_disagreement() -> None:
    finding = next(each for each in FINDINGS if not each.report.quoted)
    output = finding.report.output

    def differs(status: int, printed: str, **tried: Any) -> str | None:
        done = subprocess.CompletedProcess([], status, printed, "")
        return command.disagreement(finding, {"version": "1", **tried}, done)

    assert differs(1, output) is None
    assert differs(0, "all is well\n", shows=False, output="all is well") is None
    assert "expected to print" in str(differs(1, "all is well"))
    assert differs(0, output) == "expected exit status 1, found 0"
    assert differs(1, output, shows=False) == "expected exit status 0, found 1"


def test_an_unknown_id_is_an_error() -> None:
    done = CliRunner().invoke(lab, ["findings", "no-such-finding"])
    assert done.exit_code != 0
    assert "no finding has the id 'no-such-finding'" in done.output
