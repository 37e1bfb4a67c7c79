"""The lists of reviewed mutants are valid and current."""

from __future__ import annotations

import json

import pytest

from lab.mutants.choice import all_mutants
from lab.mutants.reviewed import (
    BadReview,
    Reviewed,
    load_reviewed,
    parse,
    path_of,
)
from reference_impl.formats import FORMATS

ONE = {"function": "a.f", "operator": "constant", "line": "x = 1", "before": "1", "after": "2"}
WHY = "Nobody ever sees it."


def listing(**parts: object) -> str:
    body: dict[str, object] = {"equivalent": [], "outside": {}}
    return json.dumps(body | parts)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "JSONDecodeError"),
        ("{}", "equivalent"),
        (listing(equivalent=[{"because": WHY, "mutants": [{"function": "a"}]}]), "TypeError"),
        (listing(equivalent=[{"because": "no", "mutants": [ONE]}]), "a sentence"),
        (listing(equivalent=[{"because": WHY, "mutants": [ONE, ONE]}]), "twice"),
        (listing(outside={"a.g": ""}), "a sentence"),
    ],
)
def test_a_broken_list_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadReview, match=said):
        parse(text, "x.json")


@pytest.mark.parametrize("format_id", [id for id in FORMATS if path_of(id).exists()])
def test_listed_mutants_exist(format_id: str) -> None:
    reviewed = load_reviewed(format_id)
    everything = {each.name for each in all_mutants(format_id, Reviewed())}
    assert sorted(set(reviewed.equivalent) - everything) == []
    assert set(reviewed.outside) <= {name.function for name in everything}
    assert not {name.function for name in reviewed.equivalent} & set(reviewed.outside)
