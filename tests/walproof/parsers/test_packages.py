"""Each parser package is complete, with parsers, runtime, README, tests and licence."""

import os
import re
import shutil
import struct
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

#: Package managers print these messages if a dependency is not cached. Only CI downloads
#: dependencies.
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

    The drivers of ``walproof check`` build packages of all grammars.
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
    # The Python package is imported from its folder, because tests do not install anything.
    install = "true" if language.id == "python" else language.install
    installed = run(install, folder)
    if installed.returncode and NOT_FETCHED.search(installed.stdout):
        unavailable("the runtime is not in the package cache")
    assert installed.returncode == 0, installed.stdout
    done = run(language.test, folder)
    assert done.returncode == 0, done.stdout


GRAMMARS = Path(__file__).parent / "grammars"
#: These tests check how the runtimes in the packages decode texts and bytes.
VALUES = {
    "rust": (
        "tests/values.rs",
        """
use kaitai::{BytesReader, KStruct};
use walproof_parsers::sensor_archive::*;
#[test]
fn values() {
    let io = BytesReader::open("logs/sensor_archive.log").unwrap();
    let log = SensorArchive::read_into::<_, SensorArchive>(&io, None, None).unwrap();
    let Some(SensorArchive_Section_Body::SensorArchive_Texts(texts)) =
        log.sections()[1].body().clone() else { panic!() };
    assert_eq!(*texts.name(), "añ𝄞");
    assert_eq!(*texts.padded(), "café");
    assert_eq!(*texts.secret(), b"hello");
    assert_eq!(*texts.turned(), [0x09, 0x1a, 0x2b]);
    assert_eq!(*texts.wide(), "wĀ");
    assert_eq!(*texts.rest(), b"rest");
}
""",
    ),
    "cpp": (
        "test.cpp",
        """
#include <cassert>
#include <fstream>
#include "sensor_archive.h"
int main(int, char** argv) {
    std::ifstream file(argv[1] + std::string("/sensor_archive.log"), std::ios::binary);
    kaitai::kstream stream(&file);
    sensor_archive_t log(&stream);
    auto texts = static_cast<sensor_archive_t::texts_t*>(log.sections()->at(1)->body());
    if (texts->name() != "añ𝄞" || texts->padded() != "café" || texts->secret() != "hello"
        || texts->turned() != "\x09\x1a\x2b" || texts->wide() != "wĀ" || texts->rest() != "rest")
        return 1;
}
""",
    ),
}


def sensor_archive() -> bytes:
    """Return a log of the grammar ``sensor-archive.ksy``, written by hand."""
    name = "añ𝄞".encode("utf-16-le")
    readings = b"t1\0" + struct.pack(">I", 7) + struct.pack("<f", 1.5) + struct.pack(">d", 1.5)
    texts = bytes([len(name)]) + name + b"caf\xe9    "
    texts += bytes(byte ^ 0x5A for byte in b"hello") + bytes([0x21, 0x43, 0x65])
    texts += "wĀ".encode("utf-16-be") + b"\0\0" + bytes([0x73, 0x67, 0x72, 0x76])
    nested = struct.pack(">hB", -3, 4) + b"\x01\x02\x00"
    sections = b"".join(
        bytes([kind, len(body)]) + body for kind, body in ((1, readings), (2, texts), (16, nested))
    )
    header = b"SAR\0" + struct.pack("<H", 2) + b"\xb0\x05\x03" + struct.pack(">Q", 1 << 60)
    return header + sections + struct.pack("<I", 99)


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_package_of_ones_own_grammar_passes_its_test(language: Language, tmp_path: Path) -> None:
    grammar, log = GRAMMARS / "archive" / "sensor-archive.ksy", tmp_path / "readings.bin"
    log.write_bytes(sensor_archive())
    arguments = ["--lang", language.id, "--grammar", str(grammar), "--log", str(log)]
    done = CliRunner().invoke(parsers, [*arguments, "--out", str(tmp_path)], standalone_mode=False)
    assert (done.return_value, done.stderr) == (0, "")
    out = tmp_path / language.id
    assert (out / "logs" / "sensor_archive.log").read_bytes() == log.read_bytes()
    assert "Journal" not in (out / "README.md").read_text() and not (out / "LICENSE").exists()
    run_package(language, out)
    if language.id in VALUES:
        name, text = VALUES[language.id]
        (out / name).write_text(text)
        run_package(language, out)


def test_package_test_fails_if_the_log_has_another_length(tmp_path: Path) -> None:
    grammar, log = GRAMMARS / "archive" / "sensor-archive.ksy", tmp_path / "readings.bin"
    log.write_bytes(sensor_archive())
    make_package(LANGUAGES["python"], tmp_path / "out", [str(grammar)], log)
    # The changed log has one section fewer.
    data = sensor_archive()
    copy = tmp_path / "out" / "logs" / "sensor_archive.log"
    copy.write_bytes(data[:8] + b"\x02" + data[9:])
    done = run(LANGUAGES["python"].test, tmp_path / "out")
    assert done.returncode != 0 and "2 != 3" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--grammar", "archive/none.ksy"], "no such file: archive/none.ksy"),
        (["--grammar", "leveldb_log", "--log", "common/leb128.ksy"], "requires one --grammar FILE"),
        (["--grammar", "archive/sensor-archive.ksy", "--log", "common/leb128.ksy"],
         "sensor-archive.ksy does not read common/leb128.ksy: ValidationNotEqualError"),
        (["--grammar", "twice/leb128.ksy", "--grammar", "common/leb128.ksy"],
         "common/leb128.ksy:1:1: error: twice/leb128.ksy has the same meta/id"),
        (["--grammar", "packed.ksy", "--lang", "rust"],
         "packed.ksy:6:5: error: the runtime in this package has no zlib"),
    ],
)  # fmt: skip
def test_a_mistake_names_its_file(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(GRAMMARS, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    shutil.copytree("common", "twice")
    Path("packed.ksy").write_text(
        "meta:\n  id: packed\nseq:\n  - id: a\n    size: 3\n    process: zlib\n"
    )
    words = words if "--lang" in words else ["--lang", "python", *words]
    done = CliRunner().invoke(parsers, words)
    assert message in done.stderr


def test_a_package_of_one_grammar_replaces_the_earlier_one(tmp_path: Path) -> None:
    for name in ("zeebe_meta", "leveldb_log"):
        arguments = ["--lang", "python", "--grammar", name, "--out", str(tmp_path)]
        done = CliRunner().invoke(parsers, arguments, standalone_mode=False)
        assert done.return_value == 0, done
    folder = tmp_path / "python" / "walproof_parsers"
    assert sorted(path.name for path in folder.iterdir()) == ["__init__.py", "leveldb_log.py"]


PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of a package. Outside CI, it has no network."""
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
        (("go", "rust"), "meta:\n  id: bad\n  encoding: UTF-8\nseq:\n  - id: a\n    type: str\n"
         "    size: 4\n  - id: b\n    size: a + 1\n",
         "bad.ksy:9:5: error: can't apply operator Add"),
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
