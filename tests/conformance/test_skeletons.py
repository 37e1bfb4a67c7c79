"""Skeletons speak the protocol, and the examples in two languages pass every vector."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance import BUILD, ROOT
from conformance.adapter_smoke import AdapterSmoke
from conformance.compare import every_part
from tests.conftest import unavailable
from tests.family import children

pytestmark = pytest.mark.slow

README = ROOT / "conformance" / "README.md"
PROTOCOL = "---- The protocol. Do not change anything below. ----"
NOT_WRITTEN = "skipped: read() is not written yet"
BUILD_SECONDS = 600


@dataclass(frozen=True)
class Language:
    """An adapter in one language. The top of its source file shows how to build and start it."""

    name: str
    source: str
    needs: tuple[str, ...] = ()
    #: A command that fails if something other than the programs in ``needs`` is missing.
    probe: str = ""
    #: The requirement that is missing if ``probe`` fails.
    lacking: str = ""
    # True if continuous integration must have the toolchain.
    is_required: bool = True


LANGUAGES = (
    Language(
        "c",
        "adapter.c",
        ("cc",),
        "cc -x c -E -include jansson.h /dev/null -o /dev/null",
        "jansson.h was not found (Debian: libjansson-dev)",
        is_required=False,
    ),
    Language("go", "main.go", ("go",)),
    Language("java", "Adapter.java", ("java",)),
    Language("javascript", "adapter.mjs", ("node",)),
    Language("python", "adapter.py"),
    Language(
        "rust",
        "src/main.rs",
        ("cargo", "rustc"),
        "cargo fetch --offline || cargo fetch",
        "the crates could not be fetched",
    ),
)
WITH_EXAMPLE = [language for language in LANGUAGES if language.name in ("go", "python")]
each_language = pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
each_example = pytest.mark.parametrize("language", WITH_EXAMPLE, ids=lambda language: language.name)


def built(language: Language, folder: str) -> list[str]:
    """Build a copy of an adapter with the commands at its top; return the start command."""
    out = BUILD / folder / language.name
    if missing := [need for need in language.needs if not shutil.which(need)]:
        skip(language, f"{' and '.join(missing)} not found")
    sources = ROOT / "conformance" / folder / language.name
    ignored = shutil.ignore_patterns("target", "*.lock")
    shutil.copytree(sources, out, dirs_exist_ok=True, ignore=ignored)
    if language.probe and shell(language.probe, out).returncode != 0:
        skip(language, language.lacking)
    head = (out / language.source).read_text("utf-8").partition("By hand:")[0]
    lines = [re.sub(r" +# .*| +$", "", line.lstrip("/*! \t")) for line in head.splitlines()]
    for build in [line for line in lines if re.match(r"cc |go |cargo ", line)]:
        done = shell(build, out)
        assert done.returncode == 0, done.stdout
    (command,) = {
        line.partition("--cmd ")[2].partition(" --format")[0]
        for line in lines
        if line.startswith("walproof check ")
    }
    words = shlex.split(shlex.split(command)[0])
    named = [str(out / word) if (out / word).is_file() else word for word in words]
    return [sys.executable if word == "python3" else word for word in named]


def skip(language: Language, why: str) -> None:
    why = f"unavailable, because {why}"
    if language.is_required:
        unavailable(why)
    pytest.skip(why)


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, "CARGO_NET_OFFLINE": "true"} if "cargo build" in command else None,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BUILD_SECONDS,
    )


def tried(command, vectors):
    """Run the smoke test; return its findings and the hello message."""
    steps = AdapterSmoke(command, vectors, ["leveldb-log"], 60)
    steps.run()
    assert children() == []
    return {finding.step: finding for finding in steps.findings}, steps.hello


@each_language
def test_a_skeleton_speaks_the_protocol_and_skips(language, vectors):
    findings, _ = tried(built(language, "skeletons"), vectors)
    assert [finding for finding in findings.values() if finding.status == "wrong"] == []
    untested = {step: f.note for step, f in findings.items() if f.status == "untested"}
    assert set(untested) == {
        "reads leveldb-log/one-record",
        "one-shot: read leveldb-log PATH",
    }
    assert set(untested.values()) == {NOT_WRITTEN}
    assert findings["survives a path without a file"].note == "skipped"


@each_example
def test_an_example_has_a_full_score(language, vectors, walproof, tmp_path):
    command = built(language, "examples")
    findings, hello = tried(command, vectors)
    assert {finding.status for finding in findings.values()} == {"right"}
    assert set(hello["reports"]) == set(every_part(["leveldb-log"]))
    assert set(hello["profiles"]) == {"recover", "strict", "write", "append"}
    outcome = walproof(
        "check", "--cmd", shlex.join(command), "--format", "leveldb-log", "--out", tmp_path
    )
    assert outcome.status == 0, outcome.out
    total, passed = re.findall(r"(\d+) results in \S+ s: (\d+) pass$", outcome.out, re.M)[0]
    assert total == passed and int(total) > len(vectors)


@each_example
def test_an_example_contains_its_skeleton(language):
    skeleton, example = (
        (ROOT / "conformance" / folder / language.name / language.source).read_text("utf-8")
        for folder in ("skeletons", "examples")
    )
    assert skeleton.count(PROTOCOL) == example.count(PROTOCOL) == 1
    assert skeleton.partition(PROTOCOL)[2] == example.partition(PROTOCOL)[2]
    assert skeleton.count("YOUR READER GOES HERE") == skeleton.count("YOUR WRITER GOES HERE") == 1
    assert "GOES HERE" not in example


@pytest.mark.parametrize(
    ("folder", "languages"), [("skeletons", LANGUAGES), ("examples", WITH_EXAMPLE)]
)
def test_every_language_is_tested_and_on_the_page(folder, languages):
    folders = {path.name for path in (ROOT / "conformance" / folder).iterdir() if path.is_dir()}
    assert folders - {"replay"} == {language.name for language in languages}
    page = README.read_text("utf-8")
    for language in languages:
        assert f"({folder}/{language.name}/{language.source})" in page
