"""Each skeleton speaks the protocol; the example made from it answers every vector right."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance import BUILD, ROOT
from conformance.compare import every_part
from conformance.smoke import Smoke
from tests.conftest import unavailable
from tests.family import children

ROOMS = ("skeletons", "examples")
README = ROOT / "conformance" / "README.md"
PROTOCOL = "---- The protocol: nothing to fill in from here on. ----"
NOT_WRITTEN = "skipped: read() is not written yet"
BUILD_SECONDS = 600


@dataclass(frozen=True)
class Language:
    """How its skeleton and its example are built and started.

    In the words ``here`` is the folder of the sources and ``out`` one to build in. ``probe`` asks
    for what is needed besides the programs, ``lacking``. Where ``everywhere`` is false, not even
    continuous integration has to have the toolchain. ``instead`` is another toolchain, for where
    the first is missing.
    """

    name: str
    source: str
    command: str
    build: str = ""
    needs: tuple[str, ...] = ()
    probe: str = ""
    lacking: str = ""
    everywhere: bool = True
    instead: Language | None = None


MONO = Language(
    "csharp",
    "Adapter.cs",
    "mono {out}/adapter.exe",
    "mcs -warnaserror -r:System.Core -out:{out}/adapter.exe {out}/sources/*.cs"
    f" {shlex.quote(str(ROOT / 'tests/conformance/mono/SystemTextJson.cs'))}",
    ("mcs", "mono"),
    everywhere=False,
)

LANGUAGES = (
    Language(
        "c",
        "adapter.c",
        "{out}/adapter",
        "cc -std=c99 -Wall -Wextra -Werror -O2 -o {out}/adapter {here}/adapter.c -ljansson",
        ("cc",),
        "cc -x c -E -include jansson.h /dev/null -o /dev/null",
        "jansson.h was not found (Debian: libjansson-dev)",
        everywhere=False,
    ),
    Language(
        "csharp",
        "Adapter.cs",
        "dotnet {out}/adapter.dll",
        "dotnet build -c Release -o {out} {out}/sources",
        ("dotnet",),
        'test -n "$(dotnet --list-sdks)"',
        "dotnet has no SDK",
        everywhere=False,
        instead=MONO,
    ),
    Language("go", "main.go", "{out}/adapter", "go build -o {out}/adapter {here}/main.go", ("go",)),
    Language("java", "Adapter.java", "java {here}/Adapter.java", needs=("java",)),
    Language("javascript", "adapter.mjs", "node {here}/adapter.mjs", needs=("node",)),
    Language("perl", "adapter.pl", "perl {here}/adapter.pl", needs=("perl",)),
    Language("python", "adapter.py", f"{shlex.quote(sys.executable)} {{here}}/adapter.py"),
    Language("ruby", "adapter.rb", "ruby {here}/adapter.rb", needs=("ruby",), everywhere=False),
    Language(
        "rust",
        "src/main.rs",
        "{out}/target/release/adapter",
        "cargo build --offline --release --target-dir {out}/target"
        " --manifest-path {out}/sources/Cargo.toml",
        ("cargo", "rustc"),
        "cargo fetch --offline --manifest-path {out}/sources/Cargo.toml"
        " || cargo fetch --manifest-path {out}/sources/Cargo.toml",
        "the crates could not be fetched",
    ),
)
each_language = pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.name)


def built(language: Language, room: str) -> list[str]:
    """The command that starts it, built from a copy of the sources; skips without a toolchain."""
    here = ROOT / "conformance" / room / language.name
    out = BUILD / room / language.name
    missing = [need for need in language.needs if not shutil.which(need)]
    if missing and language.instead and all(map(shutil.which, language.instead.needs)):
        return built(language.instead, room)
    if missing:
        or_ = f", nor {' and '.join(language.instead.needs)}" if language.instead else ""
        lacks(language, f"{' and '.join(missing)} not found{or_}")
    out.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(out / "sources", ignore_errors=True)
    shutil.copytree(here, out / "sources", ignore=shutil.ignore_patterns("bin", "obj", "target"))
    places = {"here": shlex.quote(str(here)), "out": shlex.quote(str(out))}
    if language.probe and shell(language.probe.format(**places)).returncode != 0:
        lacks(language, language.lacking)
    if language.build:
        done = shell(language.build.format(**places))
        assert done.returncode == 0, done.stdout
    return shlex.split(language.command.format(**places))


def lacks(language: Language, why: str) -> None:
    why = f"unavailable, because {why}"
    if language.everywhere:
        unavailable(why)
    pytest.skip(why)


def shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        shell=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BUILD_SECONDS,
    )


def tried(command, vectors):
    """The findings of the smoke test, and what was said in the hello."""
    steps = Smoke(command, vectors, ["leveldb-log"], 60)
    steps.run()
    assert children() == []
    return {finding.step: finding for finding in steps.findings}, steps.hello


@each_language
def test_a_skeleton_speaks_and_is_not_written_yet(language, vectors):
    findings, _ = tried(built(language, "skeletons"), vectors)
    assert [finding for finding in findings.values() if finding.status == "wrong"] == []
    untested = {step: f.note for step, f in findings.items() if f.status == "untested"}
    assert set(untested) == {
        "reads leveldb-log/one-record",
        "one-shot: read leveldb-log PATH",
    }
    assert set(untested.values()) == {NOT_WRITTEN}
    assert findings["survives a path where nothing is"].note == "skipped"


@each_language
def test_an_example_has_a_full_score(language, vectors, walproof, tmp_path):
    command = built(language, "examples")
    findings, hello = tried(command, vectors)
    assert {finding.status for finding in findings.values()} == {"right"}
    assert set(hello["reports"]) == set(every_part(["leveldb-log"]))
    assert set(hello["profiles"]) == {"recover", "strict", "write", "append"}
    outcome = walproof(
        "check", "--cmd", shlex.join(command), "--format", "leveldb-log", "--report", tmp_path
    )
    assert outcome.status == 0, outcome.out
    asked, passed = re.findall(r"(\d+) results in \S+ s: (\d+) pass$", outcome.out, re.M)[0]
    assert asked == passed and int(asked) > len(vectors)


@each_language
def test_an_example_is_its_skeleton_filled_in(language):
    skeleton, example = (
        (ROOT / "conformance" / room / language.name / language.source).read_text("utf-8")
        for room in ROOMS
    )
    assert skeleton.count(PROTOCOL) == example.count(PROTOCOL) == 1
    assert skeleton.partition(PROTOCOL)[2] == example.partition(PROTOCOL)[2]
    assert skeleton.count("YOUR READER GOES HERE") == skeleton.count("YOUR WRITER GOES HERE") == 1
    assert "GOES HERE" not in example


@pytest.mark.parametrize("room", ROOMS)
def test_every_language_is_tried_and_named(room):
    folders = {path.name for path in (ROOT / "conformance" / room).iterdir() if path.is_dir()}
    assert folders == {language.name for language in LANGUAGES}
    page = README.read_text("utf-8")
    for language in LANGUAGES:
        assert f"({room}/{language.name}/{language.source})" in page


@pytest.mark.parametrize("room", ROOMS)
def test_what_the_toolchains_leave_is_ignored(room):
    """What the commands in the first lines of the sources make in a checkout."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a repository")
    here = f"conformance/{room}"
    left = [
        "adapter",
        f"{here}/csharp/bin/Debug/net8.0/adapter.dll",
        f"{here}/csharp/obj/project.assets.json",
        f"{here}/rust/Cargo.lock",
        f"{here}/rust/target/release/adapter",
    ]
    done = subprocess.run(
        ["git", "check-ignore", *left], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == left
    tracked = subprocess.run(
        ["git", "ls-files", here], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    sources = {".c", ".cs", ".csproj", ".go", ".java", ".mjs", ".pl", ".py", ".rb", ".rs", ".toml"}
    assert {Path(path).suffix for path in tracked} == sources
