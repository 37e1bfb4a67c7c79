"""Only the matching systemd release is run, and an error explains a missing release."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from conformance.registry import FOLDER

pytestmark = pytest.mark.slow

TOOLS = ("sh", "sed", "cat", "grep", "head", "mkdir", "rm")


def build(script: str, folder: Path, *arguments: str, **stand_ins: str) -> tuple[int, str]:
    """Run a build script without apt. The scripts in ``stand_ins`` replace programs."""
    programs, output = folder / "bin", folder / "build"
    programs.mkdir()
    output.mkdir()
    for tool in TOOLS:
        tool_path = shutil.which(tool)
        assert tool_path
        (programs / tool).symlink_to(tool_path)
    for name, text in stand_ins.items():
        path = programs / name.replace("_", "-")
        path.write_text(f"#!/bin/sh\n{text}\n")
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


WHY = (
    ", the known failures here are of 252, and"
    " systemd 252 comes through apt, and apt-get was not found"
)
INSTALLED = {
    "systemd 255 (255.4)": (1, f"journalctl is of systemd 255{WHY}"),
    "systemd 252 (252.1)": (0, ""),
    None: (1, f"journalctl is not here{WHY}"),
}


@pytest.mark.parametrize("release", INSTALLED)
def test_only_the_matching_installed_release_is_run(release: str | None, tmp_path: Path) -> None:
    installed = {"journalctl": f"echo '{release}'"} if release else {}
    assert build("build.sh", tmp_path, **installed) == INSTALLED[release]


# These commands stand for another build, which finishes while this build waits for the lock.
UNPACKED = """
echo "$PWD" "$@" >&2
mkdir -p root/usr/bin root/usr/lib/here
printf '#!/bin/sh\\necho "systemd 257 (257.1)"\\n' >root/usr/lib/here/ld-linux.so.2
cp root/usr/lib/here/ld-linux.so.2 root/usr/bin/journalctl
chmod +x root/usr/lib/here/ld-linux.so.2
"""


@pytest.mark.parametrize(("waiting", "code"), [(UNPACKED, 0), ("true", 1)])
def test_a_release_unpacked_meanwhile_is_reused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waiting: str, code: int
) -> None:
    monkeypatch.setattr(f"{__name__}.TOOLS", (*TOOLS, "cp", "chmod"))
    fetches = f"echo fetched >>{tmp_path / 'fetched'}; exit 1"
    programs = {"apt_get": fetches, "apt_cache": fetches, "dpkg": fetches, "nice": fetches}
    assert build("fetch.sh", tmp_path, "257", "trixie", flock=waiting, **programs)[0] == code
    assert code or not (tmp_path / "fetched").exists()
    assert (tmp_path / "build.lock").exists()
