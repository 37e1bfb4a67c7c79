"""A share of the many damaged inputs; ``python damaged_inputs.py 100000`` runs them all."""

import subprocess
import sys
from pathlib import Path

from damaged_inputs import SECONDS, inputs, run


def test_no_input_raises_or_hangs() -> None:
    met = run(1500, seed=7)
    assert sum(met.verdicts.values()) == 1500
    assert set(met.verdicts) == {"intact", "torn", "damaged", "refused"}
    assert met.slowest < SECONDS


def test_the_inputs_are_the_same_for_the_same_seed() -> None:
    assert list(inputs(20, 3)) == list(inputs(20, 3)) != list(inputs(20, 4))


def test_memory_is_bounded_for_a_process_that_reads_many() -> None:
    script = Path(__file__).with_name("damaged_inputs.py")
    done = subprocess.run(
        [sys.executable, str(script), "500", "11"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("500 damaged files: ")
