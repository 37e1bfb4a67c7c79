"""Which systemd is run, and what is said where it cannot be had."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from conformance.registry import FOLDER

TOOLS = ("sh", "sed", "cat", "grep", "head", "mkdir", "rm")


def build(script: str, folder: Path, *arguments: str, journalctl: str = "") -> tuple[int, str]:
    """Run a build script where there is no apt, and journalctl says what it is told to."""
    programs, output = folder / "bin", folder / "build"
    programs.mkdir()
    output.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found
        (programs / tool).symlink_to(found)
    if journalctl:
        path = programs / "journalctl"
        path.write_text(f"#!/bin/sh\necho '{journalctl}'\n")
        path.chmod(0o755)
    environment = os.environ | {"PATH": str(programs), "WALPROOF_BUILD": str(output)}
    done = subprocess.run(
        ["sh", script, *arguments],
        cwd=FOLDER / "systemd",
        env=environment,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout.strip()


def test_another_release_of_the_machine_is_not_run(tmp_path: Path) -> None:
    code, said = build("build.sh", tmp_path, journalctl="systemd 255 (255.4)")
    assert code == 1
    assert said == (
        "journalctl is of systemd 255, the known failures here are of 252, and"
        " systemd 252 comes through apt, and apt-get was not found"
    )


def test_without_journalctl(tmp_path: Path) -> None:
    code, said = build("build.sh", tmp_path)
    assert (code, said.startswith("journalctl is not here, the known")) == (1, True)


def test_the_right_release_of_the_machine_is_run_with_or_without_its_writer(tmp_path: Path) -> None:
    assert build("build.sh", tmp_path, journalctl="systemd 252 (252.1)") == (0, "")


def test_a_release_that_cannot_be_fetched(tmp_path: Path) -> None:
    code, said = build("fetch.sh", tmp_path, "257", "trixie")
    assert (code, said) == (1, "systemd 257 comes through apt, and apt-get was not found")


@pytest.mark.parametrize("name", ["systemd-257", "systemd-262"])
def test_both_rows_share_one_adapter(name: str) -> None:
    text = (FOLDER / name / "implementation.toml").read_text()
    release = name.partition("-")[2]
    assert f'"../systemd/fetch.sh", "{release}"' in text
    assert "{here}/../systemd/adapter.py" in text
