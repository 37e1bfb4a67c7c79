"""The next harness removes scratch directories of killed ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance import scratch
from conformance.contents import write_contents

HOLDER = """
import subprocess, sys, time
from conformance.scratch import Scratch
mine = Scratch()
(mine.folder / "deep" / "er").mkdir(parents=True)
if sys.argv[1:]:
    subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL)
print(mine.folder, flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the parent of scratch directories, also for child processes."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(scratch.tempfile, "tempdir", None)  # type: ignore[attr-defined]
    scratch._clear_once.cache_clear()
    yield tmp_path
    scratch._clear_once.cache_clear()


def held_by_another(*words: str) -> tuple[subprocess.Popen[str], Path]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, *words], stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert holder.stdout is not None
    return holder, Path(holder.stdout.readline().strip())


@pytest.mark.parametrize("words", [(), ("with a child that outlives it",)])
def test_abandoned_folders_are_removed_at_the_next_start(place: Path, words: tuple[str, ...]):
    holder, left = held_by_another(*words)
    try:
        mine = scratch.Scratch()
        assert left.is_dir(), "its maker lives"
        holder.kill()
        holder.wait()
        assert left.is_dir()
        scratch.clear_abandoned(place)
        assert not left.exists() and mine.folder.is_dir()
        mine.close()
        assert list(place.iterdir()) == []
    finally:
        os.killpg(holder.pid, signal.SIGKILL) if words else None


def test_only_the_first_folder_of_a_process_cleans_up(place: Path):
    holder, left = held_by_another()
    holder.kill()
    holder.wait()
    mine = scratch.Scratch()
    assert not left.exists()
    mine.close()


def test_other_folders_stay(place: Path):
    for name in ("walproof-mine", f"{scratch.PREFIX}file"):
        (place / name).mkdir()
    (place / f"{scratch.PREFIX}link").symlink_to(place / "walproof-mine")
    (place / f"{scratch.PREFIX}note").write_text("a file")
    scratch.clear_abandoned(place)
    kept = {path.name.removeprefix(scratch.PREFIX) for path in place.iterdir()}
    assert kept == {"walproof-mine", "link", "note"}


def test_a_folder_removed_before_its_lock_is_made_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
):
    made = []
    real = scratch.tempfile.mkdtemp  # type: ignore[attr-defined]

    def taken_at_first(**how: object) -> str:
        made.append(real(**how))
        if len(made) == 1:
            scratch.clear_abandoned(place)
            Path(made[0]).mkdir(exist_ok=True)  # so that it can be opened
            monkeypatch.setattr(scratch.fcntl, "flock", after_removal)
        return str(made[-1])

    def after_removal(lock: int, how: int) -> None:
        monkeypatch.undo()
        Path(made[0]).rmdir()

    monkeypatch.setattr(scratch.tempfile, "mkdtemp", taken_at_first)
    mine = scratch._locked_folder(place)
    assert mine[0].is_dir() and not Path(made[0]).exists()
    os.close(mine[1])


class TestAProgramThatWasHereFirst:
    def test_a_folder_made_by_a_program_is_not_used(self):
        mine = scratch.Scratch()
        (mine.folder / "1").mkdir()
        assert mine.place("case.log").parent.name == "2"
        mine.close()

    @pytest.mark.parametrize("contents", [b"log", {"a/b.log": b"log"}])
    def test_a_link_made_by_a_program_is_not_followed(self, tmp_path: Path, contents):
        (tmp_path / "precious").write_text("as it was")
        mine = scratch.Scratch()
        place = mine.place("case")
        place.symlink_to(tmp_path / "precious")
        with pytest.raises(OSError, match=r"symbolic link|exists"):
            write_contents(contents, place)
        assert (tmp_path / "precious").read_text() == "as it was"
        mine.close()
