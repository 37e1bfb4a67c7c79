"""Tables of logs in a store with failing requests have all rows, or an error for the log."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faulty_store import KINDS, Fault, FaultyStore
from tests.s3 import gateway, reach
from walproof.lake.trees import S3_TRIES, RemoteTree

from .lakes import leveldb, options, rows, vector, write_tables

pytestmark = pytest.mark.xdist_group("spark")

TABLES = ("records", "damage", "files")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, FaultyStore]]:
    with (
        gateway(tmp_path_factory.mktemp("store")) as (root, behind),
        FaultyStore(behind) as faulty_store,
    ):
        lake = root / "lake"
        vector("leveldb-log", "large-lengths-in-every-block.log", lake)
        vector("kahadb-journal", "negative-size-in-the-first-file", lake)
        leveldb(lake / "large.log", 1_000)
        yield root, faulty_store


def file_system_options(store: FaultyStore) -> dict[str, str]:
    return {key.removeprefix("fs."): value for key, value in reach(store.address).items()}


def write(store: FaultyStore, out: Path) -> None:
    write_tables(options("s3://lake/", payload=True, **reach(store.address)), out, 100 << 10)


@pytest.fixture(scope="module")
def undisturbed(store: tuple[Path, FaultyStore], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "out"
    store[1].strike(None)
    write(store[1], out)
    return out


@pytest.mark.parametrize("kind", KINDS)
def test_a_failed_request_is_repeated(
    store: tuple[Path, FaultyStore], undisturbed: Path, tmp_path: Path, kind: str
) -> None:
    store[1].strike(None)
    write(store[1], tmp_path / "count")
    requests = store[1].requests
    assert requests > 10
    # The tests of all kinds of faults together strike each request once.
    for n in range(KINDS.index(kind), requests, len(KINDS)):
        store[1].strike(Fault(kind, n, n))
        write(store[1], tmp_path / f"{n}")
        assert store[1].hits == 1
        for table in TABLES:
            assert rows(tmp_path / f"{n}", table) == rows(undisturbed, table), (n, table)
        shutil.rmtree(tmp_path / f"{n}")


def test_too_many_failures_become_an_error_row(
    store: tuple[Path, FaultyStore], undisturbed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    store[1].strike(Fault("busy", 0, 10**6, path="large.log"))
    write(store[1], out)
    assert store[1].hits > S3_TRIES
    errors = {row["file"]: row["error"] for row in rows(out, "files")}
    assert errors.keys() == {row["file"] for row in rows(undisturbed, "files")}
    assert [file for file, error in errors.items() if error] == ["s3://lake/large.log"]


def test_many_short_failures_are_tolerated(store: tuple[Path, FaultyStore]) -> None:
    """The number of repeated requests is not limited; Arrow's default gives up after 100."""
    file_system = RemoteTree("s3://lake/", file_system_options(store[1])).file_system
    for _ in range(150):
        store[1].strike(Fault("busy", 0, 0))
        assert file_system.get_file_info("lake/large.log").size
        assert store[1].hits == 1
