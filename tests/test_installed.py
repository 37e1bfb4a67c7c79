"""Every command of an installed wheel works in a new environment, outside the checkout.

The wheel is built as ``pip install .`` builds it, from a clean copy of the tree and from its sdist,
with only the packages that a build requires. The commands run first with the packages that ``pip
install walproof`` installs, and then with those of ``walproof[fast]``. Nothing is downloaded,
because dependencies are linked from the environment of the tests.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance import BUILD, ROOT, VECTORS
from tests.conftest import unavailable
from walproof.cli import COMMANDS
from walproof.extras import EXTRA_OF

pytestmark = pytest.mark.xdist_group("installed")

#: These packages are linked rather than copied, so they are missing in a sandbox, which contains
#: only this environment.
LARGE = {"llvmlite", "numba", "numpy", "pyarrow"}
READER = "{python} reader.py"

#: The arguments of a command, its exit status, and part of its output.
Use = tuple[str, int, str]
PLAIN: list[Use] = [
    ("summary lake", 3, "leveldb-log"),
    ("read damaged.log --each records", 3, '"at": 24'),
    ("inspect 000003.log", 0, "blocks[0].records[2].data"),
    ("damage 000003.log 'truncate at 20' --out cut.log", 0, "torn-payload"),
    ("recover damaged.log --out recovered.log", 3, "3 records"),
    ("explain LDB-028", 0, "checksum"),
    ("skeleton python -o mine", 0, "mine/adapter.py: put your reader into read()"),
    ("check --impl kaitai-python --format zmq-raft --group state", 0, "expected"),
    (f"ask --cmd '{READER}' --vector leveldb-log/three-records", 0, "right"),
    ("review --against main", 2, "needs a checkout"),
    (f"sweep --format leveldb-log --cmd '{READER}' --cases 100", 0, "No findings."),
]
#: Commands that need an extra, with their exit status and output once the extra is installed.
#: Without the extra, their error names it.
FAST: list[Use] = [
    ("export --out tables lake", 3, "leveldb-log"),
    ("audit lake --out audit", 1, "needs pyspark, which is not installed"),
]
WITH_NODE: Use = ("parsers --lang python --out parsers", 0, "parsers for Python")
HELP: list[Use] = [(f"{command} --help", 0, f"Usage: walproof {command}") for command in COMMANDS]
RUN_ALL = """
import contextlib, io, json, sys
from walproof.cli import main
results = []
for words in json.loads(sys.argv[1]):
    sys.argv = ["walproof", *words]
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as ended:
            status = ended.code
        except BaseException as error:
            status = repr(error)
    texts = []
    for file in (out, err):
        file.flush()
        texts.append(file.buffer.getvalue().decode("utf-8", "replace"))
    results.append([status, *texts])
print(json.dumps(results))
"""


@dataclass
class Installed:
    """A new environment with the wheel, and a folder in which to run commands."""

    environment: Path
    work: Path

    @property
    def packages(self) -> Path:
        (result,) = self.environment.glob("lib/python*/site-packages")
        return result

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a program in the environment. Node.js is missing unless the test has linked it."""
        environment = _without_python_variables() | {
            "PATH": os.environ["PATH"] if (self.work / "node").exists() else "/nowhere",
            "XDG_CACHE_HOME": str(self.work / "cache"),
            "NO_COLOR": "1",
        }
        program, *arguments = words
        return subprocess.run(
            [self.environment / "bin" / program, *arguments],
            cwd=self.work, env=environment, capture_output=True, text=True, errors="replace",
            stdin=subprocess.DEVNULL, timeout=240, check=False,
        )  # fmt: skip

    def run_all(self, uses: list[Use]) -> dict[str, tuple[int, str, str]]:
        """Run commands in one process; return the exit status, output and error output of each."""
        python = str(self.environment / "bin" / "python")
        commands = [shlex.split(words.format(python=python)) for words, _, _ in uses]
        before = self.files()
        done = self.run("python", "-I", "-c", RUN_ALL, json.dumps(commands))
        assert done.returncode == 0, done.stderr
        assert self.files() == before, "something was written into site-packages"
        results = map(tuple, json.loads(done.stdout.splitlines()[-1]))
        return {words: result for (words, _, _), result in zip(uses, results, strict=True)}  # type: ignore[misc]

    def files(self) -> dict[str, int]:
        """Return the installed files with their modification times."""
        return {
            str(path): path.stat().st_mtime_ns
            for path in self.packages.rglob("*")
            if path.is_file() and not path.is_relative_to(self.packages / "linked")
        }


def _needed(names: list[str], extra: str = "") -> set[str]:
    """Return the distributions on which these distributions depend, directly or indirectly."""
    results: set[str] = set()
    waiting = [(name, extra) for name in names]
    while waiting:
        name, wanted = waiting.pop()
        for line in importlib.metadata.requires(name) or []:
            text, _, marker = line.partition(";")
            of_extra = re.search(r"extra == ['\"]([\w-]+)['\"]", marker)
            if of_extra and of_extra[1] != wanted:
                continue
            needed = re.split(r"[\s<>=!~\[(]", text.strip(), maxsplit=1)[0].lower()
            try:
                importlib.metadata.distribution(needed)
            except importlib.metadata.PackageNotFoundError:
                # This package is needed only on other platforms or by older Python versions.
                continue
            if needed not in results and needed != "walproof":
                results.add(needed)
                waiting.append((needed, ""))
    return results


def _link(names: set[str], into: Path) -> None:
    """Link the packages of these distributions, and no others, into a folder."""
    into.mkdir(exist_ok=True)
    for name in names:
        distribution = importlib.metadata.distribution(name)
        tops = {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."}
        for top in tops - {"__pycache__"}:
            there = Path(str(distribution.locate_file(top)))
            if (into / top).exists():
                continue
            if name in LARGE:
                (into / top).symlink_to(there)
            elif there.is_dir():
                shutil.copytree(there, into / top)
            else:
                shutil.copy(there, into / top)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return the wheels that pip builds from a clean copy of this tree, and from its sdist.

    The builds see only the packages that ``pyproject.toml`` requires for a build.
    """
    folder = tmp_path_factory.mktemp("wheels")
    source = folder / "source"
    _copy_without_ignored_files(source)
    python = folder / "env" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    required = tomllib.loads((source / "pyproject.toml").read_text())["build-system"]["requires"]
    names = [re.split(r"[\s<>=!~\[(]", line, maxsplit=1)[0] for line in required]
    (packages,) = (folder / "env").glob("lib/python*/site-packages")
    _link({*names, *_needed(names)}, packages)
    environment = _without_python_variables()
    subprocess.run(
        [python, "-m", "hatchling", "build", "-t", "sdist", "-d", folder],
        cwd=source, env=environment, check=True, timeout=300,
    )  # fmt: skip
    (sdist,) = folder.glob("*.tar.gz")
    pip = [sys.executable, "-m", "pip", "--python", python, "wheel", "--quiet", "--no-index",
           "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]  # fmt: skip
    results = []
    for given in (source, sdist):
        into = folder / f"from-{given.name}"
        subprocess.run([*pip, "-w", into, given], env=environment, check=True, timeout=300)
        results += into.iterdir()
    assert results[0].name.split("-")[1] == sdist.name.removesuffix(".tar.gz").split("-")[1]
    return results


def _without_python_variables() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def _copy_without_ignored_files(into: Path) -> None:
    """Copy the files that a clone of this tree would have, and link its git history."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
        ).stdout

    names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, into / name)
    (into / ".git").write_text("gitdir: " + git("rev-parse", "--absolute-git-dir"))
    # The build finds the grammar compiler here, so it needs no network.
    kaitai = into / ".build" / "kaitai"
    kaitai.mkdir(parents=True)
    for compiler in (BUILD / "kaitai").glob("npm-*"):
        (kaitai / compiler.name).symlink_to(compiler)


@pytest.fixture(scope="module")
def wheel(wheels: list[Path]) -> Path:
    """Return the wheel from the sdist."""
    return wheels[1]


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Return an environment with the packages of ``pip install walproof`` and without Node.js."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    installed = Installed(folder / "env", folder / "work")
    python = installed.environment / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index",
         "--no-deps", "--disable-pip-version-check", str(wheel)],
        check=True,
    )  # fmt: skip
    # Other packages may use these names, so the wheel must not import modules that are called
    # ``conformance`` or ``reference_impl``.
    for name in ("conformance", "reference_impl"):
        (installed.packages / f"{name}.py").write_text("raise ImportError(__name__)\n")
    _link(_needed(["walproof"]), installed.packages / "linked")
    (installed.packages / "linked.pth").write_text(str(installed.packages / "linked") + "\n")
    work = installed.work
    (work / "lake").mkdir(parents=True)
    logs = VECTORS / "leveldb-log"
    shutil.copy(logs / "three-records.log", work / "000003.log")
    shutil.copy(logs / "first-then-full.log", work / "damaged.log")
    for name in ("000003.log", "damaged.log"):
        shutil.copy(work / name, work / "lake")
    suite = installed.packages / "walproof" / "conformance"
    shutil.copy(suite / "examples" / "python" / "adapter.py", work / "reader.py")
    return installed


Results = dict[str, tuple[int, str, str]]


@pytest.fixture(scope="module")
def plain(installed: Installed) -> Results:
    return installed.run_all([*PLAIN, *HELP, *FAST])


@pytest.fixture(scope="module")
def fast(installed: Installed, plain: Results) -> Results:
    """Return the results with the packages of ``walproof[fast]``, and with Node.js if present."""
    _link(_needed(["walproof"], "fast"), installed.packages / "linked")
    uses = [*FAST]
    compilers = list((BUILD / "kaitai").glob("npm-*"))
    if shutil.which("node") and compilers:
        (installed.work / "node").touch()
        kaitai = installed.work / "cache" / "walproof" / "kaitai"
        kaitai.mkdir(parents=True, exist_ok=True)
        for each in compilers:
            (kaitai / each.name).symlink_to(each)
        uses.append(WITH_NODE)
    return installed.run_all(uses)


def _must_say(results: Results, use: Use) -> None:
    words, status, said = use
    code, output, errors = results[words]
    assert (code, said in output + errors) == (status, True), output[-2000:] + errors[-2000:]
    if status == 2:
        assert len(errors.splitlines()) == 1


@pytest.mark.parametrize("use", [*PLAIN, *HELP], ids=lambda use: use[0])
def test_with_python_alone(plain: Results, use: Use) -> None:
    _must_say(plain, use)


@pytest.mark.parametrize("use", FAST, ids=lambda use: use[0])
def test_with_the_extra(fast: Results, use: Use) -> None:
    _must_say(fast, use)


def test_with_node(fast: Results) -> None:
    if WITH_NODE[0] not in fast:
        unavailable("Node.js or the Kaitai compiler is not here")
    _must_say(fast, WITH_NODE)


@pytest.mark.parametrize("words", [use[0] for use in FAST])
def test_commands_that_need_the_extra_name_it(plain: Results, words: str) -> None:
    status, _, errors = plain[words]
    assert status == 1
    assert re.search(r"needs \w+[^\n]*: pip install 'walproof\[fast\]'\n\Z", errors)


def test_a_clone_and_its_sdist_give_the_same_wheel(wheels: list[Path]) -> None:
    clone, sdist = (_contents(wheel) for wheel in wheels)
    assert clone == sdist


def _contents(wheel: Path) -> dict[str, int]:
    with zipfile.ZipFile(wheel) as archive:
        return {entry.filename: entry.CRC for entry in archive.infolist()}


def test_the_wheel_has_two_top_level_names(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name.partition("/")[0] for name in archive.namelist()}
    assert {name for name in names if not name.endswith(".dist-info")} == {
        "walproof", "pyspark_journal",
    }  # fmt: skip


def test_the_interface_works(installed: Installed) -> None:
    program = "import walproof; print(walproof.open('damaged.log').verdict)"
    assert installed.run("python", "-I", "-c", program).stdout == "damaged\n"
    program = "import walproof; walproof.scan('damaged.log')"
    error = installed.run("python", "-I", "-c", program).stderr
    assert error == "" or "pip install 'walproof[" in error


def test_every_command_is_run() -> None:
    assert {use[0].split()[0] for use in (*PLAIN, *FAST, WITH_NODE)} == set(COMMANDS)


def test_other_python_processes_do_not_load_the_package(installed: Installed) -> None:
    (linked,) = installed.packages.rglob("*.pth")
    assert linked.name == "linked.pth"


def test_the_wheel_has_the_grammars_and_their_parsers(installed: Installed) -> None:
    parsers = {
        each.name.partition("-")[0]
        for each in installed.packages.glob("walproof/wheel_data/kaitai/*")
    }
    assert parsers == {grammar.stem for grammar in (ROOT / "ksy").glob("*.ksy")}


def test_help_loads_no_subcommand(installed: Installed) -> None:
    shown = installed.run("walproof", "--help").stdout
    assert all(f"  {name} " in shown for name in COMMANDS)
    assert max(map(len, shown.splitlines())) <= 90
    program = (
        "import sys; sys.argv[1:] = ['--help']\n"
        "from walproof.cli import main\n"
        "try: main()\n"
        "finally: print(*sorted(sys.modules), file=sys.stderr)"
    )
    loaded = installed.run("python", "-I", "-c", program).stderr.split()
    heavy = {
        "rich",
        "jsonschema",
        "jinja2",
        "yaml",
        "kaitaistruct",
        "walproof.reference_impl.formats",
    }
    assert not heavy & set(loaded)
    assert not {f"walproof.cli.{each}" for each in ("read", "check", "sweep")} & set(loaded)


def test_the_version_is_that_of_the_tree(installed: Installed, wheel: Path) -> None:
    assert (
        installed.run("walproof", "--version").stdout
        == f"walproof, version {wheel.name.split('-')[1]}\n"
    )


def test_extras_name_every_optional_package() -> None:
    result = importlib.metadata.requires("walproof") or []
    optional = {re.split(r"[\s<>=!~\[(;]", line)[0] for line in result if "extra ==" in line}
    assert set(EXTRA_OF) <= optional
