"""Damaged ActiveMQ directories, their recovery, and the reaction of a broker."""

from __future__ import annotations

import re
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.walproof.real_systems import Driver
from walproof.systems import Finding, recognise

PAGE_BYTES = 4096
COUNT = 300
PENDING = {number for number in range(COUNT) if number % 3 != 2}

Damage = Callable[[bytes], bytes]


DAMAGES: dict[str, Damage] = {
    "torn in the header": lambda content: content[:100],
    "torn by a page": lambda content: content[:-PAGE_BYTES],
    "zeros from the header on": lambda content: content[:100] + bytes(len(content) - 100),
}
#: Damage that a broker repairs after it was killed: ``db.redo`` has the pages of its last batch.
REDONE = "torn by a page"


def delivered(kahadb: Driver, folder: Path, variant: str = "closed") -> set[int] | None:
    """Return the messages that a broker delivers from a directory, which the broker changes.

    The result is None if the broker refuses the directory.
    """
    answer = kahadb.request("open", folder, variant=variant)
    if "refused" in answer:
        return None
    return {int(text.split()[1]) for text in answer["items"].values()}


def copied(folder: Path, copy: Path) -> Path:
    return Path(shutil.copytree(folder, copy))


def damaged(folder: Path, copy: Path, name: str, damage: Damage) -> Path:
    copied(folder, copy)
    whole = (copy / name).read_bytes()
    assert damage(whole) != whole
    (copy / name).write_bytes(damage(whole))
    return copy


def findings(folder: Path, name: str | None) -> list[Finding]:
    """Return the findings about a file, without mere notes."""
    system = recognise(folder)
    assert system is not None
    return [each for each in system.findings if each.file == name and each.harm != "none"]


@pytest.fixture(scope="module")
def stores(kahadb: Driver, scratch: Path) -> Path:
    """Create a store in each state, and two scheduler stores."""
    states = ("killed", "closed", "acknowledged", "emptied")
    variants = dict.fromkeys(states) | {"killed": "killed orders", "scheduler": "removed"}
    for name in (*states, "scheduler", "legacy"):
        answer = kahadb.request("write", scratch / name, variant=variants.get(name) or name)
        assert "items" in answer, answer
    return scratch


@pytest.fixture
def written(stores: Path) -> Path:
    """Create the store of a killed broker: 300 messages, of which every third is acknowledged."""
    return stores / "killed"


@pytest.mark.parametrize("state", ["killed", "closed", "acknowledged", "emptied", "scheduler"])
def test_an_intact_store_has_no_findings(stores: Path, state: str, run) -> None:
    done = run(stores / state)
    assert done.return_value == 0, done.output
    assert re.search(r"store( \(KahaDB\))?: the journal: all", done.output)
    assert "a broker rebuilds it from the journal" in done.output
    assert not findings(stores / state, None)


@pytest.mark.parametrize("state", ["killed", "closed", "legacy"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index(stores: Path, tmp_path: Path, run, state: str, damage: str) -> None:
    name = "scheduleDB.data" if state == "legacy" else "db.data"
    folder = damaged(stores / state, tmp_path / "copy", name, DAMAGES[damage])
    is_redone = state == "killed" and damage == REDONE
    assert len(findings(folder, name)) == (not is_redone)
    assert run(folder).return_value == (0 if is_redone else 3)


@pytest.mark.parametrize("content", [b"", bytes(PAGE_BYTES)])
def test_a_batch_that_was_never_written(stores: Path, tmp_path: Path, content: bytes) -> None:
    folder = damaged(stores / "killed", tmp_path / "copy", "db.redo", lambda whole: content)
    assert not findings(folder, "db.redo")


def test_a_batch_of_a_killed_writer(stores: Path, tmp_path: Path, kahadb: Driver) -> None:
    """A checksum mismatch is normal after a kill: the pages of the index are unchanged."""
    copy = tmp_path / "copy"
    folder = damaged(stores / "killed", copy, "db.redo", lambda whole: whole[:-1] + b"x")
    assert not findings(folder, "db.redo")
    assert delivered(kahadb, folder) == PENDING


def test_free_pages_in_use(stores: Path, tmp_path: Path) -> None:
    def moved(whole: bytes) -> bytes:
        return whole[:5] + (1).to_bytes(8) + whole[13:]

    assert (stores / "emptied" / "db.free").read_bytes()[4] == 1
    folder = damaged(stores / "emptied", tmp_path / "copy", "db.free", moved)
    (finding,) = findings(folder, "db.free")
    assert "which are used" in finding.text


@pytest.mark.parametrize("cut", [0, 1, 16])
def test_truncated_free_pages(cut: int, stores: Path, tmp_path: Path) -> None:
    """All page numbers exceed those of the used pages, even if the last number loses a byte."""

    def moved(whole: bytes) -> bytes:
        gap = b"\1" + (1 << 40 | 1).to_bytes(8) + (1 << 41).to_bytes(8)
        ranges = int.from_bytes(whole[:4]) * gap
        return whole[:4] + ranges[: len(ranges) - cut]

    folder = damaged(stores / "emptied", tmp_path / "copy", "db.free", moved)
    assert len(findings(folder, "db.free")) == (cut > 0)


def test_a_negative_page_in_the_last_batch(stores: Path, tmp_path: Path) -> None:
    """A negative page number is found, although the checksum of the batch does not cover it."""

    def moved(whole: bytes) -> bytes:
        return whole[:PAGE_BYTES] + b"\x80" + whole[PAGE_BYTES + 1 :]

    folder = damaged(stores / "killed", tmp_path / "copy", "db.redo", moved)
    (finding,) = findings(folder, "db.redo")
    assert "expected numbers of pages" in finding.text


@pytest.mark.parametrize(
    ("state", "missing", "text"),
    [("closed", "db-*", "the journal is gone"), ("legacy", "*.data", "all jobs are lost")],
)
def test_a_missing_part_of_a_store(
    state: str, missing: str, text: str, stores: Path, tmp_path: Path, run
) -> None:
    """A missing part is reported, although an intact store with its own index is next to it."""
    copied(stores / "closed", tmp_path / "another")
    for path in copied(stores / state, tmp_path / "kahadb").glob(missing):
        path.unlink()
    done = run(tmp_path / "kahadb")
    assert done.return_value == 3
    assert text in done.output


def test_a_missing_journal_file_that_the_index_refers_to(
    stores: Path, tmp_path: Path, kahadb: Driver
) -> None:
    """Only the index shows that the last file is missing, because the file numbers have no gap."""
    folder = copied(stores / "acknowledged", tmp_path / "kahadb")
    max(folder.glob("db-*.log"), key=lambda path: int(path.name[3:-4])).unlink()
    (finding,) = findings(folder, "db.data")
    assert finding.text.endswith("no broker starts with this index")
    assert delivered(kahadb, folder) is None


def test_a_missing_file_without_an_index(written: Path, tmp_path: Path, run) -> None:
    folder = copied(written, tmp_path / "kahadb")
    for name in ("db.data", "db.redo", "db-3.log"):
        (folder / name).unlink()
    assert "db-3.log" in run(folder).output


def test_a_journal_that_ends_before_its_index(stores: Path, tmp_path: Path, run) -> None:
    """A journal that lost its last batches is intact, but its index reveals the loss."""
    folder = copied(stores / "closed", tmp_path / "kahadb")
    journal = folder / "db-5.log"
    whole = journal.read_bytes()
    last = whole.rindex(b"WRITE BATCH") - 5
    journal.write_bytes(whole[:last] + b"-qMa4" + bytes(len(whole) - last - 5))
    done = run(folder)
    assert "intact" in done.output
    assert done.return_value == 3, done.output
    assert "the end of the journal" in done.output


@pytest.mark.parametrize(("name", "harms"), [("db-3.log", ["lost"]), ("db-6.log", [])])
def test_an_empty_journal_file(
    name: str, harms: list[str], written: Path, tmp_path: Path, run
) -> None:
    """An empty last file is no loss, because a broker may prepare a file and never use it."""
    folder = copied(written, tmp_path / "kahadb")
    (folder / name).write_bytes(b"")
    assert [finding.harm for finding in findings(folder, name)] == harms
    assert run(folder).return_value == (3 if harms else 0)


def test_a_scheduler_store_from_before_5_11(
    stores: Path, tmp_path: Path, run, kahadb: Driver
) -> None:
    """A store from before 5.11 has its jobs only in the index: ``recover`` rewrites nothing, and a
    broker reads all jobs.
    """
    source, out = stores / "legacy", tmp_path / "recovered"
    done = run(source)
    assert done.return_value == 0, done.output
    assert "from before 5.11" in done.output
    assert run("recover", source, "--out", out).return_value == 0
    assert delivered(kahadb, out, "legacy") == set(range(COUNT))
    assert "from before 5.11" in run(out / "legacySchedulerStore").output


def test_a_damaged_journal_of_an_old_scheduler_stays(
    stores: Path, tmp_path: Path, run, kahadb: Driver
) -> None:
    source = copied(stores / "legacy", tmp_path / "damaged")
    journal = source / "db-2.log"
    whole = bytearray(journal.read_bytes())
    whole[9000] ^= 8
    whole[20:28] = zlib.adler32(b"another batch").to_bytes(8)
    journal.write_bytes(whole)
    out = tmp_path / "recovered"
    done = run("recover", source, "--out", out)
    assert done.return_value == 3, done.output
    for path in source.iterdir():
        assert (out / path.name).read_bytes() == path.read_bytes()
    assert delivered(kahadb, out, "legacy") == set(range(COUNT))


def test_stores_of_several_queues(stores: Path, tmp_path: Path, run) -> None:
    """mKahaDB has a directory for each queue, and one for the transactions across queues."""
    for name in ("#210#orders", "#210#returns"):
        copied(stores / "closed", tmp_path / "kahadb" / name)
    transactions = tmp_path / "kahadb" / "txStore"
    transactions.mkdir()
    shutil.copy(stores / "closed" / "db-5.log", transactions / "db-1.log")
    (tmp_path / "kahadb" / "lock").touch()
    done = run(tmp_path / "kahadb")
    assert done.return_value == 0, done.output
    assert all(name in done.output for name in ("#210#orders", "#210#returns", "txStore"))
    assert "transactions across stores" in run(transactions).output
    index = tmp_path / "kahadb" / "#210#returns" / "db.data"
    index.write_bytes(bytes(index.stat().st_size))
    assert run(tmp_path / "kahadb").return_value == 3


def test_a_temporary_store(stores: Path, tmp_path: Path, run) -> None:
    folder = copied(stores / "closed", tmp_path / "tmp_storage")
    (folder / "db.data").rename(folder / "tmpDB.data")
    (folder / "db.redo").rename(folder / "tmpDB.redo")
    (folder / "tmpDB.data").write_bytes(b"")
    done = run(folder)
    assert done.return_value == 0, done.output
    assert "a broker deletes it at startup" in done.output
