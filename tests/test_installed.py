"""Test every command of an installed wheel, in a new environment and outside the checkout.

There are two environments. ``plain`` contains the packages of ``pip install walproof``, without
Node.js on the PATH. ``fast`` has those of ``walproof[fast]``. Their dependencies are linked from
the environment of the tests, so nothing is downloaded.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance import BUILD, ROOT, VECTORS
from walproof.cli import COMMANDS, REPLACEMENTS, walproof
from walproof.extras import EXTRA_OF

pytestmark = pytest.mark.xdist_group("installed")

LARGE = {"llvmlite", "numba", "numpy", "pyarrow"}
"""Linked and not copied; programs in a box, which see this environment alone, do without them."""
READER = "{python} reader.py"

Uses = dict[str, list[tuple[list[str], int, str]]]
IN_BOTH: Uses = {
    "summary": [(["database"], 3, "LevelDB")],
    "read": [(["damaged.log", "--each", "records"], 3, '"at": 24')],
    "inspect": [(["000003.log", "--html", "map.html"], 0, "38 of 38 bytes")],
    "verify": [(["damaged.log"], 3, "LDB-032")],
    "export": [(["one.journal"], 0, "MESSAGE=")],
    "systemd": [
        (["fields", "one.journal"], 0, "MESSAGE"),
        (["import", "entries.export", "--out", "new.journal"], 0, "new.journal: "),
    ],
    "damage": [(["000003.log", "truncate at 20", "--out", "cut.log"], 0, "torn-payload")],
    "recover": [(["damaged.log", "--out", "recovered.log"], 3, "3 records")],
    "explain": [(["LDB-028"], 0, "checksum")],
    "check": [
        (["--impl", "kaitai-python", "--format", "zmq-raft", "--group", "state"], 0, "expected"),
        (["--cmd", READER, "--format", "leveldb-log", "--group", "types"], 0, "reader.py"),
        (["--impl", "executable-spec", "--update-known"], 2, "needs a checkout"),
        (["--smoke", "--cmd", READER], 0, "The adapter speaks the protocol"),
    ],
    "ask": [(["--cmd", READER, "--vector", "leveldb-log/three-records"], 0, "right")],
    "diff": [(["000003.log", "damaged.log"], 3, '"bravo"')],
    "review": [(["--against", "main"], 2, "needs a checkout")],
}
IN_FAST: Uses = {
    "read": [(["--fast", "damaged.log"], 3, "incomplete-record")],
    "export": [(["--parquet", "tables", "lake"], 3, "leveldb-log")],
    "carve": [(["disk.img", "--out", "found"], 0, "1 log")],
    "audit": [(["lake", "--out", "audit"], 1, "an audit needs pyspark")],
    "sweep": [
        (["--format", "leveldb-log", "--cmd", READER, "--cases", "100"], 0, "No findings."),
        (["--flips", "--format", "leveldb-log", "--at-most", "8"], 0, "0 flips are"),
        (["--flips", "--format", "leveldb-log", "--save"], 2, "needs a checkout"),
    ],
}
WITH_NODE: Uses = {
    "parsers": [
        (["--lang", "python", "--out", "parsers"], 0, "parsers for Python"),
    ],
}
HELP_OF_ALL = """
import json, sys
from click.testing import CliRunner
from walproof.cli import walproof
shown = {}
for words in sys.argv[1:]:
    done = CliRunner().invoke(walproof, [*words.split(), "--help"], prog_name="walproof")
    shown[words] = [done.exit_code, done.output]
print(json.dumps(shown))
"""


@dataclass
class Installed:
    """A fresh environment with the wheel in it, and a folder to work in."""

    environment: Path
    work: Path

    @property
    def packages(self) -> Path:
        (result,) = self.environment.glob("lib/python*/site-packages")
        return result

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        python = self.environment / "bin" / "python"
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
        }
        environment |= {
            "PATH": os.environ["PATH"] if (self.work / "node").exists() else "/nowhere",
            "XDG_CACHE_HOME": str(self.work / "cache"),
            "NO_COLOR": "1",
        }
        arguments = [word.format(python=python) for word in words]
        return subprocess.run(
            [self.environment / "bin" / "walproof", *arguments],
            cwd=self.work, env=environment, capture_output=True, text=True, errors="replace",
            stdin=subprocess.DEVNULL, timeout=240, check=False,
        )  # fmt: skip

    def files(self) -> dict[str, int]:
        """Return the installed files with their modification times."""
        return {
            str(path): path.stat().st_mtime_ns
            for path in self.packages.rglob("*")
            if path.is_file() and not path.is_relative_to(self.packages / "linked")
        }


def _needed(names: list[str], extra: str = "") -> set[str]:
    """The distributions that these ask for, and what those ask for."""
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
                continue  # for another platform, or an older Python
            if needed not in results and needed != "walproof":
                results.add(needed)
                waiting.append((needed, ""))
    return results


def _link(names: set[str], into: Path) -> None:
    """Make the packages of distributions importable from a folder, and no others."""
    into.mkdir()
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
    """The wheel, made from the sdist of this tree: both build."""
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


def _install(wheel: Path, folder: Path, needed: set[str]) -> Installed:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    installed = Installed(folder / "env", folder / "work")
    python = installed.environment / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index",
         "--no-deps", "--disable-pip-version-check", str(wheel)],
        check=True,
    )  # fmt: skip
    _link(needed, installed.packages / "linked")
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


@pytest.fixture(scope="module")
def plain(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return _install(wheel, tmp_path_factory.mktemp("plain"), _needed(["walproof"]))


@pytest.fixture(scope="module")
def fast(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    needed = _needed(["walproof"], "fast") | _needed(["walproof"])
    installed = _install(wheel, tmp_path_factory.mktemp("fast"), needed)
    compilers = list((BUILD / "kaitai").glob("npm-*"))
    if shutil.which("node") and compilers:
        (installed.work / "node").touch()
        (installed.work / "cache" / "walproof" / "kaitai").mkdir(parents=True)
        for each in compilers:
            (installed.work / "cache" / "walproof" / "kaitai" / each.name).symlink_to(each)
    return installed


def _asked(table: Uses) -> list[Any]:
    return [
        pytest.param(command, words, status, message, id=" ".join([command, *words[:2]]))
        for command, uses in table.items()
        for words, status, message in uses
    ]


def _must_say(installed: Installed, command: str, words: list[str], status: int, said: str) -> None:
    before = installed.files()
    done = installed.run(command, *words)
    assert "Traceback" not in done.stderr
    assert (done.returncode, said in done.stdout + done.stderr) == (status, True), (
        done.stdout[-2000:] + done.stderr[-2000:]
    )
    if status == 2:
        assert len(done.stderr.splitlines()) == 1
    assert installed.files() == before, "something was written into site-packages"


@pytest.mark.parametrize(("command", "words", "status", "said"), _asked(IN_BOTH))
def test_with_python_alone(plain, command, words, status, said) -> None:
    _must_say(plain, command, words, status, said)


@pytest.mark.parametrize(("command", "words", "status", "said"), _asked(IN_FAST))
def test_with_the_extra(fast, command, words, status, said) -> None:
    _must_say(fast, command, words, status, said)


@pytest.mark.parametrize(("command", "words", "status", "said"), _asked(WITH_NODE))
def test_with_node(fast, command, words, status, said) -> None:
    if not (fast.work / "node").exists():
        pytest.skip("Node.js or the Kaitai compiler is not here")
    _must_say(fast, command, words, status, said)


@pytest.mark.parametrize("command", [each for each in IN_FAST if each not in IN_BOTH])
def test_what_needs_the_extra_says_so(plain, command) -> None:
    words, _, _ = IN_FAST[command][0]
    done = plain.run(command, *words)
    assert done.returncode == 1
    assert re.search(r"needs \w+[^\n]*: pip install 'walproof\[fast\]'\n\Z", done.stderr)
    assert "Traceback" not in done.stderr


def test_every_command_is_tried() -> None:
    assert {*IN_BOTH, *IN_FAST, *WITH_NODE} == set(COMMANDS)


def test_help_needs_no_extra(plain) -> None:
    python = plain.environment / "bin" / "python"
    commands = [*COMMANDS, "systemd fields"]
    command = [python, "-I", "-c", HELP_OF_ALL, *commands]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for words, (status, output) in json.loads(done.stdout).items():
        assert status == 0 and output.startswith(f"Usage: walproof {words}"), output


@pytest.mark.parametrize("command", REPLACEMENTS)
def test_a_former_command_names_its_successor(command) -> None:
    done = CliRunner().invoke(walproof, [command])
    assert done.exit_code == 2
    assert done.stderr == f"Error: walproof {command} is now: {REPLACEMENTS[command]}\n"


def test_nothing_of_it_runs_in_other_python_processes(plain) -> None:
    (linked,) = plain.packages.rglob("*.pth")
    assert linked.name == "linked.pth"


def test_it_carries_the_grammars_and_their_parsers(plain) -> None:
    parsers = {
        each.name.partition("-")[0] for each in plain.packages.glob("walproof_data/kaitai/*")
    }
    assert parsers == {grammar.stem for grammar in (ROOT / "ksy").glob("*.ksy")}


def test_help_loads_no_subcommand(plain) -> None:
    python = plain.environment / "bin" / "python"
    shown = plain.run("--help").stdout
    assert all(f"  {name} " in shown for name in COMMANDS)
    assert max(map(len, shown.splitlines())) <= 90
    program = (
        "import sys; sys.argv[1:] = ['--help']\n"
        "from walproof.cli import main\n"
        "try: main()\n"
        "finally: print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [python, "-I", "-c", program], capture_output=True, text=True, check=False
    )
    loaded = done.stderr.split()
    heavy = {"rich", "jsonschema", "jinja2", "yaml", "kaitaistruct", "reference_impl.formats"}
    assert not heavy & set(loaded)
    assert not {f"walproof.cli.{each}" for each in ("read", "check", "sweep")} & set(loaded)


def test_the_version_is_that_of_the_tree(plain, wheel) -> None:
    assert plain.run("--version").stdout == f"walproof, version {wheel.name.split('-')[1]}\n"


def test_extras_name_every_optional_package() -> None:
    result = importlib.metadata.requires("walproof") or []
    optional = {re.split(r"[\s<>=!~\[(;]", line)[0] for line in result if "extra ==" in line}
    assert set(EXTRA_OF) <= optional
