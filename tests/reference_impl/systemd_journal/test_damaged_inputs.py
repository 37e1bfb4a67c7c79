"""A sample of the damaged inputs; the module's command runs any number."""

import subprocess
import sys

import pytest

from conformance import ROOT
from tests.reference_impl.systemd_journal import damaged_inputs
from tests.reference_impl.systemd_journal.damaged_inputs import SECONDS, inputs, run

pytestmark = pytest.mark.slow


def test_no_input_raises_or_hangs() -> None:
    met = run(1500, seed=7)
    assert sum(met.verdicts.values()) == 1500
    assert set(met.verdicts) == {"intact", "torn", "damaged", "refused"}
    assert met.slowest < SECONDS


def test_the_inputs_are_the_same_for_the_same_seed() -> None:
    assert list(inputs(20, 3)) == list(inputs(20, 3)) != list(inputs(20, 4))


def test_memory_is_bounded_for_a_process_that_reads_many() -> None:
    command = [sys.executable, "-m", damaged_inputs.__name__, "500", "11"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("500 damaged files: ")
