"""The findings hold together: records, pages, and scripts that still show what the record says."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from conformance import ROOT
from conformance.declaration import BrokenDeclaration
from lab.findings import command
from lab.findings.pages import commands, needs, pages
from lab.findings.record import FOLDER, SHOWS, Finding, load
from lab.findings.releases import Release, Unavailable, releases

FINDINGS = load()


def faults(finding: Finding, root: Path = ROOT) -> list[str]:
    """Return what in a record does not hold."""
    body, said = finding.body, []
    vector, implementation = body["vector"], body["implementation"]
    if not (root / "vectors" / f"{vector}.json").exists():
        said.append(f"there is no vector {vector}")
    listed = root / "conformance" / "implementations" / implementation / "known-failures.json"
    if ("cause" in body) == ("beyond" in body):
        said.append("a finding has a cause, or says why it is beyond the suite")
    elif "cause" in body:
        failures = json.loads(listed.read_text("utf-8"))["failures"] if listed.exists() else []
        if not any(
            each["vector"] == vector and each["cause"] == body["cause"] for each in failures
        ):
            said.append(f"{implementation} does not fail {vector} by {body['cause']}")
    if not finding.script.exists():
        said.append(f"there is no {finding.script.name}")
    if not any(each["did"] == SHOWS for each in body["tried"]):
        said.append("no release shows it")
    said.extend(
        f"{each['version']}: {each['did']}, and the record does not say what it says"
        for each in body["tried"]
        if each["did"] != SHOWS and "says" not in each
    )
    return said


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda one: one.id)
def test_what_a_record_names_is_there(finding: Finding) -> None:
    assert faults(finding) == []


def test_the_pages_are_those_of_the_records() -> None:
    assert [
        str(path.relative_to(ROOT))
        for path, text in pages()
        if not path.exists() or path.read_text("utf-8") != text
    ] == []


def test_a_page_names_all_that_its_script_needs() -> None:
    by = {finding.id: finding for finding in FINDINGS}
    assert needs(by["systemd-verify-loop"]) == "systemd"
    with_root = by["systemd-sync-returns-early"]
    assert needs(with_root) == "systemd, strace, unshare and the rights of root,"
    assert "sudo python3 repro.py" in commands(with_root)


def test_a_kind_that_no_page_can_tell_is_an_error() -> None:
    body = FINDINGS[0].body
    other = Finding(
        FINDINGS[0].folder, body | {"reproduction": body["reproduction"] | {"kind": "cobol"}}
    )
    with pytest.raises(ValueError, match="cobol"):
        commands(other)


def test_every_folder_is_a_finding() -> None:
    there = {path.name for path in FOLDER.iterdir() if path.is_dir()}
    assert there == {finding.id for finding in FINDINGS}


def test_a_script_needs_nothing_of_ours() -> None:
    ours = ("walproof", "conformance", "reference_impl")
    assert [
        finding.id
        for finding in FINDINGS
        if any(name in finding.script.read_text("utf-8") for name in ours)
    ] == []


@pytest.mark.parametrize(
    "release", releases(FINDINGS), ids=lambda one: f"{one.finding.id}@{one.tried['version']}"
)
def test_a_script_prints_what_its_record_says(release: Release) -> None:
    if not release.is_installed:
        pytest.skip("not installed: python -m lab findings --fetch")
    try:
        said = command.shown(release.run())
    except Unavailable as reason:
        pytest.fail(str(reason))
    assert command.disagreement(release.finding, release.tried, said) is None


def broken(tmp_path: Path, change: str, by: str) -> Finding:
    """The first finding with a line of its record changed."""
    first = FINDINGS[0]
    folder = tmp_path / first.id
    folder.mkdir()
    text = (first.folder / "finding.toml").read_text("utf-8")
    assert change in text
    (folder / "finding.toml").write_text(text.replace(change, by))
    (folder / first.script.name).write_text(first.script.read_text("utf-8"))
    return load(tmp_path)[0]


def test_a_vector_that_is_gone_is_noticed(tmp_path: Path) -> None:
    vector = FINDINGS[0].body["vector"]
    assert faults(broken(tmp_path, vector, f"{vector}-that-nobody-has")) != []


def test_a_cause_that_is_gone_is_noticed(tmp_path: Path) -> None:
    with_cause = next(one for one in FINDINGS if "cause" in one.body)
    gone = Finding(with_cause.folder, {**with_cause.body, "cause": "mended"})
    assert faults(gone) == [
        f"{gone.body['implementation']} does not fail {gone.body['vector']} by mended"
    ]


def test_a_harm_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    harm = FINDINGS[0].body["harm"]
    with pytest.raises(BrokenDeclaration, match="harm"):
        broken(tmp_path, f'harm = "{harm}"', 'harm = "annoys"')


def test_another_output_than_that_of_the_record_is_noticed() -> None:
    finding, tried = FINDINGS[0], {"version": "1", "did": "shows it"}
    expected, actual = finding.body["expected"], finding.body["actual"]
    printed = f"expected: {expected}\nactual:   {actual}\n"
    assert command.disagreement(finding, tried, command.shown(printed)) is None
    mended = command.shown(f"expected: {expected}\nactual:   {expected}\n")
    assert command.disagreement(finding, tried, mended) is not None
    with pytest.raises(ValueError, match="no lines"):
        command.shown(f"expected: {expected}\n")


def test_records_are_written_as_toml() -> None:
    for finding in FINDINGS:
        assert tomllib.loads((finding.folder / "finding.toml").read_text("utf-8")) == finding.body
