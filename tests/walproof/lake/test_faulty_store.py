"""If requests to a store fail, logs have all of their rows or a row for the unreadable log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.faulty_store import KINDS, Fault, FaultyStore
from tests.lakes import leveldb, vector
from tests.s3 import gateway, reach
from walproof.lake.trees import S3_TRIES, RemoteTree

pytestmark = pytest.mark.xdist_group("spark")

RowsOf = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyStore]:
    with (
        gateway(tmp_path_factory.mktemp("store")) as (root, behind),
        FaultyStore(behind) as faulty_store,
    ):
        lake = root / "lake"
        vector("leveldb-log", "large-lengths-in-every-block.log", lake)
        vector("kahadb-journal", "negative-size-in-the-first-file", lake)
        leveldb(lake / "large.log", 1_000)
        yield faulty_store


def read(rows_of: RowsOf, store: FaultyStore) -> list[dict[str, Any]]:
    options = {"recursiveFileLookup": True, "logRows": True, "maxPartitionBytes": 100 << 10}
    return rows_of("s3://lake/", **options, **reach(store.address))


@pytest.mark.parametrize("kind", KINDS)
def test_a_failed_request_is_repeated(store: FaultyStore, rows_of: RowsOf, kind: str) -> None:
    store.strike(None)
    expected = read(rows_of, store)
    requests = store.requests
    assert requests > 10
    # Together, the tests of all kinds of faults hit each request once.
    for n in range(KINDS.index(kind), requests, len(KINDS)):
        store.strike(Fault(kind, n, n))
        assert read(rows_of, store) == expected, n
        assert store.hits == 1


def test_too_many_failures_become_an_error_row(store: FaultyStore, rows_of: RowsOf) -> None:
    store.strike(Fault("busy", 0, 10**6, path="large.log"))
    rows = [row for row in read(rows_of, store) if row["kind"] == "log"]
    assert store.hits > S3_TRIES
    assert {row["log"] for row in rows if row["detail"]} == {"s3://lake/large.log"}
    assert len({row["log"] for row in rows}) == 3


def test_many_short_failures_are_tolerated(store: FaultyStore) -> None:
    """The number of retries is not limited in total. By default, Arrow gives up after 100."""
    options = {key.removeprefix("fs."): value for key, value in reach(store.address).items()}
    file_system = RemoteTree("s3://lake/", options).file_system
    for _ in range(150):
        store.strike(Fault("busy", 0, 0))
        assert file_system.get_file_info("lake/large.log").size
        assert store.hits == 1
