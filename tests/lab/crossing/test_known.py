"""The lists of known differences: what is in them, and what is noticed against them."""

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
    """One writer and one reader: of two logs one is read otherwise."""
    return Crossing(FORMAT, [Pair("w", "r", ["x/same"], [("x/other", text)])], {"w": {}})


def test_what_is_not_listed_has_no_cause(tmp_path: Path) -> None:
    (found,) = known.differences(differing(), known.load(FORMAT, tmp_path))
    assert (found.writer, found.reader, found.log, found.cause) == ("w", "r", "x/other", None)


def test_what_is_listed_as_it_is_has_its_cause(tmp_path: Path) -> None:
    listed = known.load(FORMAT, tmp_path)
    listed.updated(known.results(differing()), "why", "Because.").save()
    again = known.load(FORMAT, tmp_path)
    (found,) = known.differences(differing(), again)
    assert (found.cause, found.because) == ("why", "Because.")
    (found,) = known.differences(differing("records: another"), again)
    assert found.cause is None
    assert known.gone(differing(), again) == []


def test_what_is_listed_and_the_same_is_told(tmp_path: Path) -> None:
    listed = known.load(FORMAT, tmp_path).updated(known.results(differing()), "why", "Because.")
    sound = Crossing(FORMAT, [Pair("w", "r", ["x/same", "x/other"])], {"w": {}})
    assert known.gone(sound, listed) == [("x/other", "w > r")]
    assert listed.updated(known.results(sound)).entries == {}


@pytest.mark.parametrize("path", sorted(known.FOLDER.iterdir()), ids=lambda path: path.stem)
def test_every_entry_is_explained_and_is_of_a_pair_that_is_there(path: Path) -> None:
    listed = known.load(path.stem)
    assert listed.unexplained() == []
    names = {one.name for one in all_implementations()}
    added = {one.id for one in added_logs(path.stem)}
    for log, pair in listed.entries:
        assert log in added or (VECTORS / f"{log}.json").is_file()
        assert set(pair.split(" > ")) <= names
