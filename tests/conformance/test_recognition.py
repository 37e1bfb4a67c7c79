"""The executable specification recognises the format of each example."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.recognition import EXAMPLES, Example, load_examples, recognised
from conformance.vectors import BrokenVector
from reference_impl.formats import FORMATS

ALL = load_examples()


@pytest.mark.parametrize("example", ALL, ids=lambda example: example.title)
def test_examples_are_recognised(example: Example, tmp_path: Path) -> None:
    assert recognised(example.put(tmp_path)) == example.formats


def test_every_format_has_positive_and_negative_examples() -> None:
    """Examples with both results detect recognisers that always accept or always reject."""
    for id in FORMATS:
        assert sum(id in example.formats for example in ALL) >= 4, id
        assert sum(id not in example.formats for example in ALL) >= 100, id
    assert sum(example.formats == () for example in ALL) >= 50


def test_titles_differ_and_formats_are_known() -> None:
    assert len({example.title for example in ALL}) == len(ALL)
    assert {id for example in ALL for id in example.formats} == set(FORMATS)
    assert all(list(example.formats) == sorted(example.formats) for example in ALL)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"formats": "leveldb-log"}, "formats"),
        ({"files": {}}, "examples/0"),
        ({"contents": ["0"]}, "examples/0/contents/0"),
        ({"contents": [{"fill": "00", "size": 0}]}, "examples/0/contents/0"),
        ({"contents": [{"vector": "kahadb-journal/two-files"}]}, "a log of one file"),
        ({"name": "a/b"}, "examples/0/name"),
    ],
)
def test_broken_examples_are_refused(
    change: dict[str, object], message: str, tmp_path: Path
) -> None:
    body = json.loads(EXAMPLES.read_text("utf-8"))
    body["examples"] = [body["examples"][0] | change]
    path = tmp_path / "recognition.json"
    path.write_text(json.dumps(body), "utf-8")
    with pytest.raises(BrokenVector, match=message):
        load_examples(path)
