"""Every driver, on toy grammars: imports, an enum with unknown values, switch-on, 64 bits, text."""

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
    """The toys, and the LevelDB grammar that the drivers' benchmark reads with."""
    folder = tmp_path_factory.mktemp("ksy")
    shutil.copy(GRAMMARS / "leveldb_log.ksy", folder)
    return write_toys(folder)


def build(language: str, grammars: Path) -> tuple[Path, list[str]]:
    """The driver of a language, built with the toys; kept between runs."""
    implementation = load(FOLDER / f"parser-{language}")
    if missing := implementation.missing():
        pytest.skip(f"{' and '.join(missing)} not found")
    out = BUILD / "toys" / language
    out.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {
        "WALPROOF_BUILD": str(out),
        "WALPROOF_ROOT": str(ROOT),
        "WALPROOF_PYTHON": sys.executable,
    }
    done = subprocess.run(
        ["sh", "build.sh", "--ksy", str(grammars)], cwd=implementation.folder, env=environment,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout
    places = {"build": str(out), "here": str(implementation.folder), "python": sys.executable}
    return out, [part.format(**places) for part in implementation.command_template]


@pytest.mark.parametrize("language", LANGUAGES)
def test_driver(language: str, grammars: Path, tmp_path: Path) -> None:
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
    gone = {"cmd": "read", "seq": 98, "grammar": "gone", "path": str(path)}
    requests.append(gone | {"profile": "structure"})
    requests.append({"cmd": "bye"})
    said = subprocess.run(
        command, input="".join(json.dumps(one, separators=(",", ":")) + "\n" for one in requests),
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    hello, *replies = map(json.loads, said.stdout.splitlines())
    tells = Tells.of(hello["reports"])
    for log, reply in zip(LOGS, replies, strict=False):
        found = reply["structure"]["listing"]
        assert found == listing(log, "toy_log", tells, grammars), log.hex()
    assert replies[-1] == {"seq": 98, "skipped": "no parser of gone"}


def test_a_driver_is_for_every_format() -> None:
    """So its row is there without being named: `walproof check` leaves out who reads none."""
    drivers = [one for one in all_implementations() if one.structure]
    assert [one.name for one in drivers] == sorted(
        language.driver for language in LANGUAGES.values()
    )
    assert all(one.formats == () for one in drivers)
