"""Lists of known differences are loaded and compared with a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.registry import all_implementations
from lab.crossing import known
from lab.crossing.logs import added_logs
from lab.crossing.run import Crossing, Pair
from reference_impl.paths import VECTORS

FORMAT = "leveldb-log"


def differing(text: str = "records: other") -> Crossing:
    """Return the run of a writer and a reader that differ on one of two logs."""
    return Crossing(FORMAT, [Pair("w", "r", ["x/same"], [("x/other", text)])], {"w": {}})


def test_a_listed_difference_has_its_cause(tmp_path: Path) -> None:
    listed = known.load(FORMAT, tmp_path)
    (result,) = known.differences(differing().pairs[0], listed)
    assert (result.log, result.cause) == ("x/other", None)
    listed.updated(known.results(differing()), "why", "Because.").save()
    again = known.load(FORMAT, tmp_path)
    (result,) = known.differences(differing().pairs[0], again)
    assert (result.cause, again.causes["why"]) == ("why", "Because.")
    (result,) = known.differences(differing("records: another").pairs[0], again)
    assert result.cause is None
    assert known.gone(differing(), again) == []


def test_a_listed_pair_that_agrees_is_reported(tmp_path: Path) -> None:
    listed = known.load(FORMAT, tmp_path).updated(known.results(differing()), "why", "Because.")
    sound = Crossing(FORMAT, [Pair("w", "r", ["x/same", "x/other"])], {"w": {}})
    assert known.gone(sound, listed) == [("x/other", "w > r")]
    assert listed.updated(known.results(sound)).entries == {}


@pytest.mark.parametrize("path", sorted(known.FOLDER.iterdir()), ids=lambda path: path.stem)
def test_every_entry_has_a_cause_and_an_existing_pair(path: Path) -> None:
    listed = known.load(path.stem)
    assert listed.unexplained() == []
    names = {each.name for each in all_implementations()}
    added = {each.id for each in added_logs(path.stem)}
    for log, pair in listed.entries:
        assert log in added or (VECTORS / f"{log}.json").is_file()
        assert set(pair.split(" > ")) <= names
