"""What tests of the audit share."""

from __future__ import annotations

import pytest

from conformance.cli.setup import in_ci


@pytest.fixture
def java() -> None:
    """For a test that starts Spark in processes of its own."""
    try:
        import pyspark  # noqa: F401

        from pyspark_journal.java import java_home

        java_home()
    except (ImportError, RuntimeError) as missing:
        if in_ci():
            pytest.fail(f"no Spark: {missing}")
        pytest.skip(f"no Spark: {missing}")
