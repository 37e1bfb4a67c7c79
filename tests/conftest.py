"""Provide one Spark session for all tests that need a session, and select the tests of ``make
test-quick``.

Tests that use a fixture in :data:`SHARED_FIXTURES` form a group, which `pytest -n 2 --dist
loadgroup` runs in one process, because a Spark session takes five seconds and half a gigabyte. Most
tests of the data source need no session: readers work without a JVM.

``make test-quick`` skips the tests in :data:`SLOW_PATHS`, the tests in groups, the tests that
import Spark, and the tests marked ``slow``, which take more than half a second.
"""

from __future__ import annotations

import fcntl
import json
import os
import pickle
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from conformance import ROOT
from pyspark_journal.java import JavaMissing, java_home
from reference_impl.formats import FORMATS
from walproof.setup import in_ci

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


#: Tests that run whole systems, tool chains, sweeps or Spark.
SLOW_PATHS = (
    "conformance/packages",
    "conformance/test_one_shot.py",
    "conformance/test_process.py",
    "conformance/test_runner_known.py",
    "hostile",
    "lab",
    "pyspark_journal",
    "walproof/lake/test_faulty_store.py",
    "walproof/lake/test_remote.py",
    "walproof/parsers",
    "walproof/recovery",
    "walproof/review",
    "walproof/sweep",
    "walproof/test_worker_pool.py",
    "wrong",
)
#: Expensive fixtures. Tests that use the same fixture run in one process, which creates it once.
SHARED_FIXTURES = ("ask", "asked", "site", "spark", "written_by")


def pytest_configure() -> None:
    """Restore the SIGINT handler, so that child processes can be interrupted.

    A shell without job control starts background commands, such as ``make test &`` in a script,
    with SIGINT ignored, and their child processes inherit this setting.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import slow tests for ``make test-quick``, because they may need Spark."""
    is_quick = config.getoption("markexpr") == "not slow"
    return True if is_quick and _is_slow(collection_path) else None


@pytest.hookimpl(tryfirst=True)  # this must run before pytest-xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group the tests that share a fixture; mark the tests that ``make test-quick`` skips."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        group = next((name for name in SHARED_FIXTURES if name in fixtures), None)
        if group is not None and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(group))
        is_light = item.get_closest_marker("xdist_group") is None and "batches" not in fixtures
        if not is_light or _is_slow(item.path):
            item.add_marker(pytest.mark.slow)


@cache
def _is_slow(path: Path) -> bool:
    return any(path.is_relative_to(ROOT / "tests" / part) for part in SLOW_PATHS)


#: Formats with a scanner and a bench. The other formats have no minimum speed.
SCANNED = [each for each in FORMATS if each not in ("etcd-wal", "prometheus-wal")]


def unavailable(why: str) -> None:
    """Skip a test because a tool is missing. Fail instead in CI, which must have every tool."""
    if in_ci():
        pytest.fail(why)
    pytest.skip(why)


@contextmanager
def alone(place: Path) -> Iterator[None]:
    """Lock a path below ``.build`` that several test workers may need at the same time."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.with_name(f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def require_java() -> None:
    """Skip a Spark test if PySpark or Java is missing, or fail in CI."""
    try:
        import pyspark  # noqa: F401

        java_home()
    except (ImportError, JavaMissing) as missing:
        unavailable(f"no Spark: {missing}")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    require_java()
    from pyspark_journal.session import session

    settings = {"spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse"))}
    # Spark workers import this package from the checkout if it is not installed.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
        created = session("tests", "local[2,4]", settings)
    yield created
    created.stop()


def spark_environment() -> dict[str, str]:
    """Return the environment variables for a driver, master or worker in another process.

    Spark's scripts, which usually set these variables, are not used. Workers import this package
    from the checkout.
    """
    import pyspark

    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    return {
        **os.environ,
        "PYTHONPATH": path,
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "SPARK_SCALA_VERSION": "2.13",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


@pytest.fixture
def java() -> None:
    """Require Java for a test that starts Spark in other processes."""
    require_java()


Rows = list[dict[str, Any]]


@pytest.fixture
def batches() -> Callable[..., list[pa.RecordBatch]]:
    """Return a function that reads batches without a JVM, making the same calls as Spark."""

    def read(
        *paths: Path | str, schema: pa.Schema | None = None, **options: Any
    ) -> list[pa.RecordBatch]:
        from pyspark.sql.pandas.types import from_arrow_schema

        from pyspark_journal.source import JournalDataSource

        given = {key: str(value) for key, value in options.items()}
        source = JournalDataSource({**given, "paths": json.dumps([str(path) for path in paths])})
        reader = source.reader(from_arrow_schema(schema) if schema else source.schema())
        # Spark pickles the reader and the partitions to send them to other processes.
        reader, partitions = pickle.loads(pickle.dumps((reader, reader.partitions())))
        return [batch for partition in partitions for batch in reader.read(partition)]

    return read


@pytest.fixture
def rows_of(batches: Callable[..., list[pa.RecordBatch]]) -> Callable[..., Rows]:
    """Return a function that reads rows as dictionaries, in the same way as ``batches``."""

    def rows(*paths: Path | str, **options: Any) -> Rows:
        read = batches(*paths, **options)
        for batch in read:
            batch.validate(full=True)
        return [row for batch in read for row in batch.to_pylist()]

    return rows
