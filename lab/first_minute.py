"""``make recording``: record the first minute of a reader's author, for README.md.

The recording begins with an empty environment and installs the wheel of this tree. Its commands are
those of README.md; its outputs are shortened.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from conformance import ROOT
from conformance.saving import save

README = ROOT / "README.md"
INSTALL = ("python3 -m venv env && . env/bin/activate", "pip install -q walproof-*.whl")
SKELETON = "walproof skeleton python -o my-reader"
CHECK = "walproof check --cmd 'python3 my-reader/adapter.py' --failures 1"
#: These patterns match the console block in README.md, and the time in the sentence about it.
BLOCK = re.compile(r"(?<=```console\n)\$ python3 -m venv env.*?(?=```)", re.DOTALL)
SECONDS = re.compile(r"(?<=first score takes )\d+(?= s)")
#: A reader that verifies no checksums. It replaces the last line of ``read`` in the skeleton.
READER = """    import struct

    log, at, payload, records = path.read_bytes(), 0, b"", []
    while at + 7 <= len(log):
        if at % 32768 > 32761:  # the trailer of a block
            at += 32768 - at % 32768
            continue
        length, fragment = struct.unpack_from("<HB", log, at + 4)
        payload += log[at + 7 : at + 7 + length]
        at += 7 + length
        if fragment in (1, 4):  # FULL and LAST
            records.append({"payload": payload.hex()})
            payload = b""
    signals = [] if at == len(log) else ["unexpected end of the log"]
    return {"answer": {"records": records, "signals": signals}}
"""
EMPTY = '    return {"skipped": "read() is not written yet"}\n'

Run = Callable[[str], str]


def record(run: Run, folder: Path, install: bool = True) -> str:
    """Run the commands in ``folder`` with ``run``; return the commands with their output."""
    shown = ""
    for command in [*INSTALL * install, SKELETON, CHECK]:
        output = run(command)
        if command == CHECK:
            output = shortened(output)
        shown += f"$ {command}\n{output}"
        if command == SKELETON:
            adapter = folder / "my-reader" / "adapter.py"
            text = adapter.read_text("utf-8")
            save(adapter, text.replace(EMPTY, READER))
    return shown


def shortened(output: str) -> str:
    """Shorten an output to the score, the totals, and the first failure with its repeat command."""
    lines = output.strip("\n").splitlines()
    ends = [number for number, line in enumerate(lines) if line.startswith("── null")]
    total, bad, failure, repeat = (
        next(number for number, line in enumerate(lines) if re.match(start, line))
        for start in (r"1 implementation,", "Not as expected", "✗", "  repeat it with")
    )
    log = next(number for number, line in enumerate(lines) if line == "  the log")
    parts = [*lines[: ends[0]], "…", *lines[total : bad + 1], "…"]
    parts += [*lines[failure:log], *lines[repeat : repeat + 2]]
    return "\n".join(parts) + "\n"


def main() -> int:
    """Build the wheel, record, and write the block and the time to README.md."""
    with tempfile.TemporaryDirectory(prefix="walproof-") as name:
        folder = Path(name)
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
            cwd=ROOT, check=True, capture_output=True,
        )  # fmt: skip
        environment = {key: value for key, value in os.environ.items() if "PYTHON" not in key}
        environment |= {
            "COLUMNS": "80",
            "PATH": f"{folder / 'env' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }
        started = time.monotonic()

        def run(command: str) -> str:
            done = subprocess.run(
                ["sh", "-c", command], cwd=folder, env=environment, text=True,
                stdout=subprocess.PIPE, check=False,
            )  # fmt: skip
            print(f"{time.monotonic() - started:5.1f} s  {command}")
            return done.stdout

        shown = record(run, folder)
        seconds = time.monotonic() - started
    text = README.read_text("utf-8")
    text = BLOCK.sub(lambda _: shown, text, count=1)
    save(README, SECONDS.sub(f"{seconds:.0f}", text, count=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
