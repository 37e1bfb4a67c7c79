"""Each parser package is complete: it has parsers, runtime, README, tests and licence."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.conftest import unavailable
from walproof.cli.parsers import parsers
from walproof.implementations import all_implementations
from walproof.parsers import package
from walproof.parsers.languages import LANGUAGES, Language
from walproof.parsers.package import LOGS, NotOurs, make_package
from walproof.setup import in_ci

#: Messages of package managers about a dependency that is not cached; only CI downloads it.
NOT_FETCHED = re.compile(r"offline|ENOTCACHED|GOPROXY=off|Could not (find|resolve)", re.I)
OFFLINE = {
    "GOPROXY": "off",
    "CARGO_NET_OFFLINE": "true",
    "MAVEN_ARGS": "-o",
    "npm_config_offline": "true",
}
HOSTS = re.compile(r"pypi\.org|registry\.npmjs|maven\.org|proxy\.golang|crates\.io")


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_package_is_complete_and_its_tests_run(language: Language, tmp_path: Path) -> None:
    """The package has all files and passes its tests.

    The drivers of ``walproof check`` build the packages of all grammars.
    """
    packaged = make_package(language, tmp_path, [log["grammar"] for log in LOGS])
    check_files(language, tmp_path)
    for grammar in packaged:
        assert (tmp_path / language.sources / grammar.file).exists()
    run_package(language, tmp_path)


def check_files(language: Language, out: Path) -> None:
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert {"README.md", "LICENSE"} <= names
    assert all(f"logs/{log['grammar']}.log" in names for log in LOGS)
    assert any("test" in name.lower() for name in names)
    readme = (out / "README.md").read_text()
    assert len(readme.splitlines()) <= 17 and language.install in readme
    for name in names:
        text = (out / name).read_bytes().decode(errors="replace")
        assert not HOSTS.search(text), name


def run_package(language: Language, folder: Path) -> None:
    program = language.test.split()[0]
    if shutil.which(program, path=PATH) is None:
        unavailable(f"{program} not found")
    # The Python package is imported from its folder, because tests install nothing.
    install = "true" if language.id == "python" else language.install
    installed = run(install, folder)
    if installed.returncode and NOT_FETCHED.search(installed.stdout):
        unavailable("the runtime is not in the package cache")
    assert installed.returncode == 0, installed.stdout
    done = run(language.test, folder)
    assert done.returncode == 0, done.stdout


def test_a_package_of_one_grammar_replaces_the_earlier_one(tmp_path: Path) -> None:
    for name in ("zeebe_meta", "leveldb_log"):
        arguments = ["--lang", "python", "--grammar", name, "--out", str(tmp_path)]
        done = CliRunner().invoke(parsers, arguments, standalone_mode=False)
        assert done.return_value == 0, done
    folder = tmp_path / "python" / "walproof_parsers"
    assert sorted(path.name for path in folder.iterdir()) == ["__init__.py", "leveldb_log.py"]


PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of a package, without network outside CI."""
    environment = {
        **os.environ, "PATH": PATH, "PYTHONPATH": str(folder), "GOFLAGS": "-mod=mod",
        "CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_PROFILE_TEST_DEBUG": "0",
        "CMAKE_BUILD_TYPE": "Debug", "npm_config_audit": "false", "npm_config_fund": "false",
        **({} if in_ci() else OFFLINE),
    }  # fmt: skip
    return subprocess.run(
        command, shell=True, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, check=False,
    )  # fmt: skip


def test_other_folders_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(NotOurs):
        make_package(LANGUAGES["go"], tmp_path)


@pytest.mark.parametrize(
    ("languages", "text", "message"),
    [
        (("go", "java"), "seq:\n  - id: a\n    type: u1\n",
         "bad.ksy:1:1: error: no `meta/id` encountered"),
        (("go",), "meta:\n  id: bad\nseq:\n  - id: a\n    type: gone\n",
         "bad.ksy:5:5: error: unable to find"),
        (("go",), "meta:\n  id: bad\n bad: [\n",
         "bad.ksy:3:1: error: All mapping items must start"),
        (("go",), "", "bad.ksy:1:1: error: expected a map"),
        (("go",), "meta:\n  id: bad\n  imports:\n    - gone\n",
         "gone.ksy:1:1: error: no such file (imported at"),
    ],
)  # fmt: skip
def test_compile_errors_are_reported_once(
    languages: tuple[str, ...],
    text: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(package, "GRAMMARS", tmp_path)
    (tmp_path / "bad.ksy").write_text(text)
    arguments = [word for language in languages for word in ("--lang", language)]
    arguments += ["--out", str(tmp_path / "out")]
    done = CliRunner().invoke(parsers, arguments, standalone_mode=False)
    assert done.return_value == 1
    assert done.stderr.startswith(f"{', '.join(languages)}: not generated\n  {tmp_path}/{message}")


def test_check_compares_the_parsers_of_every_language() -> None:
    drivers = sorted(driver.name for driver in all_implementations() if driver.structure)
    assert drivers == sorted(f"parser-{language}" for language in LANGUAGES)
