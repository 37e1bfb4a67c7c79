"""A LevelDB database: what the real LevelDB wrote, what is recovered, what it then opens."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.walproof.decode.conftest import LEVELDB, _python_with
from walproof.systems import System, recognise

PROGRAM = Path(__file__).with_name("database.py")


def leveldb(action: str, folder: Path) -> dict[str, str]:
    """Run the real LevelDB: the keys and values that it gives."""
    python = _python_with(*LEVELDB[1:])
    done = subprocess.run(
        [str(python), str(PROGRAM), action, str(folder)],
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("leveldb") / "db"
    return folder, leveldb("write", folder)


@pytest.fixture
def database(written: tuple[Path, dict[str, str]], tmp_path: Path) -> Path:
    shutil.copytree(written[0], tmp_path / "db")
    return tmp_path / "db"


def system(folder: Path) -> System:
    found = recognise(folder)
    assert found is not None
    return found


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 8
    path.write_bytes(data)


def test_a_sound_database(database: Path, written, tmp_path: Path, run) -> None:
    done = run(database)
    assert done.return_value == 0, done.output
    assert "LevelDB database: 1 log, 20 records" in done.output
    assert "whole; live" in done.output
    out = tmp_path / "new"
    done = run("recover", database, "--out", out)
    assert done.return_value == 0, done.output
    assert not (out / "LOCK").exists()
    assert leveldb("open", out) == written[1]


def test_a_damaged_log(database: Path, written, tmp_path: Path, run) -> None:
    log = only(database, "*.log")
    flip(log, log.read_bytes().index(b"late value 7"))
    done = run("read", database, "--json")
    assert done.return_value == 3
    assert {record["file"] for record in json.loads(done.stdout)["records"]} == {log.name}
    out = tmp_path / "new"
    done = run("recover", database, "--out", out)
    assert done.return_value == 3
    assert f"lost  {log.name}: [" in done.output
    # What follows it in its block goes with it: no length there can be trusted.
    expected = {key: value for key, value in written[1].items() if key < "late007"}
    assert leveldb("open", out) == expected


def test_a_damaged_manifest_says_what_it_can(database: Path, written, tmp_path: Path, run) -> None:
    manifest = only(database, "MANIFEST-*")
    flip(manifest, manifest.stat().st_size - 3)
    done = run(database)
    assert done.return_value == 3
    assert "damaged (checksum-mismatch)" in done.output
    assert "What it still says: 8 edits of it can be read" in " ".join(done.output.split())
    out = tmp_path / "new"
    done = run("recover", database, "--out", out)
    assert done.return_value == 3
    assert "RepairDB makes new ones" in done.output
    assert not (out / "CURRENT").exists()
    assert not [*out.glob("MANIFEST-*")]
    assert leveldb("repair", out) == written[1]


def test_current_names_a_manifest_that_is_not_there(
    database: Path, written, tmp_path: Path, run
) -> None:
    only(database, "MANIFEST-*").unlink()
    done = run(database)
    assert done.return_value == 3
    assert "which is not there, and there is no other MANIFEST" in " ".join(done.output.split())
    assert "nothing says which logs are" in done.output
    assert run("recover", database, "--out", tmp_path / "new").return_value == 3
    assert leveldb("repair", tmp_path / "new") == written[1]


def test_current_is_missing_and_the_latest_manifest_speaks(database: Path, run) -> None:
    (database / "CURRENT").unlink()
    done = run(database)
    assert done.return_value == 3
    assert "CURRENT is not there" in done.output
    assert "which tables and logs there are: 7 tables" in done.output


@pytest.mark.parametrize("content", [b"", b"MANIFEST-000099\n", b"../secret\n"])
def test_current_that_names_nothing_here(content: bytes, database: Path) -> None:
    (database / "CURRENT").write_bytes(content)
    (finding,) = system(database).findings
    assert (finding.file, finding.harm) == ("CURRENT", "lost")
    assert "the latest one is MANIFEST-" in finding.text


def test_a_table_that_is_not_there(database: Path, run, tmp_path: Path) -> None:
    gone = sorted(database.glob("*.ldb"))[1]
    gone.unlink()
    done = run(database)
    assert done.return_value == 3
    assert f"1 table that it names is not there ({gone.stem})" in done.output
    assert run("recover", database, "--out", tmp_path / "new").return_value == 3
    assert "late007" in leveldb("repair", tmp_path / "new")


def test_files_that_nothing_names(database: Path, tmp_path: Path, run) -> None:
    shutil.copy(only(database, "*.log"), database / "000001.log")
    shutil.copy(sorted(database.glob("*.ldb"))[0], database / "000999.ldb")
    roles = {other.name: other.role for other in system(database).others}
    assert roles["000001.log"] == "obsolete log: what it holds is in tables"
    assert roles["000999.ldb"] == "table that the MANIFEST does not name: obsolete"
    assert [log.name for log in system(database).logs] == [only(database, "0000[1-9]*.log").name]
    run("recover", database, "--out", tmp_path / "new")
    assert not (tmp_path / "new" / "000999.ldb").exists()
    assert not (tmp_path / "new" / "000001.log").exists()


def test_the_log_that_is_not_there(database: Path, run) -> None:
    only(database, "*.log").unlink()
    done = run(database)
    assert done.return_value == 3
    assert "what was written after the last table is lost" in " ".join(done.output.split())


def test_logs_alone_are_no_database(database: Path) -> None:
    for path in [*database.iterdir()]:
        if path.suffix != ".log":
            path.unlink()
    assert recognise(database) is None
