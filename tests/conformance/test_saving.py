"""A file gets its final name only when it is complete, even if the program is killed."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conformance import ROOT
from conformance.saving import (
    build_once,
    is_unfinished,
    named_in_errors,
    publish,
    save,
    saved,
    temporary_sibling,
)

WHOLE = b"x" * 1_000_000


def test_a_file_appears_complete_without_temporary_files(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with saved(out) as file:
        file.write(WHOLE)
        assert not out.exists()
    assert out.read_bytes() == WHOLE
    assert list(out.parent.iterdir()) == [out]


def test_an_exception_leaves_the_old_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    save(out, "old")
    with pytest.raises(ValueError, match="no more"), saved(out) as file:
        file.write(b"new")
        raise ValueError("no more")
    assert out.read_text() == "old"
    assert list(tmp_path.iterdir()) == [out]


def test_a_file_made_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(FileExistsError) as error, saved(out, replace=False) as file:
        file.write(b"new")
        out.write_text("of another program")
    assert error.value.filename == str(out)
    assert out.read_text() == "of another program"
    assert list(tmp_path.iterdir()) == [out]


def test_an_error_names_the_file_and_not_the_unfinished_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    out = tmp_path / "file" / "out"
    with pytest.raises(NotADirectoryError) as error, saved(out):
        pass
    assert error.value.filename == str(out)


def test_an_error_of_reading_keeps_its_own_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error, saved(tmp_path / "out"):
        (tmp_path / "log").read_bytes()
    assert error.value.filename == str(tmp_path / "log")
    with pytest.raises(OSError, match="Input/output") as nameless, saved(tmp_path / "out"):
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    assert nameless.value.filename is None, "an error of the log is not charged to the output"


def test_a_folder_appears_complete(tmp_path: Path) -> None:
    new_folder, out = tmp_path / "made", tmp_path / "out"
    (new_folder / "a" / "b").mkdir(parents=True)
    (new_folder / "a" / "b" / "c").write_text("c")
    publish(new_folder, out)
    assert (out / "a" / "b" / "c").read_text() == "c"
    assert list(tmp_path.iterdir()) == [out]
    new_folder.mkdir()
    with pytest.raises(FileExistsError):
        publish(new_folder, out)


def test_publish_refuses_an_existing_name(tmp_path: Path) -> None:
    new_folder, out = tmp_path / "made", tmp_path / "out"
    new_folder.write_text("new")
    out.symlink_to("nowhere")
    with pytest.raises(FileExistsError):
        publish(new_folder, out)
    assert out.is_symlink()


ENDLESS = """
import sys
from pathlib import Path
from conformance.saving import save
save(Path(sys.argv[1]), b"x" * 1_000_000)
print("begun", flush=True)
while True:
    save(Path(sys.argv[1]), b"x" * 1_000_000)
"""


@pytest.mark.slow
def test_a_kill_leaves_no_incomplete_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for milliseconds in range(1, 40, 8):
        with subprocess.Popen(
            [sys.executable, "-c", ENDLESS, out], stdout=subprocess.PIPE
        ) as child:
            try:
                assert child.stdout is not None and child.stdout.readline() == b"begun\n"
                time.sleep(milliseconds / 1000)
            finally:
                child.kill()
        assert out.read_bytes() == WHOLE


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))
from walproof.cli import main
sys.argv = ["walproof", *sys.argv[1:]]
main()
"""
LOG = "vectors/leveldb-log/three-records.log"


@pytest.mark.slow
def test_a_full_disk_error_names_the_written_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LIMITED, "recover", LOG, "--out", tmp_path / "new.log"]
    done = subprocess.run(command, capture_output=True, cwd=ROOT)
    assert done.returncode == 1
    (line,) = done.stderr.decode().strip().splitlines()
    assert str(tmp_path) in line and "File too large" in line
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("is_folder", [True, False])
def test_an_unpublished_temporary_file_is_removed(tmp_path: Path, is_folder: bool) -> None:
    def make(temporary: Path) -> None:
        if is_folder:
            temporary.mkdir()
        (temporary / "inner" if is_folder else temporary).write_text("all of it")

    with temporary_sibling(tmp_path / "out") as temporary:
        make(temporary)
        assert is_unfinished(temporary)
        publish(temporary, tmp_path / "out")
    with pytest.raises(ZeroDivisionError), temporary_sibling(tmp_path / "other") as temporary:
        make(temporary)
        raise ZeroDivisionError
    with temporary_sibling(tmp_path / "never") as temporary:
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_first_complete_folder_wins(tmp_path: Path) -> None:
    out = tmp_path / "cache" / "out"
    with build_once(out) as slow:
        (slow / "by").write_text("slow")
        with build_once(out) as quick:
            (quick / "by").write_text("quick")
    assert (out / "by").read_text() == "quick"
    with pytest.raises(ZeroDivisionError), build_once(tmp_path / "cache" / "never"):
        raise ZeroDivisionError
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_removing_a_temporary_file_keeps_the_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    out = tmp_path / "file" / "out"
    with (
        pytest.raises(NotADirectoryError) as raised,
        temporary_sibling(out) as temporary,
        named_in_errors(out),
    ):
        temporary.mkdir()
    assert raised.value.filename == str(out)
