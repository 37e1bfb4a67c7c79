"""A LevelDB database: its findings, its recovery, and what the real LevelDB reads afterwards."""

from __future__ import annotations

import json
import re
import shutil
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reference_impl.answer import NewRecord
from reference_impl.formats import named
from tests.walproof.decode.real_programs import LEVELDB, _python_with
from tests.walproof.real_systems import DRIVERS, Driver
from walproof.systems import System, recognise

pytestmark = pytest.mark.slow


def start() -> Driver:
    """Start a process with the real LevelDB."""
    return Driver(_python_with(*LEVELDB), DRIVERS / "leveldb.py", "bytewise")


@pytest.fixture(scope="module")
def leveldb() -> Iterator[Driver]:
    """Yield a process with the real LevelDB, and stop it after the tests."""
    driver = start()
    yield driver
    driver.stop()


@pytest.fixture(scope="module")
def written(leveldb: Driver, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database as a killed process leaves it."""
    folder = tmp_path_factory.mktemp("leveldb") / "db"
    leveldb.request("write", folder)
    return folder


@pytest.fixture
def database(written: Path, tmp_path: Path) -> Path:
    """Return a copy of the database that a test may change."""
    shutil.copytree(written, tmp_path / "db")
    return tmp_path / "db"


@pytest.fixture
def items(leveldb: Driver, written: Path, tmp_path: Path) -> dict[str, str]:
    """Return the keys and values of the database."""
    shutil.copytree(written, tmp_path / "intact")
    return dict(leveldb.request("open", tmp_path / "intact")["items"])


def system(folder: Path) -> System:
    found = recognise(folder)
    assert found is not None
    return found


def finding(folder: Path, file: str) -> str:
    """Return the text of the only finding, a loss in a file."""
    (found,) = system(folder).findings
    assert (found.file, found.harm) == (file, "lost")
    return found.text


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 8
    path.write_bytes(data)


def test_a_sound_database(database: Path, items, leveldb, tmp_path: Path, run) -> None:
    done = run(database)
    assert done.return_value == 0, done.output
    assert "LevelDB database: 1 log, 40 records" in done.output
    assert "intact; live" in done.output
    out = tmp_path / "new"
    done = run("recover", database, "--out", out)
    assert done.return_value == 0, done.output
    assert {path.name for path in out.iterdir()} == {path.name for path in database.iterdir()}
    assert "Checked: MANIFEST-" in done.output
    assert "LevelDB opens it" in done.output
    assert "No file was replaced" in done.output
    assert leveldb.request("open", out) == {"items": items}


def test_a_damaged_log(database: Path, items, leveldb, tmp_path: Path, run) -> None:
    log = only(database, "*.log")
    flip(log, log.read_bytes().index(b"late value 7 "))
    done = run("read", database, "--json")
    assert done.return_value == 3
    assert {record["file"] for record in json.loads(done.stdout)["records"]} == {log.name}
    out = tmp_path / "new"
    done = run("recover", database, "--out", out)
    assert done.return_value == 3
    assert f"lost  {log.name}: [" in done.output
    assert f"replaced  {log.name}: 7 records before, 39 after" in done.output.splitlines()[-1]
    assert (out / f"{log.name}.before-recovery").read_bytes() == log.read_bytes()
    # The length of the damaged record leads to the next records of its block, and their valid
    # checksums confirm the length.
    assert f"found  {log.name}: 32 more records" in done.output
    del items["late007"]
    assert leveldb.request("open", out) == {"items": items}


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda data: b"", "it is empty. Still readable: 0 edits, 0 tables"),
        (lambda data: data[:-5], r"its last edit is cut at \d+\. Still readable: [1-9]"),
        (
            lambda data: data[:-3] + b"\xff\xff\xff",
            r"damaged \(checksum-mismatch\), \d+ bytes lost\. Still readable: 1 edit",
        ),
        (
            lambda data: data + bytes(4096),
            r"edits expected at \d+, 4,096 zeros found\. Still .* log",
        ),
    ],
    ids=["empty", "cut", "flipped", "zero tail"],
)
def test_a_manifest_of_wrong_content_is_damage(
    damage: Callable[[bytes], bytes], text: str, database: Path
) -> None:
    manifest = only(database, "MANIFEST-*")
    manifest.write_bytes(damage(manifest.read_bytes()))
    assert re.match(text, finding(database, manifest.name))
    assert not system(database).facts["manifest"].is_whole


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda data: b"", "found 0: the keys"),
        (lambda data: bytes(len(data)), "expected the footer of a table at its end, found zeros"),
        (lambda data: data[:-5], "expected [0-9,]+ bytes .MANIFEST-[0-9]+., found"),
        (lambda data: data[:-8] + b"not this", "at its end, found 6e 6f 74"),
    ],
    ids=["empty", "zeros", "cut", "text"],
)
def test_a_table_of_wrong_content_is_damage(
    damage: Callable[[bytes], bytes], text: str, database: Path
) -> None:
    table = sorted(database.glob("*.ldb"))[1]
    table.write_bytes(damage(table.read_bytes()))
    assert re.search(text, finding(database, table.name))


@pytest.mark.parametrize("content", [b"", bytes(16), None, "{}\r\n", "{}", "not\n"])
def test_current_is_rewritten_if_the_manifest_is_certain(
    content: str | bytes | None, database: Path, items, leveldb, tmp_path: Path, run
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
    assert leveldb.request("open", out) == {"items": items}


def test_current_is_unchanged_if_a_table_is_missing(database: Path, tmp_path: Path, run) -> None:
    (database / "CURRENT").write_bytes(b"")
    sorted(database.glob("*.ldb"))[0].unlink()
    run("recover", database, "--out", tmp_path / "new")
    assert (tmp_path / "new" / "CURRENT").read_bytes() == b""


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
    assert "deep/db1: Do not open it yet" in done.output and "db2: Do not open" in done.output
    assert (tmp_path / "new" / "deep" / "db1" / manifest.name).read_bytes() == bytes(100)
    assert (tmp_path / "new" / "db2").exists()


@pytest.mark.parametrize("content", [b"", b"MANIFEST-000099\n", b"../secret\n"])
def test_current_names_no_existing_manifest(content: bytes, database: Path) -> None:
    (database / "CURRENT").write_bytes(content)
    assert "the latest one is MANIFEST-" in finding(database, "CURRENT")
    only(database, "MANIFEST-*").unlink()
    assert "there is no other MANIFEST" in finding(database, "CURRENT")
    assert all("no MANIFEST decides" in log.role for log in system(database).logs)


def test_a_missing_table_is_a_loss(database: Path) -> None:
    gone = sorted(database.glob("*.ldb"))[1]
    gone.unlink()
    text = finding(database, only(database, "MANIFEST-*").name)
    assert text.startswith(f"1 table that it names is not there ({gone.stem})")


def test_unreferenced_files_are_classified(database: Path, tmp_path: Path, run) -> None:
    shutil.copy(only(database, "*.log"), database / "000001.log")
    shutil.copy(sorted(database.glob("*.ldb"))[0], database / "000999.ldb")
    roles = {other.name: other.role for other in system(database).others}
    assert roles["000001.log"] == "obsolete log: its records are in tables"
    # The table number exceeds the next number of the MANIFEST, but the MANIFEST may lack edits.
    assert roles["000999.ldb"] == "table"
    (unknown,) = system(database).findings
    assert "1 table (000999) with a number that it does not know yet" in unknown.text
    assert [log.name for log in system(database).logs] == [only(database, "000009.log").name]
    done = run("recover", database, "--out", tmp_path / "new")
    assert (tmp_path / "new" / "000999.ldb").exists()
    assert (tmp_path / "new" / "000001.log").exists()
    assert "opens" not in done.output


def test_a_missing_log_is_reported(database: Path) -> None:
    only(database, "*.log").unlink()
    text = finding(database, only(database, "MANIFEST-*").name)
    assert text.endswith("records written after the last table are lost")


def test_logs_alone_are_not_a_database(database: Path) -> None:
    for path in [*database.iterdir()]:
        if path.suffix != ".log":
            path.unlink()
    assert recognise(database) is None
