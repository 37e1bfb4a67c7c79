"""A harness removes the scratch directories that killed harnesses left behind."""

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
def temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Set the parent of scratch directories, also for child processes, and yield it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(scratch.tempfile, "tempdir", None)  # type: ignore[attr-defined]
    scratch._clear_once.cache_clear()
    yield tmp_path
    scratch._clear_once.cache_clear()


def held_by_another(*arguments: str) -> tuple[subprocess.Popen[str], Path]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, *arguments], stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert holder.stdout is not None
    return holder, Path(holder.stdout.readline().strip())


@pytest.mark.parametrize("arguments", [(), ("with a child that outlives it",)])
def test_abandoned_folders_are_removed_at_the_next_start(
    temporary_folder: Path, arguments: tuple[str, ...]
):
    holder, left = held_by_another(*arguments)
    try:
        new_scratch = scratch.Scratch()
        assert left.is_dir(), "its maker lives"
        holder.kill()
        holder.wait()
        assert left.is_dir()
        scratch.clear_abandoned(temporary_folder)
        assert not left.exists() and new_scratch.folder.is_dir()
        new_scratch.close()
        assert list(temporary_folder.iterdir()) == []
    finally:
        os.killpg(holder.pid, signal.SIGKILL) if arguments else None


def test_only_the_first_folder_of_a_process_cleans_up(temporary_folder: Path):
    holder, left = held_by_another()
    holder.kill()
    holder.wait()
    new_scratch = scratch.Scratch()
    assert not left.exists()
    new_scratch.close()


def test_other_folders_stay(temporary_folder: Path):
    for name in ("walproof-mine", f"{scratch.PREFIX}file"):
        (temporary_folder / name).mkdir()
    (temporary_folder / f"{scratch.PREFIX}link").symlink_to(temporary_folder / "walproof-mine")
    (temporary_folder / f"{scratch.PREFIX}note").write_text("a file")
    scratch.clear_abandoned(temporary_folder)
    remaining = {path.name.removeprefix(scratch.PREFIX) for path in temporary_folder.iterdir()}
    assert remaining == {"walproof-mine", "link", "note"}


def test_a_folder_removed_before_its_lock_is_made_again(
    temporary_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    created = []
    real = scratch.tempfile.mkdtemp  # type: ignore[attr-defined]

    def taken_at_first(**options: object) -> str:
        created.append(real(**options))
        if len(created) == 1:
            scratch.clear_abandoned(temporary_folder)
            # The removed folder is created again, so that it can be opened once more.
            Path(created[0]).mkdir(exist_ok=True)
            monkeypatch.setattr(scratch.fcntl, "flock", after_removal)
        return str(created[-1])

    def after_removal(lock: int, operation: int) -> None:
        monkeypatch.undo()
        Path(created[0]).rmdir()

    monkeypatch.setattr(scratch.tempfile, "mkdtemp", taken_at_first)
    new_folder = scratch._locked_folder(temporary_folder)
    assert new_folder[0].is_dir() and not Path(created[0]).exists()
    os.close(new_folder[1])


class TestAProgramThatWasHereFirst:
    def test_a_folder_made_by_a_program_is_not_used(self):
        new_scratch = scratch.Scratch()
        (new_scratch.folder / "1").mkdir()
        assert new_scratch.new_path("case.log").parent.name == "2"
        new_scratch.close()

    @pytest.mark.parametrize("contents", [b"log", {"a/b.log": b"log"}])
    def test_a_link_made_by_a_program_is_not_followed(self, tmp_path: Path, contents):
        (tmp_path / "precious").write_text("as it was")
        new_scratch = scratch.Scratch()
        path = new_scratch.new_path("case")
        path.symlink_to(tmp_path / "precious")
        with pytest.raises(OSError, match=r"symbolic link|exists"):
            write_contents(contents, path)
        assert (tmp_path / "precious").read_text() == "as it was"
        new_scratch.close()
