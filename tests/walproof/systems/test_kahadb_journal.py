"""ActiveMQ's folder: what its store wrote, what is recovered, and what the store makes of it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conformance import ROOT
from walproof.systems import recognise

JARS = ROOT / ".build" / "implementations" / "kahadb-store" / "lib"
STORE = Path(__file__).with_name("Store.java")
MESSAGE = re.compile(rb"order (\d+) x")

pytestmark = pytest.mark.skipif(
    not (shutil.which("java") and [*JARS.glob("activemq-kahadb-store-*.jar")]),
    reason="no java, or no kahadb-store: walproof setup --impl kahadb-store",
)


def store(*arguments: str | Path) -> list[str]:
    """Run the broker's own store: the messages that it prints."""
    command = ["java", "-XX:+UseSerialGC", "-Xmx512m", "-cp", f"{JARS}/*", str(STORE)]
    done = subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def delivered(journal: Path, scratch: Path) -> set[int]:
    """The messages that a broker delivers from a journal alone, on a copy of it."""
    shutil.copytree(journal, scratch, ignore=shutil.ignore_patterns("db.data", "db.redo", "lock"))
    return {int(line.rpartition(" ")[2]) for line in store("read", scratch)}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a store left that was killed: 300 messages, each third of them acknowledged."""
    folder = tmp_path_factory.mktemp("broker") / "kahadb"
    store("write", folder, "300", "killed")
    return folder


@pytest.fixture(scope="module")
def expected(written: Path, tmp_path_factory: pytest.TempPathFactory) -> set[int]:
    found = delivered(written, tmp_path_factory.mktemp("read") / "copy")
    assert found == {number for number in range(300) if number % 3 != 2}
    return found


def test_its_files_are_known(written: Path, run) -> None:
    system = recognise(written)
    assert system is not None
    assert {other.name for other in system.others} >= {"db.data", "db.redo"}
    done = run(written)
    assert done.return_value == 0, done.output
    assert "ActiveMQ's message store (KahaDB)" in done.output
    assert "makes it again from the journal" in done.output


def test_what_is_recovered_from_a_sound_store(
    written: Path, expected: set[int], tmp_path: Path, run
) -> None:
    out = tmp_path / "recovered"
    done = run("recover", written, "--out", out)
    assert done.return_value == 0, done.output
    assert all(re.fullmatch(r"db-\d+\.log", path.name) for path in out.iterdir())
    assert "left out: db.data, db.redo" in done.output
    assert delivered(out, tmp_path / "copy") == expected


def test_what_is_recovered_from_a_damaged_one(
    written: Path, expected: set[int], tmp_path: Path, run
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(written, damaged)
    journal = damaged / "db-3.log"
    whole = journal.read_bytes()
    journal.write_bytes(whole[:9000] + bytes([whole[9000] ^ 8]) + whole[9001:])
    out = tmp_path / "recovered"
    done = run("recover", damaged, "--out", out)
    assert done.return_value == 3, done.output
    lost = re.search(r"lost  db-3\.log: \[(\d+), (\d+)\)", done.output)
    assert lost is not None
    gone = {int(number) for number in MESSAGE.findall(whole[int(lost[1]) : int(lost[2])])}
    found = delivered(out, tmp_path / "copy")
    assert gone
    assert found >= expected - gone
    assert not found & gone
    # An acknowledgement that is lost brings its message back; nothing else comes back.
    assert all(number % 3 == 2 for number in found - expected)


def test_an_index_without_its_journal(written: Path, tmp_path: Path, run) -> None:
    for name in ("db.data", "db.redo"):
        shutil.copy(written / name, tmp_path / name)
    done = run(tmp_path)
    assert done.return_value == 3
    assert "the journal is gone" in done.output


def test_a_journal_file_that_is_not_there(written: Path, tmp_path: Path, run) -> None:
    folder = tmp_path / "kahadb"
    shutil.copytree(written, folder)
    (folder / "db-3.log").unlink()
    assert "db-3.log" in run(folder).output
