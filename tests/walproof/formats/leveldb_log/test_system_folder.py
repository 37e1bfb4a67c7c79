"""A LevelDB database: what the real LevelDB wrote, what is recovered, what it then opens."""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path

import pytest

from reference_impl.answer import NewRecord
from reference_impl.formats import named
from tests.walproof.decode.real_programs import LEVELDB
from tests.walproof.formats.leveldb_log.conftest import run_database
from walproof.systems import System, recognise

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).with_name("database.py")


def leveldb(action: str, folder: Path) -> dict[str, str]:
    """Run the real LevelDB: the keys and values that it gives."""
    keys: dict[str, str] = run_database(LEVELDB, PROGRAM, action, folder)
    return keys


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("leveldb") / "db"
    return folder, leveldb("write", folder)


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
    assert "intact; live" in done.output
    out = tmp_path / "new"
    done = run("recover", database, "--out", out)
    assert done.return_value == 0, done.output
    assert {path.name for path in out.iterdir()} == {path.name for path in database.iterdir()}
    assert "Checked: MANIFEST-" in done.output
    assert "LevelDB opens it" in done.output
    assert "No file was replaced" in done.output
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
    assert f"replaced  {log.name}: 7 records before, 19 after" in done.output.splitlines()[-1]
    assert (out / f"{log.name}.before-recovery").read_bytes() == log.read_bytes()
    # The records after it in its block are found by its length: a sound checksum confirms it.
    assert f"found  {log.name}: 12 more records" in done.output
    expected = {key: value for key, value in written[1].items() if key != "late007"}
    assert leveldb("open", out) == expected


def test_a_damaged_manifest_says_what_it_can(database: Path, written, tmp_path: Path, run) -> None:
    manifest = only(database, "MANIFEST-*")
    flip(manifest, manifest.stat().st_size - 3)
    done = run(database)
    assert done.return_value == 3
    assert "damaged (checksum-mismatch)" in done.output
    assert "Still readable: 8 edits" in " ".join(done.output.split())
    out = tmp_path / "new"
    done = run("recover", database, "--out", out)
    assert done.return_value == 3
    assert "RepairDB (in Python plyvel.repair_db) makes a new MANIFEST" in done.output
    assert "opens" not in done.output
    assert leveldb("repair", out) == written[1]


def zeros(data: bytes) -> bytes:
    return bytes(len(data))


DAMAGES = {
    "empty": lambda data: b"",
    "zeros": zeros,
    "cut": lambda data: data[:-5],
    "cut in half": lambda data: data[: len(data) // 2],
    "zero tail": lambda data: data + bytes(4096),
    "last edit lost to zeros": lambda data: data[:-20] + bytes(20),
    "text": lambda data: b"not a MANIFEST\n" * 20,
    "CR LF": lambda data: data.replace(b"\n", b"\r\n") + b"\r\n",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_manifest_of_wrong_content_is_damage(
    damage: str, database: Path, written, tmp_path: Path, run
) -> None:
    manifest = only(database, "MANIFEST-*")
    manifest.write_bytes(DAMAGES[damage](manifest.read_bytes()))
    done = run(database)
    assert done.return_value == 3, done.output
    assert f"lost    {manifest.name}: " in done.output
    assert "all logs are intact, other files are not" in done.output
    out = tmp_path / "new"
    done = run("recover", database, "--out", out)
    assert done.return_value == 3
    assert "opens" not in done.output
    assert {path.name for path in out.iterdir()} == {path.name for path in database.iterdir()}
    assert leveldb("repair", out) == written[1]


@pytest.mark.parametrize("content", [b"", bytes(16), b"\r\n", None, "{}\r\n", "{}", "not\n"])
def test_current_is_written_anew_where_the_manifest_is_certain(
    content: str | bytes | None, database: Path, written, tmp_path: Path, run
) -> None:
    current = database / "CURRENT"
    right = current.read_bytes()
    current.unlink()
    if content is not None:
        name = right.decode().strip()
        current.write_bytes(
            content if isinstance(content, bytes) else content.format(name).encode()
        )
    assert run(database).return_value == 3
    out = tmp_path / "new"
    done = run("recover", database, "--out", out)
    assert done.return_value == 3
    assert (out / "CURRENT").read_bytes() == right
    assert "replaced  CURRENT: now MANIFEST-" in done.output.splitlines()[-1]
    assert "LevelDB opens it" in done.output
    assert leveldb("open", out) == written[1]


def test_current_is_left_alone_where_a_table_is_gone(database: Path, tmp_path: Path, run) -> None:
    (database / "CURRENT").write_bytes(b"")
    sorted(database.glob("*.ldb"))[0].unlink()
    run("recover", database, "--out", tmp_path / "new")
    assert (tmp_path / "new" / "CURRENT").read_bytes() == b""


@pytest.mark.parametrize("damage", ["empty", "zeros", "cut", "zero tail", "text"])
def test_a_table_of_wrong_content_is_damage(
    damage: str, database: Path, tmp_path: Path, run
) -> None:
    table = sorted(database.glob("*.ldb"))[1]
    table.write_bytes(DAMAGES[damage](table.read_bytes()))
    done = run(database)
    assert done.return_value == 3
    assert f"lost    {table.name}: expected" in done.output
    done = run("recover", database, "--out", tmp_path / "new")
    assert done.return_value == 3
    assert "opens" not in done.output
    assert (tmp_path / "new" / table.name).read_bytes() == table.read_bytes()


def test_a_log_without_survivors_is_left_as_it_is(database: Path, tmp_path: Path, run) -> None:
    log = only(database, "*.log")
    log.write_bytes(b"not a log\n" * 50)
    done = run("recover", database, "--out", tmp_path / "new")
    assert done.return_value == 3
    assert "not rewritten: no record survives" in done.output
    assert (tmp_path / "new" / log.name).read_bytes() == log.read_bytes()


def test_the_comparator_decides_whether_repair_is_advised(tmp_path: Path, run) -> None:
    folder = tmp_path / "https_x_0.indexeddb.leveldb"
    folder.mkdir()
    (folder / "CURRENT").write_bytes(b"MANIFEST-000002\n")
    edit = b"\x01\x08idb_cmp1\x02\x03\x03\x04\x04\x00"
    named("leveldb-log").write(folder / "MANIFEST-000002", [NewRecord(edit)], {})
    named("leveldb-log").write(folder / "000003.log", [NewRecord(b"x" * 20)], {})
    done = run("recover", folder, "--out", tmp_path / "sound")
    assert done.return_value == 0, done.output
    assert "comparator idb_cmp1." in done.output
    manifest = folder / "MANIFEST-000002"
    manifest.write_bytes(manifest.read_bytes() + bytes(50))
    done = run("recover", folder, "--out", tmp_path / "new")
    assert done.return_value == 3
    assert "Do not run RepairDB" in done.output


def test_the_same_findings_below_a_parent_folder_and_in_an_archive(
    database: Path, tmp_path: Path, run
) -> None:
    manifest = only(database, "MANIFEST-*")
    manifest.write_bytes(bytes(100))
    parent = tmp_path / "parent"
    shutil.copytree(database, parent / "deep" / "db1")
    shutil.copytree(database, parent / "db2")
    with tarfile.open(tmp_path / "all.tar", "w") as archive:
        archive.add(parent, "parent")
    for path in (parent, tmp_path / "all.tar"):
        done = run(path)
        assert done.return_value == 3
        assert done.output.count(f"lost    {manifest.name}: 100 zeros") == 2, done.output
        assert "2 systems; 2 not intact" in done.output
        bodies = [json.loads(line) for line in run(path, "--json").output.splitlines()]
        assert sum("findings" in body for body in bodies) == 2
    assert run(parent, "--all").return_value == 3
    assert run("verify", parent).return_value == 3
    done = run("recover", parent, "--out", tmp_path / "new")
    assert done.return_value == 3
    assert (tmp_path / "new" / "deep" / "db1" / manifest.name).read_bytes() == bytes(100)
    assert (tmp_path / "new" / "db2").exists()


def test_current_names_a_manifest_that_is_not_there(
    database: Path, written, tmp_path: Path, run
) -> None:
    only(database, "MANIFEST-*").unlink()
    done = run(database)
    assert done.return_value == 3
    assert "which is not there; there is no other MANIFEST" in " ".join(done.output.split())
    assert "no MANIFEST decides" in done.output
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
    # Its number is above the next one of the MANIFEST, which may lack edits.
    assert roles["000999.ldb"] == "table"
    (unknown,) = system(database).findings
    assert "1 table (000999) with a number that it does not know yet" in unknown.text
    assert [log.name for log in system(database).logs] == [only(database, "0000[1-9]*.log").name]
    done = run("recover", database, "--out", tmp_path / "new")
    assert (tmp_path / "new" / "000999.ldb").exists()
    assert (tmp_path / "new" / "000001.log").exists()
    assert "opens" not in done.output


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
