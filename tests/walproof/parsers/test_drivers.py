"""Every driver on toy grammars: imports, unknown enum values, switch-on, 64 bits, text."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from toys import LOG, write_toys

from conformance import BUILD, GRAMMARS, ROOT
from conformance.registry import load
from conformance.structure.listing import Tells, listing
from walproof.implementations import FOLDER, all_implementations
from walproof.parsers.languages import LANGUAGES

NO_NAME = LOG[:-1] + b"\0" * 3
LOGS = [LOG, NO_NAME, b"TOY\0", b"TOX\0", b"", LOG[:14], LOG[:16]]


@pytest.fixture(scope="session")
def grammars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the toy grammars and the LevelDB grammar for the benchmark."""
    folder = tmp_path_factory.mktemp("ksy")
    shutil.copy(GRAMMARS / "leveldb_log.ksy", folder)
    return write_toys(folder)


def build(language: str, grammars: Path) -> tuple[Path, list[str]]:
    """Build the driver of a language with the toy grammars; the build is cached."""
    implementation = load(FOLDER / f"parser-{language}")
    if missing := implementation.missing():
        pytest.skip(f"{' and '.join(missing)} not found")
    out = BUILD / "toys" / language
    out.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {
        "WALPROOF_BUILD": str(out),
        "WALPROOF_ROOT": str(ROOT),
        "WALPROOF_PYTHON": sys.executable,
        "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0",
    }
    result = subprocess.run(
        ["sh", "build.sh", "--ksy", str(grammars)], cwd=implementation.folder, env=environment,
        capture_output=True, text=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr + result.stdout
    variables = {"build": str(out), "here": str(implementation.folder), "python": sys.executable}
    return out, [part.format(**variables) for part in implementation.command_template]


@pytest.mark.parametrize("language", LANGUAGES)
def test_driver_lists_the_expected_fields(language: str, grammars: Path, tmp_path: Path) -> None:
    _, command = build(language, grammars)
    if language == "python":
        command = [*command, "--ksy", str(grammars)]
    requests: list[dict[str, Any]] = [{"cmd": "hello", "protocol": 1}]
    for number, log in enumerate(LOGS):
        path = tmp_path / f"{number} é.toy"
        path.write_bytes(log)
        requests.append(
            {"cmd": "read", "seq": number, "format": "toy-log", "grammar": "toy_log",
             "path": str(path), "profile": "structure", "listing": True}
        )  # fmt: skip
    unknown = {"cmd": "read", "seq": 98, "grammar": "gone", "path": str(path)}
    requests.append(unknown | {"profile": "structure"})
    requests.append({"cmd": "bye"})
    result = subprocess.run(
        command, input="\n".join(json.dumps(r, separators=(",", ":")) for r in requests) + "\n",
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    hello, *replies = map(json.loads, result.stdout.splitlines())
    settings = Tells.of(hello["reports"])
    for log, reply in zip(LOGS, replies, strict=False):
        lines = reply["structure"]["listing"]
        assert lines == listing(log, "toy_log", settings, grammars), log.hex()
    assert replies[-1] == {"seq": 98, "skipped": "no parser of gone"}


def test_drivers_support_every_format() -> None:
    """Otherwise `walproof check` would leave out its row."""
    drivers = [driver for driver in all_implementations() if driver.structure]
    assert [driver.name for driver in drivers] == sorted(
        language.driver for language in LANGUAGES.values()
    )
    assert all(driver.formats == () for driver in drivers)
