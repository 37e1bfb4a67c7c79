"""A RocksDB database: what the real RocksDB wrote, what is recovered, what it then opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.walproof.decode.real_programs import ROCKSDB
from tests.walproof.formats.leveldb_log.conftest import run_database

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).with_name("rocksdb.py")


def rocksdb(action: str, folder: Path) -> dict[str, str]:
    """Run the real RocksDB: the keys and values that it gives."""
    keys: dict[str, str] = run_database(ROCKSDB, PROGRAM, action, folder)
    return keys


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("rocksdb") / "db"
    return folder, rocksdb("write", folder)


def live_log(folder: Path) -> Path:
    return max(folder.glob("*.log"), key=lambda path: path.stat().st_size)


def test_a_sound_database(database: Path, written, tmp_path: Path, run) -> None:
    done = run(database)
    assert done.return_value == 0, done.output
    for said in ("RocksDB database", "all logs are intact", "names the MANIFEST", "options of the"):
        assert said in done.output, done.output
    # rocksdict has a file of its own there.
    assert "1 other file outside of the system" in " ".join(done.output.split())
    assert "\n  lost " not in done.output and "\n  check " not in done.output, done.output
    read = run("read", "--records", database)
    assert 'put "late019" = "late value 19"' in read.output
    out = tmp_path / "new"
    assert run("recover", database, "--out", out).return_value == 0
    assert rocksdb("open", out) == written[1]


def test_a_flipped_bit_of_the_log(database: Path, written, tmp_path: Path, run) -> None:
    log = live_log(database)
    data = bytearray(log.read_bytes())
    place = data.index(b"late value 7")
    data[place] ^= 1
    log.write_bytes(data)
    shown = run(database)
    assert shown.return_value == 3 and "checksum-mismatch" in shown.output, shown.output
    out = tmp_path / "new"
    assert run("recover", database, "--out", out).return_value == 3
    found = rocksdb("open", out)
    assert found.items() <= written[1].items(), "nothing is invented"
    gone = written[1].keys() - found.keys()
    assert gone == {"late007"}


def test_inspect_of_the_folder_shows_its_logs(database: Path, run) -> None:
    assert run("inspect", database).output == run(database, "--all").output
