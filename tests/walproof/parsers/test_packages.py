"""The packages are whole: parsers, runtime, README, example, licence."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from toys import write_toys

from walproof.cli.parsers import parsers
from walproof.parsers.languages import LANGUAGES
from walproof.parsers.package import NotOurs, make_package, release_of

HOSTS = re.compile(
    r"pypi\.org|registry\.npmjs|maven\.org|proxy\.golang|crates\.io|rubygems|nuget\.org"
)


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_package(language, tmp_path: Path) -> None:
    out = tmp_path / language.id
    made = make_package(language, out)
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert {"README.md", "LICENSE", "example.log"} <= names
    assert any("xample" in name or "records.rs" in name for name in names - {"example.log"})
    for grammar in made:
        assert (out / language.sources / grammar.file).exists()
    readme = (out / "README.md").read_text()
    assert len(readme.splitlines()) <= 16 and language.install in readme
    for name in names:
        text = (out / name).read_bytes().decode(errors="replace")
        assert not HOSTS.search(text), name
    make_package(language, out)  # again, over the old one


def test_grammars_of_your_own(tmp_path: Path) -> None:
    write_toys(tmp_path)
    done = CliRunner().invoke(
        parsers,
        ["--ksy", str(tmp_path), "--out", str(tmp_path / "out"), "--lang", "python"],
        standalone_mode=False,
    )
    assert done.return_value == 0, done
    program = (
        "import walproof_parsers as p; print(p.ToyLog.from_bytes(b'TOY\\0').header.num_entries)"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path / "out" / "python", capture_output=True,
        text=True,
    )  # fmt: skip
    assert said.stdout == "0\n", said.stderr


def test_python_example(tmp_path: Path) -> None:
    make_package(LANGUAGES["python"], tmp_path / "python", ["leveldb_log"])
    said = subprocess.run(
        [sys.executable, "example.py", "example.log"], cwd=tmp_path / "python",
        capture_output=True, text=True,
    )  # fmt: skip
    assert said.stdout.splitlines()[0].split()[:2] == ["0", "full"], said.stderr


def test_another_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(NotOurs):
        make_package(LANGUAGES["go"], tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("meta:\n  id: bad\nseq:\n  - id: a\n    type: gone\n", "5:5: error: unable to find"),
        ("meta:\n  id: bad\n bad: [\n", "3:1: error: All mapping items must start"),
        ("seq:\n  - id: a\n    type: u1\n", "1:1: error: no `meta/id` encountered"),
        ("", "1:1: error: expected a map"),
    ],
)
def test_errors_have_a_place_and_are_said_once(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "bad.ksy").write_text(text)
    done = make(tmp_path, "go", "lua")
    assert done.return_value == 1
    assert done.stderr.startswith(f"go, lua: not made\n  {tmp_path / 'bad.ksy'}:{said}")


def test_an_import_that_is_missing(tmp_path: Path) -> None:
    (tmp_path / "bad.ksy").write_text("meta:\n  id: bad\n  imports:\n    - gone\n")
    done = make(tmp_path, "go")
    assert "gone.ksy:1:1: error: no such file (imported at" in done.stderr


def test_a_folder_without_a_grammar(tmp_path: Path) -> None:
    assert "no grammar (NAME.ksy)" in str(make(tmp_path, "go").exception)


def make(grammars: Path, *languages: str) -> Result:
    """``walproof parsers`` for some languages."""
    chosen = [word for language in languages for word in ("--lang", language)]
    places = ["--ksy", str(grammars), "--out", str(grammars / "out")]
    return CliRunner().invoke(parsers, [*places, *chosen], standalone_mode=False)


@pytest.mark.parametrize(
    ("version", "release"),
    [("0.2.0", "0.2.0"), ("0.2.1.dev5+g1a2b3c4", "0.2.1"), ("0+unknown", "0.0.0")],
)
def test_every_ecosystem_takes_the_version(version: str, release: str) -> None:
    assert release_of(version) == release
