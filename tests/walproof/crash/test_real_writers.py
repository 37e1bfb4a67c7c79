"""Real writers under the models: what the page says of them holds, each time."""

from __future__ import annotations

import asyncio

import pytest

from conformance.subject import subject_of
from walproof.crash import oracles
from walproof.crash.run import run
from walproof.implementations import all_implementations

from .test_writers import may_trace

pytestmark = pytest.mark.skipif(not may_trace(), reason="no program can be traced here")

# By writer: format, and what it does itself where a crash loses what no system call had said.
REAL = {
    "goleveldb": ("leveldb-log", set()),
    "pebble": ("leveldb-log", set()),
    "golang-leveldb": ("leveldb-log", {oracles.INVENTED}),
    "leveldb-cpp": ("leveldb-log", {oracles.UNREAD}),
    "iq80-leveldb": ("leveldb-log", set()),
    "kahadb-store": ("kahadb-journal", set()),
}


@pytest.mark.parametrize("name", list(REAL))
def test_a_real_writer_does_what_the_page_says(name: str) -> None:
    implementation = next(one for one in all_implementations() if one.name == name)
    subject = subject_of(implementation, "walproof")
    if subject.unavailable:
        pytest.skip(f"unavailable, because {subject.unavailable}")
    format, wrong = REAL[name]
    done = asyncio.run(run(subject, format, ["process"], [512], 8, 60, 1))
    assert done.trace.acknowledged == 8
    (result,) = done.results
    assert {one.what for one in result.judgement.violations()} == wrong
