"""A fixed sample of every format's mutants: all dead, or listed as equivalent.

``make mutants`` runs all of them. A surviving mutant is a wrong reader or writer that the vectors
would certify: kill it with a vector, or list it with the reason why no log can show the difference.
"""

from __future__ import annotations

import pytest

from lab.mutants.choice import Choice
from lab.mutants.report import hunt, wrong
from lab.mutants.reviewed import load_reviewed
from reference_impl.formats import FORMATS

SAMPLE = 2
AT_LEAST = 1
"""Of a sample, equivalent mutants included, where not all survivors have been looked at yet."""


@pytest.mark.parametrize("format_id", FORMATS)
def test_the_vectors_tell_mutants_from_the_original(format_id: str) -> None:
    report = hunt(format_id, Choice(sample=SAMPLE), first_kill=True)
    assert report["mutants"] == SAMPLE
    assert report["killed"] >= AT_LEAST
    if load_reviewed(format_id).complete:
        assert wrong(report) == []
