"""The output of journalctl 262 for the journals of these tests.

To regenerate ``journalctl_262.json.xz``, run this module with a journalctl command as argument.
"""

from __future__ import annotations

import json
import lzma
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.real_files import JOURNALS, read_journal
from tests.walproof.formats.systemd_journal.journals import (
    FOLDERS,
    MODES,
    ODD,
    QUERIES,
    VARIED,
    cursors,
    two_files,
    write_journal,
)

PATH = Path(__file__).with_name("journalctl_262.json.xz")
FIELDS = ("PRIORITY", "MESSAGE", "_BOOT_ID", "NOTHING")
OF_TWO_FILES = ([], ["--boot=-1"], ["--reverse"])
AFTER_CURSOR = ([], ["--lines=2"], ["--reverse"], ["_UID=0"])
PLACES = (0, 12, 23)


def load_golden() -> dict[str, Any]:
    """Return the stored output, by the journals and arguments of :func:`_results`."""
    return json.loads(lzma.decompress(PATH.read_bytes()))


def make_journal(name: str, folder: Path) -> Path:
    """Write a real journal, or one of ``journals.py``."""
    path = folder / f"{name}.journal"
    if name in JOURNALS:
        path.write_bytes(read_journal(name))
        return path
    return write_journal(path, {"varied": VARIED, "odd": ODD, "few": VARIED[:9]}[name])


def sorted_json(text: bytes) -> list[list[str]]:
    """Sort the members of each object, because journalctl prints them in random order."""
    member = re.compile(r',(?="[^"]*":)')
    return [sorted(member.split(line[1:-1])) for line in text.decode().splitlines()]


def _results(run: Callable[..., bytes], folder: Path) -> Iterator[tuple[str, dict[str, object]]]:
    for name in ("varied", "odd", *JOURNALS):
        path = make_journal(name, folder)
        printed = {mode: run(f"--file={path}", "-o", mode) for mode in MODES}
        printed["json"] = run(f"--file={path}", "-o", "json", "--all")  # prints long values in full
        yield (
            name,
            {
                mode: sorted_json(text) if mode == "json" else text.decode("latin-1")
                for mode, text in printed.items()
            },
        )
    varied = f"--file={folder / 'varied.journal'}"
    results = {name: cursors(run(varied, "-o", "export", *each)) for name, each in QUERIES.items()}
    yield "queries", results
    few = f"--file={make_journal('few', folder)}"
    yield "fields", {name: run(few, f"--field={name}").decode("latin-1") for name in FIELDS}
    yield "names", {"all": sorted(run(few, "--fields").decode().split())}
    files = [f"--file={path}" for path in two_files(folder)]
    results = {" ".join(each): cursors(run(*files, "-o", "export", *each)) for each in OF_TWO_FILES}
    yield "two files", results
    yield (
        "after cursor",
        {
            " ".join([str(place), *more]): cursors(
                run(*files, "-o", "export", f"--after-cursor={results[''][place]}", *more)
            )
            for place in PLACES
            for more in AFTER_CURSOR
        },
    )
    yield (
        "folders",
        {
            name: cursors(run("-D", str(make(folder / name)), "-o", "export", "--all"))
            for name, make in FOLDERS.items()
        },
    )


if __name__ == "__main__":

    def _run(*arguments: str) -> bytes:
        command = [*sys.argv[1:], "--no-pager", "--utc", *arguments]
        environment = os.environ | {"LC_ALL": "C.UTF-8"}
        return subprocess.run(command, capture_output=True, env=environment).stdout

    with tempfile.TemporaryDirectory() as _folder:
        _golden = dict(_results(_run, Path(_folder)))
    PATH.write_bytes(lzma.compress(json.dumps(_golden, indent=1).encode(), preset=9))
