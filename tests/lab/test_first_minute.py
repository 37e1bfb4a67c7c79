"""The recording in README.md shows the real output of its commands, and took less than a minute."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from lab.first_minute import BLOCK, CHECK, INSTALL, README, SECONDS, record

# Matches the parts that vary: the time of a run, and the path of the program.
VARIABLE = re.compile(r"(?<= in )\d+\.\d(?= s:)|\S*walproof(?= check --cmd)")


def test_the_recording_shows_the_output_of_its_commands(tmp_path: Path) -> None:
    program = tmp_path / "walproof"
    program.write_text(f"#!{sys.executable}\nfrom walproof.cli import main\nmain()\n")
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
                   "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "80"}  # fmt: skip

    def run(command: str) -> str:
        done = subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, env=environment, text=True,
            stdout=subprocess.PIPE, timeout=240, check=False,
        )  # fmt: skip
        assert done.returncode == (3 if command == CHECK else 0)
        return done.stdout

    text = BLOCK.search(README.read_text("utf-8"))
    assert text is not None
    install = "".join(f"$ {command}\n" for command in INSTALL)
    shown = install + record(run, tmp_path, install=False)
    again = "make recording writes README.md again"
    assert _joined(text[0]) == _joined(shown), again


def _joined(text: str) -> str:
    """Return the text without line breaks, which a longer time can move."""
    return " ".join(VARIABLE.sub("", text).split())


def test_the_first_score_takes_less_than_a_minute() -> None:
    seconds = SECONDS.search(README.read_text("utf-8"))
    assert seconds is not None and int(seconds[0]) <= 60
