"""The harness copes with uncooperative implementations, even if they never exit by themselves."""

from __future__ import annotations

import pytest

from conformance.sandbox import bubblewrap
from walproof.setup import in_ci

READ = ["three-records", "two-blocks"]
APPEND = {"profiles": ("append",)}
TOO_DEEP = "folders are nested more than 32 deep"
TOO_LONG = "a reply of more than 2099584 bytes"
# In CI, which must have every tool, the tests run and fail without bubblewrap.
needs_namespace = pytest.mark.skipif(
    bubblewrap() is None and not in_ci(), reason="only a PID namespace ends daemons"
)


@pytest.mark.usefixtures("nobody_left")
@pytest.mark.parametrize(
    ("name", "slugs", "options", "outcome", "why"),
    [
        pytest.param(
            "hangs_behind_a_daemon", READ[:1], {"wall_ms": 300}, "timeout", "no reply within 0.3 s",
            marks=needs_namespace,
        ),
        pytest.param(
            "forks_and_fills_its_output", READ[:1], {}, "over-limit", TOO_LONG,
            marks=needs_namespace,
        ),
        ("nests_folders", ["append-to-three-records"], APPEND, "over-limit", TOO_DEEP),
        # A single late reply must be tolerated.
        ("slow_at_first", READ, {"wall_ms": 2000}, "pass", None),
        ("forgets_bye", READ, {}, "pass", None),
        pytest.param("leaves_a_grandchild", READ, {}, "pass", None, marks=needs_namespace),
    ],
)  # fmt: skip
def test_an_uncooperative_implementation_is_ended(name, slugs, options, outcome, why, run_program):
    run = run_program(name, slugs, **options)
    assert run.status == "ran"
    results = [(each["class"], each["difference"]) for each in run.results]
    assert results == [(outcome, why)] * len(slugs)


def slugs_of(vectors):
    return [id.split("/")[1] for id in vectors if id.startswith("leveldb-log/")]


@pytest.mark.usefixtures("nobody_left")
@pytest.mark.parametrize("name", ["breakable_reader", "by_hand"])
def test_the_shared_readers_are_right(name, run_program, vectors):
    """The shared readers are correct, so that a wrong implementation has only its own defect."""
    slugs = slugs_of(vectors)
    run = run_program(name, slugs)
    wrong = [result for result in run.results if result["class"] != "pass"]
    assert not wrong, [(result["vector"], result["difference"]) for result in wrong]
    assert len(run.results) > 130


@pytest.mark.usefixtures("nobody_left")
def test_the_shared_writer_is_right(run_program, vectors):
    run = run_program("breakable_writer", slugs_of(vectors), profiles=("write", "append"))
    wrong = [result for result in run.results if result["class"] != "pass"]
    assert not wrong, [(result["vector"], result["difference"]) for result in wrong]
    assert len(run.results) >= 20
