"""Tests that share what is dear to make stay together on one worker."""

from __future__ import annotations

import os

import pytest


@pytest.mark.xdist_group("spark")
def test_a_group_is_seen_by_the_scheduler(request: pytest.FixtureRequest) -> None:
    # pytest 9.2 with pytest-xdist 3.8 drops the group from the node id, in silence: each worker
    # then starts a Spark of its own, builds the object store, makes the cluster.
    if "PYTEST_XDIST_WORKER" not in os.environ:
        assert not request.node.nodeid.endswith("@spark")
        return
    if request.config.getoption("dist", "no") == "loadgroup" or "loadgroup" in str(
        request.config.workerinput.get("mainargv", "")  # type: ignore[attr-defined]
    ):
        assert request.node.nodeid.endswith("@spark")
