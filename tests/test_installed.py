"""Test every command of an installed wheel, in a new environment and outside the checkout.

The commands run first with the packages of ``pip install walproof``, and then with those of
``walproof[fast]``. Dependencies are linked from the environment of the tests, so nothing is
downloaded.
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
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance import BUILD, ROOT, VECTORS
from walproof.cli import COMMANDS, REPLACEMENTS, walproof
from walproof.extras import EXTRA_OF

pytestmark = pytest.mark.xdist_group("installed")

LARGE = {"llvmlite", "numba", "numpy", "pyarrow"}
"""Packages that are linked, not copied. A sandbox shows only this environment, and lacks them."""
READER = "{python} reader.py"

Use = tuple[str, int, str]
"""The arguments of a command, its exit status, and a part of its output."""
PLAIN: list[Use] = [
    ("summary database", 3, "LevelDB"),
    ("read damaged.log --each records", 3, '"at": 24'),
    ("inspect 000003.log", 0, "blocks[0].records[2].data"),
    ("verify damaged.log", 3, "LDB-032"),
    ("export one.journal", 0, "MESSAGE="),
    ("systemd fields one.journal", 0, "MESSAGE"),
    ("damage 000003.log 'truncate at 20' --out cut.log", 0, "torn-payload"),
    ("recover damaged.log --out recovered.log", 3, "3 records"),
    ("explain LDB-028", 0, "checksum"),
    ("check --impl kaitai-python --format zmq-raft --group state", 0, "expected"),
    (f"ask --cmd '{READER}' --vector leveldb-log/three-records", 0, "right"),
    ("diff 000003.log damaged.log", 3, '"bravo"'),
    ("review --against main", 2, "needs a checkout"),
    (f"sweep --format leveldb-log --cmd '{READER}' --cases 100", 0, "No findings."),
]
#: Commands that need an extra, with their status and output once the extra is installed. Without
#: the extra, each command names it.
FAST: list[Use] = [
    ("export --parquet tables lake", 3, "leveldb-log"),
    ("carve disk.img --out found", 0, "1 log"),
    ("audit lake --out audit", 1, "an audit needs pyspark"),
]
WITH_NODE: Use = ("parsers --lang python --out parsers", 0, "parsers for Python")
HELP: list[Use] = [
    (f"{command} --help", 0, f"Usage: walproof {command}")
    for command in (*COMMANDS, "systemd fields")
]
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
    """A new environment with the wheel, and a folder in which the commands run."""

    environment: Path
    work: Path

    @property
    def packages(self) -> Path:
        (result,) = self.environment.glob("lib/python*/site-packages")
        return result

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, without Node.js unless the test has linked it."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
        }
        environment |= {
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
        """Run commands in one process; return the status, output and error output of each."""
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
    """Return the distributions that these distributions need, directly or indirectly."""
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
                continue  # needed only on another platform or by an older Python
            if needed not in results and needed != "walproof":
                results.add(needed)
                waiting.append((needed, ""))
    return results


def _link(names: set[str], into: Path) -> None:
    """Make only the packages of these distributions importable, from a folder."""
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
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, built from the sdist of this tree, so that both builds are tested."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build"]
    subprocess.run([*build, "-t", "sdist", "-d", str(folder)], cwd=ROOT, check=True)
    (sdist,) = folder.glob("*.tar.gz")
    shutil.unpack_archive(sdist, folder / "sdist", filter="data")
    (source,) = (folder / "sdist").iterdir()
    subprocess.run([*build, "-t", "wheel", "-d", str(folder)], cwd=source, check=True)
    (created,) = folder.glob("*.whl")
    assert created.name.split("-")[1] == sdist.name.removesuffix(".tar.gz").split("-")[1]
    return created


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
    _link(_needed(["walproof"]), installed.packages / "linked")
    (installed.packages / "linked.pth").write_text(str(installed.packages / "linked") + "\n")
    work = installed.work
    (work / "lake").mkdir(parents=True)
    logs = VECTORS / "leveldb-log"
    shutil.copy(logs / "three-records.log", work / "000003.log")
    shutil.copy(logs / "first-then-full.log", work / "damaged.log")
    for name in ("000003.log", "damaged.log"):
        shutil.copy(work / name, work / "lake")
    (work / "disk.img").write_bytes(
        bytes(4096) + (work / "000003.log").read_bytes() + bytes(100_000)
    )
    (work / "database").mkdir()
    (work / "database" / "CURRENT").write_text("MANIFEST-000002\n")
    shutil.copy(work / "damaged.log", work / "database" / "000003.log")
    shutil.copy(logs / "three-records.log", work / "database" / "MANIFEST-000002")
    journals = VECTORS / "systemd-journal"
    shutil.copy(journals / "archived-compact.journal", work / "one.journal")
    (work / "entries.export").write_text(
        "__REALTIME_TIMESTAMP=1700000000000000\n__MONOTONIC_TIMESTAMP=1\n"
        "_BOOT_ID=0123456789abcdef0123456789abcdef\nMESSAGE=hi\n\n"
    )
    suite = installed.packages / "conformance"
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
        pytest.skip("Node.js or the Kaitai compiler is not here")
    _must_say(fast, WITH_NODE)


@pytest.mark.parametrize("words", [use[0] for use in FAST])
def test_commands_that_need_the_extra_name_it(plain: Results, words: str) -> None:
    status, _, errors = plain[words]
    assert status == 1
    assert re.search(r"needs \w+[^\n]*: pip install 'walproof\[fast\]'\n\Z", errors)


def test_every_command_is_run() -> None:
    assert {use[0].split()[0] for use in (*PLAIN, *FAST, WITH_NODE)} == set(COMMANDS)


@pytest.mark.parametrize("command", REPLACEMENTS)
def test_a_former_command_names_its_successor(command) -> None:
    done = CliRunner().invoke(walproof, [command])
    assert done.exit_code == 2
    assert done.stderr == f"Error: walproof {command} is now: {REPLACEMENTS[command]}\n"


def test_other_python_processes_do_not_load_the_package(installed: Installed) -> None:
    (linked,) = installed.packages.rglob("*.pth")
    assert linked.name == "linked.pth"


def test_the_wheel_has_the_grammars_and_their_parsers(installed: Installed) -> None:
    parsers = {
        each.name.partition("-")[0] for each in installed.packages.glob("walproof_data/kaitai/*")
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
    heavy = {"rich", "jsonschema", "jinja2", "yaml", "kaitaistruct", "reference_impl.formats"}
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
